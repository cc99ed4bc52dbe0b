import type { AgentType, Protocol } from './agent-type.ts';
import type { ComplianceFacts } from './compliance.ts';
import type { Mention } from './declared-facts.ts';
import type { Exposed, HealthGroup } from './observation.ts';
import type { ProofWay } from './ownership.ts';

export interface Contact {
  readonly name?: string;
  readonly email?: string;
  readonly website?: string;
}

/** The wire's `member` (specification, 2.1). */
export interface MemberCard {
  readonly slug: string;
  readonly display_name: string;
  readonly membership_tier?: string;
  readonly membership_tier_label?: string;
  readonly is_founding_member?: boolean;
}

/** An agent registered by a member; `proven` once control of its domain was shown. */
export interface Registration {
  readonly member: MemberCard;
  readonly proven: boolean;
  /** How control was shown: by DNS for the whole registrable domain, otherwise for the agent's host. */
  readonly via?: ProofWay;
  /** Epoch milliseconds. */
  readonly addedAt: number;
  readonly type?: AgentType;
  readonly name?: string;
  readonly description?: string;
  readonly contact?: Contact;
}

/** What publishers authorise one agent for, summed up; arrays hold as many as a record may have room for, counts are exact. */
export interface Portfolio {
  readonly publisherCount: number;
  readonly publishers: readonly string[];
  readonly propertyCount: number;
  readonly countByType: Readonly<Record<string, number>>;
  readonly tags: readonly string[];
}

/** The last probe that read something. */
export interface LastGood {
  readonly at: number;
  readonly protocol: Protocol;
  readonly endpoint: string;
  readonly exposed: Exposed;
}

/** Everything the records know of one agent, as stitching needs it. */
export interface AgentFacts {
  readonly agent: string;
  readonly firstSeenAt: number;
  readonly registration?: Registration;
  /** Live brand.json entries about the agent, those of its own registrable domain first; at most 100. */
  readonly mentions: readonly Mention[];
  /** Of the declarers that the agent points back to, those whose live brand.json names its domain in authorized_operators. */
  readonly operatorDeclarers: readonly string[];
  /** Somebody's live file names the agent. */
  readonly declared: boolean;
  /** When the last declaration ended; absent while one is live or when there never was one. */
  readonly declarationEndedAt?: number;
  /** Absent when no publisher ever authorised it. */
  readonly portfolio?: Portfolio;
  readonly lastGood?: LastGood;
  /** The protocol of the last handshake that worked, also where credentials barred the rest. */
  readonly protocol?: Protocol;
  readonly endpoint?: string;
  readonly compliance: ComplianceFacts;
}

/** What changes by time alone or with every probe, joined when a record is rendered. */
export interface LiveState {
  readonly agent: string;
  readonly firstSeenAt: number;
  readonly lastSeenAt?: number;
  readonly lastCheckedAt?: number;
  readonly nextCheckAt?: number;
  /** The JSON text of its `HealthGroup`; absent before the first probe. */
  readonly health?: string;
}

/** Whether the last probe reached the agent; undefined before the first one. */
export function isOnline({ health }: Pick<LiveState, 'health'>): boolean | undefined {
  return health === undefined ? undefined : (JSON.parse(health) as HealthGroup).online;
}
