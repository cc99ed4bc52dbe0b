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
  /** Status of its tests. */
  readonly complianceStatus?: ComplianceStatus;
}

export interface AgentQuery {
  readonly filter: AgentFilter;
  /** Keyset: only agents whose URL sorts after this one (code-unit order of the canonical, ASCII URL). */
  readonly after?: string;
  readonly limit: number;
  /** Asks for `total` as well. */
  readonly total?: true;
  /**
   * Asks for `base` and these groups of each agent; absent: for the URLs alone. Capabilities are returned too if the filter is
   * about metrics or accreditations (`readGroups`). `health` is not in the index: the caller reads it from the records.
   */
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
  /** Present when it was asked for with `shown`. */
  readonly groups?: RecordGroups;
}

/**
 * The groups of an agent document as JSON texts of objects (`base`, `properties`, `capabilities`, `compliance` of AgentDocument).
 * A group that was never observed or was not asked for is absent.
 */
export interface RecordGroups {
  readonly base: string;
  readonly properties?: string;
  readonly capabilities?: string;
  readonly compliance?: string;
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
