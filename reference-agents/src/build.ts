import { type Jwk, publicJwk, type VocabularyName } from '@agent-registry/surface/agent-kit';
import { type AgentSpec, hostOf } from './agents/agent.ts';
import { type AgentGround, mountRoster } from './agents/mount-roster.ts';
import { ROSTER } from './agents/roster.ts';
import { RETYPED_VENDOR } from './agents/roster-measurement.ts';
import { BRANDS, brandPage, RETYPER } from './brands/houses.ts';
import { declared, deskPages, vendorPages } from './brands/vendors.ts';
import { createFaultSwitch, type FaultSwitch } from './broken/fault-switch.ts';
import { mountBroken } from './broken/mount-broken.ts';
import { domainsOf, type SandboxDomains } from './domains.ts';
import type { Expectations, ExpectedAgent } from './expectations.ts';
import { type AgentKeys, agentKeys } from './keys.ts';
import { createPublishers, type SandboxPublisher } from './publishers/publishers.ts';
import { createRandom } from './random.ts';
import type { ReferenceParts } from './reference/create-reference.ts';
import { LONG_TAIL_AGENT, longTail, longTailFile, longTailSites } from './trouble/long-tail.ts';
import { TROUBLE, troublePages } from './trouble/trouble.ts';
import { createWeb, type Web } from './web/web.ts';

interface BuildOptions {
  readonly seed: number;
  readonly vocabulary: VocabularyName | undefined;
  readonly publishers: number;
  readonly managed: number;
  readonly deskKeys: readonly Jwk[];
  readonly slow: ReadonlyMap<string, number>;
}

export interface BuiltWeb {
  readonly web: Web;
  readonly agents: readonly ReferenceParts[];
  readonly domains: SandboxDomains;
  readonly expectations: Expectations;
  readonly faults: FaultSwitch;
}

/** Makes all pages and agents, and says what is to be found in them. */
export async function buildWeb(options: BuildOptions, ground: AgentGround): Promise<BuiltWeb> {
  const { seed, managed } = options;
  const random = createRandom(seed);
  const web = createWeb();
  const keysOf = (spec: AgentSpec): AgentKeys => agentKeys(random.fork('keys'), hostOf(spec));
  const webhookKeyOf = (url: string) => publicJwk(keysOf(specOf(url)).webhook);
  const pool = { ...POOL, webhookKeyOf };
  const { publishers, pages } = createPublishers(random.fork('publishers'), options.publishers, pool);
  const others = [...BRANDS.map(brandPage), ...vendorPages(ROSTER, keysOf), ...deskPages(options.deskKeys)];
  const all = [...pages, ...others, ...troublePages(), longTailFile(managed)];
  for (const { host, path, page } of all) web.add(host, path, page);
  web.onDemand(longTailSites(managed));

  const tail = longTail(managed).map((domain) => ({ domain, authorises: [LONG_TAIL_AGENT] }));
  const authorised = publishersByAgent([...publishers, ...TROUBLE, ...tail]);
  const faults = createFaultSwitch();
  const mounted = await mountRoster(web, { ...options, ...ground, keysOf, authorised, faults });
  mountBroken(web, { ...options, ...ground, keysOf });
  const names = publishers.map(({ domain }) => domain);
  return {
    web,
    faults,
    agents: mounted.map(({ reference }) => reference),
    domains: domainsOf(names, managed),
    expectations: expectationsOf(
      mounted.map(({ expected }) => expected),
      publishers,
    ),
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

function specOf(url: string): AgentSpec {
  const spec = ROSTER.find((candidate) => candidate.url === url);
  if (spec === undefined) throw new Error(`the sandbox has no agent with the URL ${url}`);
  return spec;
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
