import { type DomainListView, domainListPage } from '../../pages/files/domain-list.ts';
import { amountText } from '../../pages/texts.ts';
import { listedBrands } from '../operations/graph/brand-files.ts';
import { readListQuestion } from '../operations/graph/list-properties.ts';
import { keptPage } from './html-pages.ts';
import { lookUp } from './look-up.ts';
import type { Elsewhere, MadePage, PageSources } from './made-page.ts';
import { publisherList } from './publisher-list.ts';

/** `/publishers`. With `domain` it looks that up, as `/look-up` does. */
export async function madePublishers(
  parts: PageSources,
  _: string,
  query: string,
): Promise<MadePage | Elsewhere> {
  const wanted = new URLSearchParams(query).get('domain');
  if (wanted !== null) return lookUp(parts, wanted);
  const { publishers, cursor, order } = await publisherList(parts, parts.leading, query);
  const domains = publishers.map(({ domain, name, agents, properties }) => ({
    domain,
    about: [name, amountText(agents, 'agent'), amountText(properties, 'property', 'properties')]
      .filter((text) => text !== undefined)
      .join(', '),
  }));
  return listPage(parts, 'publishers', query, { domains, cursor, order });
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
  return listPage(parts, 'brands', query, { domains, cursor: next_cursor ?? null, order: 'domain' });
}

const OPERATIONS = { publishers: '/api/properties/registry', brands: '/api/brands/registry' } as const;

function listPage(
  { site }: PageSources,
  kind: DomainListView['kind'],
  query: string,
  listed: Pick<DomainListView, 'domains' | 'cursor' | 'order'>,
): MadePage {
  const asked = new URLSearchParams(query);
  const ofApi = new URLSearchParams([...asked].filter(([name]) => name !== 'sort'));
  const text = String(ofApi).replaceAll("'", '%27');
  const jsonPath = `${OPERATIONS[kind]}${text === '' ? '' : `?${text}`}`;
  return { status: 200, ...keptPage(site, domainListPage(site, { kind, asked, ...listed, jsonPath })) };
}

function questionOf(query: string) {
  return readListQuestion(query, 'the list');
}
