import type {
  AgentStates,
  AgentType,
  Clock,
  Fetcher,
  KeyDirectory,
  ReplayStore,
  VocabularyName,
} from 'agent-registry/agent-kit';
import { declared } from '../brands/vendors.ts';
import type { FaultSwitch } from '../broken/fault-switch.ts';
import { callersOf } from '../buyers.ts';
import { buyerReceivers } from '../buying/receiver.ts';
import type { ExpectedAgent } from '../expectations.ts';
import type { AgentKeys } from '../keys.ts';
import { NETWORK_AGENT } from '../publishers/indirect.ts';
import { createRandom } from '../random.ts';
import { createCallers } from '../reference/callers.ts';
import { createReference, type ReferenceParts } from '../reference/create-reference.ts';
import type { ReferenceAgent } from '../reference/handler.ts';
import { siteOf } from '../reference/site.ts';
import { DENIER } from '../trouble/trouble.ts';
import type { Web } from '../web/web.ts';
import { createAdmission } from './admission.ts';
import { type AgentSpec, brandJsonOf, hostOf } from './agent.ts';
import { expectedAgent } from './expect.ts';
import { factsOf } from './facts.ts';
import { mountAgent } from './mount.ts';
import { ROSTER } from './roster.ts';
import { createAgent } from './running-agent.ts';

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
}

export interface Mounted {
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
  return Promise.all(ROSTER.map((spec, index) => mountOne(web, spec, index, options)));
}

async function mountOne(web: Web, spec: AgentSpec, index: number, options: RosterOptions): Promise<Mounted> {
  const { seed, vocabulary, clock, onFault } = options;
  const publishers = options.authorised.get(spec.url) ?? [];
  const deniedClaims = spec.url === NETWORK_AGENT ? [DENIER] : [];
  const random = createRandom(seed).fork('metrics');
  const facts = factsOf(spec, { random, vocabulary, index, publishers, deniedClaims });
  const own = options.keysOf(spec);
  const reference = await createReference(spec, facts, { ...options, own, governance: GOVERNANCE });
  const agent = createAgent(spec, facts, { reference: reference.agent, now: clock.now, onFault });
  mountAgent(
    web,
    options.faults.watch(agent),
    createAdmission(spec, createCallers({ ...options, known: callersOf(spec) })),
  );
  const site = siteOf(reference.agent);
  if (site !== undefined) web.addSite(hostOf(spec), site);
  if (spec.type === 'buying') mountReceivers(web, reference.agent, options);
  const expected = expectedAgent(agent, facts, { publishers, deniedClaims, declared: declared(spec) });
  return { reference, expected };
}

/** A buying agent hears of all agents that sell. */
function mountReceivers(web: Web, { spec, state }: ReferenceAgent, options: RosterOptions): void {
  for (const { path, page } of buyerReceivers({ ...options, url: spec.url, state, sellers: SELLERS }))
    web.add(hostOf(spec), path, page);
}
