import { setTimeout as delay } from 'node:timers/promises';
import {
  type AgentStates,
  type AgentType,
  type Clock,
  type Fetcher,
  type KeyDirectory,
  RegistryError,
  type ReplayStore,
  type VocabularyName,
} from '@agent-registry/surface/agent-kit';
import { declared } from '../brands/vendors.ts';
import type { FaultSwitch } from '../broken/fault-switch.ts';
import { callersOf } from '../buyers.ts';
import { buyerReceivers } from '../buying/receiver.ts';
import type { ExpectedAgent } from '../expectations.ts';
import type { AgentKeys } from '../keys.ts';
import { NETWORK_AGENT } from '../publishers/indirect.ts';
import { createRandom } from '../random.ts';
import { brandPages } from '../reference/brand/logos.ts';
import { createCallers } from '../reference/callers.ts';
import { createReference, type ReferenceParts } from '../reference/create-reference.ts';
import { creativePages } from '../reference/creatives/pictures.ts';
import { createSellerDirectory } from '../reference/governance/sellers.ts';
import type { ReferenceAgent } from '../reference/handler.ts';
import { DENIER } from '../trouble/trouble.ts';
import type { Web, WebSite } from '../web/web.ts';
import { createAdmission } from './admission.ts';
import { type AgentProfile, type AgentSpec, brandJsonOf, hostOf, identityOf, pathOf } from './agent.ts';
import { factsOf, goodMetrics } from './facts.ts';
import { mountAgent } from './mount.ts';
import { ROSTER } from './roster.ts';
import { createAgent, type RunningAgent } from './running-agent.ts';

type Authorisations = Pick<ExpectedAgent, 'publishers' | 'deniedClaims' | 'declared'>;

/** What the agents stand on. */
export interface AgentGround {
  readonly states: AgentStates;
  readonly replays: ReplayStore;
  readonly clock: Clock;
  /** The guarded way out. */
  readonly fetcher: Fetcher;
  /** Finds the keys of others. */
  readonly keys: KeyDirectory;
  /** Hears of faults of the agents themselves. */
  onFault(error: unknown): void;
}

export interface RosterOptions extends AgentGround {
  readonly seed: number;
  readonly vocabulary: VocabularyName | undefined;
  /** What each agent signs with. */
  readonly keysOf: (spec: AgentSpec) => AgentKeys;
  /** Domains by the agent that they authorise. */
  readonly authorised: ReadonlyMap<string, readonly string[]>;
  readonly faults: FaultSwitch;
  /** Milliseconds for each task, by declared URL. */
  readonly slow: ReadonlyMap<string, number>;
}

interface Mounted {
  readonly reference: ReferenceParts;
  readonly expected: ExpectedAgent;
}

/** Whose approvals all agents believe. */
const GOVERNANCE = placesOf('governance');

/** Those that post webhooks. */
const SELLERS = placesOf('sales', 'signals', 'rights');

/** Agents of these types, each with the brand.json that leads to its keys. */
function placesOf(...wanted: readonly AgentType[]) {
  return ROSTER.filter(({ type }) => wanted.includes(type)).map((spec) => ({
    url: spec.url,
    brandJsonUrl: brandJsonOf(spec),
  }));
}

/** Puts all agents on their hosts, and says what is to be found out about each. */
export function mountRoster(web: Web, options: RosterOptions): Promise<readonly Mounted[]> {
  const stranger = [...options.slow.keys()].find((url) => !ROSTER.some((spec) => spec.url === url));
  if (stranger !== undefined)
    throw new RegistryError('usage', `the sandbox has no agent with the URL ${stranger}`);
  return Promise.all(ROSTER.map((spec, index) => mountOne(web, spec, index, options)));
}

async function mountOne(web: Web, spec: AgentSpec, index: number, options: RosterOptions): Promise<Mounted> {
  const { seed, vocabulary, clock, onFault } = options;
  const publishers = options.authorised.get(spec.url) ?? [];
  const deniedClaims = spec.url === NETWORK_AGENT ? [DENIER] : [];
  const random = createRandom(seed).fork('metrics');
  const facts = factsOf(spec, { random, vocabulary, index, publishers, deniedClaims });
  const own = options.keysOf(spec);
  const sellers = createSellerDirectory(options.states, ROSTER);
  const reference = await createReference(spec, facts, { ...options, own, governance: GOVERNANCE, sellers });
  const agent = createAgent(spec, facts, { reference: reference.agent, now: clock.now, onFault });
  mountAgent(
    web,
    slowed(options.faults.watch(agent), options.slow.get(spec.url)),
    createAdmission(spec, createCallers({ ...options, known: callersOf(spec) })),
  );
  const site = siteOf(reference.agent);
  if (site !== undefined) web.addSite(hostOf(spec), site);
  if (spec.type === 'buying') mountReceivers(web, reference.agent, options);
  const expected = expectedAgent(agent, facts, { publishers, deniedClaims, declared: declared(spec) });
  return { reference, expected };
}

/** The agent, but it waits before each task; what it says of itself comes at once. */
function slowed(agent: RunningAgent, ms = 0): RunningAgent {
  if (ms === 0) return agent;
  return {
    ...agent,
    async call(...asked) {
      await delay(ms);
      return agent.call(...asked);
    },
  };
}

/** A buying agent hears of all agents that sell. */
function mountReceivers(web: Web, { spec, state }: ReferenceAgent, options: RosterOptions): void {
  for (const { path, page } of buyerReceivers({ ...options, url: spec.url, state, sellers: SELLERS }))
    web.add(hostOf(spec), path, page);
}

/** What a registry must find out about this agent when it looks without credentials. */
function expectedAgent(agent: RunningAgent, facts: AgentProfile, given: Authorisations): ExpectedAgent {
  const { spec } = agent;
  const metrics = goodMetrics(facts.metrics);
  const bodies = metrics.flatMap(
    ({ accreditations }) => accreditations as readonly { accrediting_body: string }[],
  );
  return {
    url: identityOf(spec.url),
    declaredUrl: spec.url,
    name: spec.name,
    type: spec.type,
    ...given,
    ...reachOf(agent),
    metricIds: metrics.map(({ metric_id }) => metric_id),
    accreditingBodies: [...new Set(bodies.map(({ accrediting_body }) => accrediting_body))].sort(),
  };
}

function reachOf(
  agent: RunningAgent,
): Pick<ExpectedAgent, 'online' | 'errorClass' | 'protocol' | 'endpoint' | 'tools'> {
  const { spec, tasks } = agent;
  const { transport } = spec;
  if (transport.protocol === 'mcp' && transport.token !== undefined) {
    return { online: true, errorClass: 'auth_required', tools: [] };
  }
  if (isLost(spec)) return { online: false, errorClass: 'wrong_path', tools: [] };
  const hidden = transport.protocol === 'a2a' ? (transport.hidden ?? []) : [];
  return {
    online: true,
    protocol: transport.protocol,
    endpoint: spec.path === undefined ? spec.url : `https://${hostOf(spec)}${pathOf(spec)}`,
    tools: tasks.map(({ name }) => name).filter((name) => !hidden.includes(name)),
  };
}

/** An agent is found at its declared URL or at `/mcp` under it, nowhere else. */
function isLost(spec: AgentSpec): boolean {
  return spec.path !== undefined && spec.path !== `${new URL(spec.url).pathname}/mcp`.replace('//', '/');
}

/** What an agent serves beside its protocol: the pictures that it made, the logos of its brands. */
function siteOf(agent: ReferenceAgent): WebSite | undefined {
  switch (agent.spec.type) {
    case 'creative':
    case 'sales':
      return creativePages(agent);
    case 'brand':
      return brandPages(agent.spec);
    default:
      return undefined;
  }
}
