import { type DomainListView, domainListPage } from '../../pages/files/domain-list.ts';
import { amountText } from '../../pages/texts.ts';
import { listedBrands } from '../operations/graph/brand-files.ts';
import { listedPublishers, readListQuestion } from '../operations/graph/list-properties.ts';
import { keptPage } from './html-pages.ts';
import { lookUp } from './look-up.ts';
import type { Elsewhere, MadePage, PageSources } from './made-page.ts';

/** `/publishers`. With `domain` it looks that up, as `/look-up` does. */
export async function madePublishers(
  parts: PageSources,
  _: string,
  query: string,
): Promise<MadePage | Elsewhere> {
  const wanted = new URLSearchParams(query).get('domain');
  if (wanted !== null) return lookUp(parts, wanted);
  const { properties, next_cursor } = await listedPublishers(parts, questionOf(query));
  const domains = properties.map(({ domain, property_count: count, agent_count: agents }) => ({
    domain,
    about: `${amountText(agents, 'agent')}, ${amountText(count, 'property', 'properties')}`,
  }));
  return listPage(parts, 'publishers', query, { domains, cursor: next_cursor ?? null });
}

/** `/brands`. */
export async function madeBrands(parts: PageSources, _: string, query: string): Promise<MadePage> {
  const { brands, next_cursor } = await listedBrands(parts, questionOf(query));
  const domains = brands.map(({ domain, brand_name: name, house_domain: house }) => ({
    domain,
    about: [name, house === undefined || house === domain ? undefined : `of ${house}`]
      .filter((text) => text !== undefined && text !== domain)
      .join(', '),
  }));
  return listPage(parts, 'brands', query, { domains, cursor: next_cursor ?? null });
}

const OPERATIONS = { publishers: '/api/properties/registry', brands: '/api/brands/registry' } as const;

function listPage(
  { site }: PageSources,
  kind: DomainListView['kind'],
  query: string,
  listed: Pick<DomainListView, 'domains' | 'cursor'>,
): MadePage {
  const asked = new URLSearchParams(query);
  const text = String(asked).replaceAll("'", '%27');
  const jsonPath = `${OPERATIONS[kind]}${text === '' ? '' : `?${text}`}`;
  return { status: 200, ...keptPage(site, domainListPage(site, { kind, asked, ...listed, jsonPath })) };
}

function questionOf(query: string) {
  return readListQuestion(query, 'the list');
}
