import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parseDomain } from '../../domain/domain-name.ts';
import { type DomainListView, domainListPage } from '../../pages/files/domain-list.ts';
import { domainPath } from '../../pages/files/file-parts.ts';
import { agentPath, amountText } from '../../pages/texts.ts';
import { hostIn } from '../domains-near.ts';
import { listedBrands } from '../operations/graph/brand-files.ts';
import { readListQuestion } from '../operations/graph/list-properties.ts';
import { keptPage } from './html-pages.ts';
import { pageOfDomain } from './known-domains.ts';
import type { Elsewhere, MadePage, PageSources } from './made-page.ts';
import { publisherList } from './publisher-list.ts';

/** `/publishers`. With `domain` it leads to the page of that domain, and with the address of a known agent to that of the agent. */
export async function madePublishers(
  parts: PageSources,
  _: string,
  query: string,
): Promise<MadePage | Elsewhere> {
  const wanted = new URLSearchParams(query).get('domain');
  if (wanted !== null) {
    const agent = parseAgentUrl(wanted.trim());
    const known = agent.ok ? await parts.records.agents.saved([agent.url]) : [];
    if (agent.ok && known.length > 0) return { status: 303, location: agentPath(parts.site, agent.url) };
    const parsed = parseDomain(hostIn(wanted));
    if (!parsed.ok) return pageOfDomain(parts, 'publishers', wanted, async () => undefined);
    return { status: 303, location: domainPath(parts.site, 'publishers', parsed.domain) };
  }
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
