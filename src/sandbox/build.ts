import type { Vocabulary } from './agents/agent.ts';
import { expectedAgent } from './agents/expect.ts';
import { factsOf } from './agents/facts.ts';
import { mountAgent } from './agents/mount.ts';
import { ROSTER } from './agents/roster.ts';
import { RETYPED_VENDOR } from './agents/roster-measurement.ts';
import { createAgent } from './agents/running-agent.ts';
import { BRANDS, brandPage, RETYPER } from './brands/houses.ts';
import { declared, vendorPages } from './brands/vendors.ts';
import { domainsOf, type SandboxDomains } from './domains.ts';
import type { Expectations, ExpectedAgent } from './expectations.ts';
import { NETWORK_AGENT } from './publishers/indirect.ts';
import { createPublishers, type SandboxPublisher } from './publishers/publishers.ts';
import { createRandom } from './random.ts';
import { LONG_TAIL_AGENT, longTail, longTailFile, longTailSites } from './trouble/long-tail.ts';
import { DENIER, TROUBLE, troublePages } from './trouble/trouble.ts';
import { createWeb, type Web } from './web/web.ts';

interface BuildOptions {
  readonly seed: number;
  readonly vocabulary: Vocabulary | undefined;
  readonly publishers: number;
  readonly managed: number;
}

export interface BuiltWeb {
  readonly web: Web;
  readonly domains: SandboxDomains;
  readonly expectations: Expectations;
}

/** Makes all pages and agents, and says what is to be found in them. */
export function buildWeb(options: BuildOptions): BuiltWeb {
  const random = createRandom(options.seed);
  const web = createWeb();
  const { publishers, pages } = createPublishers(random.fork('publishers'), options.publishers, POOL);
  const vendors = vendorPages(random.fork('keys'), ROSTER);
  const all = [
    ...pages,
    ...BRANDS.map(brandPage),
    ...vendors,
    ...troublePages(),
    longTailFile(options.managed),
  ];
  for (const { host, path, page } of all) web.add(host, path, page);
  web.onDemand(longTailSites(options.managed));

  const tail = longTail(options.managed).map((domain) => ({ domain, authorises: [LONG_TAIL_AGENT] }));
  const authorised = publishersByAgent([...publishers, ...TROUBLE, ...tail]);
  const agents = mountAgents(web, options, authorised);
  const names = publishers.map(({ domain }) => domain);
  return {
    web,
    domains: domainsOf(names, options.managed),
    expectations: expectationsOf(agents, publishers),
  };
}

function expectationsOf(
  agents: readonly ExpectedAgent[],
  publishers: readonly SandboxPublisher[],
): Expectations {
  return {
    agents,
    publishers,
    brands: BRANDS.map(({ file: _file, ...brand }) => brand),
    trouble: TROUBLE.map(({ page: _page, ...trouble }) => trouble),
    retyped: {
      declarer: RETYPER,
      agent: `https://${RETYPED_VENDOR}/mcp`,
      claimed: 'sales',
      type: 'measurement',
    },
  };
}

/** The sales agents that publishers choose from: the long tail's own is not among them. */
const POOL = {
  sales: ROSTER.filter(({ type, url }) => type === 'sales' && url !== LONG_TAIL_AGENT).map(({ url }) => url),
  signals: ROSTER.filter(({ type }) => type === 'signals').map(({ url }) => url),
  undeclared: ROSTER.filter((spec) => !declared(spec)).map(({ url }) => url),
};

function mountAgents(
  web: Web,
  { seed, vocabulary }: BuildOptions,
  authorised: ReadonlyMap<string, readonly string[]>,
): ExpectedAgent[] {
  const random = createRandom(seed).fork('metrics');
  const expected: ExpectedAgent[] = [];
  for (const [index, spec] of ROSTER.entries()) {
    const publishers = authorised.get(spec.url) ?? [];
    const deniedClaims = spec.url === NETWORK_AGENT ? [DENIER] : [];
    const facts = factsOf(spec, { random, vocabulary, index, publishers, deniedClaims });
    const agent = createAgent(spec, facts);
    mountAgent(web, agent);
    expected.push(expectedAgent(agent, facts, { publishers, deniedClaims, declared: declared(spec) }));
  }
  return expected;
}

interface Authorising {
  readonly domain: string;
  readonly authorises: readonly string[];
}

function publishersByAgent(domains: readonly Authorising[]): ReadonlyMap<string, readonly string[]> {
  const edges = domains.flatMap(({ domain, authorises }) => authorises.map((agent) => ({ domain, agent })));
  const groups = Map.groupBy(edges, ({ agent }) => agent);
  return new Map([...groups].map(([agent, list]) => [agent, list.map(({ domain }) => domain).sort()]));
}
