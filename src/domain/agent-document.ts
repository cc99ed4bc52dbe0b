import type { AccreditationClaim } from './accreditation-claim.ts';
import type { Contact, MemberCard } from './agent-facts.ts';
import type { AgentType, Protocol } from './agent-type.ts';
import type { Capabilities } from './capabilities.ts';
import type { ActiveBadge, ComplianceSummary, LifecycleStage } from './compliance.ts';
import type { Inventory } from './observation.ts';

export interface SavedDocument {
  readonly agent: string;
  /** Of the change-log row that last changed it; grows with each change of the agent. */
  readonly version: number;
  readonly document?: AgentDocument;
}

/** A record has at most so many bytes of JSON: clients stop reading a list that is longer than eight such records. */
export const MAX_RECORD_BYTES = 256 * 1024;
/** No record has room for more publishers, or for more tags. */
export const MAX_RECORD_PUBLISHERS = 10_000;
export const MAX_RECORD_TAGS = 1_000;

/** The part of the record that is always shown and does not change by time alone (specification, 2.1). */
export interface BaseRecord {
  readonly url: string;
  readonly name: string;
  readonly description?: string;
  readonly type: AgentType;
  readonly protocol: Protocol | null;
  readonly mcp_endpoint?: string;
  readonly contact?: Required<Contact>;
  /** YYYY-MM-DD. */
  readonly added_date: string;
  readonly member?: MemberCard;
}

/** The group behind the switch `properties`. */
export interface PropertiesGroup {
  readonly stats: {
    readonly property_count: number;
    readonly publisher_count: number;
    readonly publishers: readonly string[];
    readonly creative_formats: number;
  };
  readonly publisher_domains: readonly string[];
  /** Present when the record has no room for all of them; the counts are exact. */
  readonly publisher_domains_truncated?: true;
  readonly property_summary: {
    readonly total_count: number;
    readonly count_by_type: Readonly<Record<string, number>>;
    readonly tags: readonly string[];
    readonly publisher_count: number;
  };
}

/**
 * Everything known of one agent, stitched: what the index holds. No clock in it: the same facts give the same
 * document, byte for byte. Freshness and health are joined when the record is rendered.
 */
export interface AgentDocument {
  /** Canonical; the identity and the order of every list. */
  readonly url: string;
  readonly type: AgentType;
  /** Distinct, in declared spelling. */
  readonly metricIds: readonly string[];
  /** Distinct accrediting bodies. */
  readonly accreditations: readonly string[];
  /** Distinct; absent: none. */
  readonly claims?: readonly AccreditationClaim[];
  readonly badges: readonly ActiveBadge[];
  readonly base: BaseRecord;
  readonly properties?: PropertiesGroup;
  readonly capabilities?: Capabilities;
  readonly compliance: ComplianceSummary;
  /** For the search alone; absent while no probe has read it. */
  readonly inventory?: Inventory;
}

/** What stitching yields. */
export interface Stitched {
  /** Absent: the agent is out of the list (a tombstone). */
  readonly document?: AgentDocument;
  /** Epoch milliseconds at which the same facts yield something else; absent: never. */
  readonly restitchAt?: number;
}

/** The document of an agent whose owner opts out: as it is stitched from then on. */
export function withoutVerdict(document: AgentDocument, lifecycleStage: LifecycleStage): AgentDocument {
  return {
    ...document,
    badges: [],
    compliance: { status: 'opted_out', lifecycle_stage: lifecycleStage },
  };
}
