import type { AgentType, Protocol } from './agent-type.ts';
import type { ComplianceStatus, VerificationAxis } from './compliance.ts';

/** The filters of the list operation, engine-neutral and already validated (specification, 4.1). All are AND'd. */
export interface AgentFilter {
  readonly type?: AgentType;
  /** OR'd, exact. */
  readonly metricIds?: readonly string[];
  /** OR'd, exact. */
  readonly accreditations?: readonly string[];
  /** Substring of a metric_id; lower-cased with toLowerCase(), every character literal. */
  readonly q?: string;
  /** One metric meets the four conditions on metrics and accreditations together. */
  readonly sameMetric?: true;
  /** An accreditation, of those that are asked for, has not ended before this day: YYYY-MM-DD, UTC. */
  readonly accreditedOn?: string;
  /** Holds any active badge. */
  readonly verified?: true;
  /** One badge covers all of them. */
  readonly verificationModes?: readonly VerificationAxis[];
  /** As its last good probe found it; no agent matches before that. */
  readonly protocol?: Protocol;
  /** How it fares in tests. */
  readonly complianceStatus?: ComplianceStatus;
}

export interface AgentQuery {
  readonly filter: AgentFilter;
  /** Keyset: only agents whose URL sorts after this one (code-unit order of the canonical, ASCII URL). */
  readonly after?: string;
  readonly limit: number;
  /** Asks for `total` as well. */
  readonly total?: true;
  /** Asks for the text of each record, with these groups. */
  readonly shown?: ShownGroups;
}

/** Which groups of the record are asked for. */
export interface ShownGroups {
  readonly health: boolean;
  readonly capabilities: boolean;
  readonly properties: boolean;
  readonly compliance: boolean;
}

export interface AgentHit {
  readonly url: string;
  /** The version of the document. */
  readonly seq: number;
  /** Present when it was asked for. */
  readonly record?: RecordText;
}

/** The JSON text of a record, as it is printed; what changes by time stands between its two parts. */
export interface RecordText {
  /** From its beginning into `freshness`. */
  readonly head: string;
  /** The groups that were asked for, each member with the comma before it, and the brace that ends the record. */
  readonly tail: string;
  /** Differs wherever `head` differs, or under the same groups `tail`. */
  readonly digest: string;
  /** The piece with the capabilities, under a filter that asks for metrics: it says which ones met it. */
  readonly capabilities: string;
  /** Present where the index and the records are one database; what `head` and `tail` have of it is left out. */
  readonly live?: LiveText;
}

/** What was seen of an agent, as JSON text that no clock changes. */
export interface LiveText {
  /** The members of `freshness` that tell when it was seen, each with the comma behind it. */
  readonly seen: string;
  /** Epoch milliseconds, as `nextCheckAt`; null for an agent that the records do not know. */
  readonly seenAt: number | null;
  readonly nextCheckAt: number | null;
  /** The member `health` with the comma before it; empty when the agent was never probed. */
  readonly health: string;
}

export interface AgentPage {
  readonly hits: readonly AgentHit[];
  /** More agents follow after the last hit. */
  readonly more: boolean;
  /** Names the generation of the index that was read; absent where nothing was found and the engine does not say. */
  readonly generation?: string;
  /** All agents under the filter, of the same moment as the hits; present when it was asked for. */
  readonly total?: number;
}
