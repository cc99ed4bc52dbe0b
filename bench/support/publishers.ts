/**
 * Every label under `ck` is a public suffix, so that each name under this one is a registrable domain of its own and
 * one wildcard certificate still fits them all. Nothing of it is ever looked up or dialled: all hosts are mapped.
 */
export const PARENT = 'bench.ck';

/** What one publisher's server does; `also` is a good one beside the good ones that are counted. Of a silent one not even the name is found. A hostile one has a file of support/hostile-files.ts. */
export type Manner = 'good' | 'also' | 'hang' | 'drip' | 'silent' | 'hostile';

/** How the agents are spread over the publishers: three for each out of so many. */
export interface Spread {
  readonly agents: number;
  /** Named by `trap-0` alone; they keep each request waiting. */
  readonly slowAgents?: number;
  /** Publishers take so long, and up to twice as long more, to answer; milliseconds. */
  readonly latencyMs?: number;
}

/** The file of a publisher that leads to nothing but slow agents. */
export function trapJson({ slowAgents = 0 }: Spread): string {
  const agents = Array.from({ length: slowAgents }, (_, at) => ({
    url: `https://slow-${at}.${PARENT}/mcp`,
    protocol: 'mcp',
    capabilities: [],
  }));
  const domain = `trap-0.${PARENT}`;
  return JSON.stringify({ version: '1.0', publisher: { name: domain, domain }, agents });
}

export function publisherName(number: number, manner: Manner = 'good'): string {
  return `${manner}-${number}.${PARENT}`;
}

export function publisherNames(count: number): string[] {
  return Array.from({ length: count }, (_, number) => publisherName(number));
}

/** The requests of one visit after robots.txt, in their order. */
export const FILE_PATHS = ['/.well-known/adagents.json', '/.well-known/brand.json'] as const;

export const ROBOTS_TXT = 'User-agent: *\nDisallow: /private/\n\nUser-agent: otherbot\nDisallow: /\n';

/** About 1.6 KB, its own for each publisher: properties, and three agents out of the spread. Nothing is found in it. */
export function adagentsJson(host: string, { agents }: Spread): string {
  const number = Number(/-(\d+)\./.exec(host)?.[1] ?? 0);
  const properties = ['website', 'mobile_app', 'ctv_app'].map((type, at) => ({
    property_id: `${type}-${number}`,
    property_type: type,
    name: `Property ${at} of ${host}`,
    identifiers: [{ type: type === 'website' ? 'domain' : 'bundle_id', value: `${type}.${host}` }],
    tags: ['news', `section-${number % 20}`],
    publisher_domain: host,
  }));
  const named = [...new Set([0, 1, 2].map((at) => (number * 3 + at) % agents))];
  return JSON.stringify({
    $schema: 'https://registry.example/schemas/adagents.json',
    contact: { name: `Advertising at ${host}`, email: `ads@${host}`, domain: host },
    properties,
    authorized_agents: named.map((agent) => ({
      url: `https://agent-${agent}.${PARENT}/mcp`,
      authorized_for: `all the inventory of ${host}`,
      authorization_type: 'property_ids',
      property_ids: properties.map((property) => property.property_id),
    })),
    last_updated: '2026-01-01T00:00:00Z',
  });
}

/** About 500 bytes, its own for each publisher: one brand. */
export function brandJson(host: string): string {
  const brand = { id: host, names: [{ en: `Brand of ${host}` }, { de: `Marke von ${host}` }] };
  return JSON.stringify({
    $schema: 'https://registry.example/schemas/brand.json',
    house: { domain: host, name: `House of ${host}` },
    brands: [
      {
        ...brand,
        industries: ['news', 'sports'],
        tone: 'plain',
        logos: [{ url: `https://${host}/logo.svg` }],
      },
    ],
    contact: { name: 'Brand desk', email: `brand@${host}`, website: `https://${host}/` },
  });
}
