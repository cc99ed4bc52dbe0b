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
  /** Present when it was asked for, and the index and the records are one database. */
  readonly record?: RecordText;
  /** The same from an index beside the records, which cannot tell how the agent is. */
  readonly stored?: StoredRecord;
}

/**
 * The pieces that records are put together from (specification, 2.1). Those behind `head` begin with the comma of their first
 * member, and are empty where the record has nothing of them or where they were not asked for.
 */
export interface RecordPieces {
  readonly head: string;
  readonly stats: string;
  readonly capabilities: string;
  readonly compliance: string;
  readonly domains: string;
}

export interface StoredRecord {
  readonly pieces: RecordPieces;
  /** Differs wherever a piece differs. */
  readonly digest: string;
}

/** The JSON text of a record as it is printed with every group, while the agent is not stale. */
export interface RecordText {
  /** UTF-8; has other records, too, and never changes. */
  readonly bytes: Buffer;
  /** Where the first piece begins, and then where each one ends, in the order of PIECES (`query/record-text.ts`). */
  readonly ends: readonly number[];
  /** The membership whose label is not in the record. */
  readonly tier?: BareTier;
  /** Differs wherever a piece differs. */
  readonly version: string;
  /** When the agent was last seen, epoch milliseconds; null for one that the records do not know. */
  readonly seenAt: number | null;
}

export interface BareTier {
  readonly name: string;
  /** Where in the bytes its label belongs. */
  readonly at: number;
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
