// Made from the OpenAPI document by tools/generate-client-types.ts; a change here is lost.
/**
 * Metrics that match metric_id, accreditation, q or accreditation_valid; a metric that matches all of them is first. In a search, a metric or accrediting body that contains one of the words of q matches, even without other filters.
 *
 * @maxItems 10
 */
export type MatchedMetrics = {
  readonly metric_id: string;
  /** Claimed by the vendor. */
  readonly accrediting_body?: string;
  /** Last day of the accreditation; absent if the vendor gives no end date. */
  readonly valid_until?: string;
  /** With accrediting_body: true if the accreditation has not expired. Days end at midnight UTC. */
  readonly valid?: boolean;
  /** Parameters that this metric and this accreditation match. */
  readonly met: readonly ('metric_id' | 'q' | 'accreditation' | 'accreditation_valid')[];
  /** In a search: words of q that the metric or the accrediting body contains. */
  readonly words?: readonly string[];
}[];
/** @maxItems 1000 */
export type Tools = {
  readonly name: string;
  readonly description: string;
}[];
export type PublisherDomains = readonly string[];
/** Without results: words and filter values that no agent has, each with the most similar known ones. */
export type Nearest = {
  readonly parameter: string;
  readonly value: string;
  /** @maxItems 3 */
  readonly nearest: readonly string[];
}[];
/** Compliance of one agent. Keys and their order are identical for every viewer; owner-only fields are null, false or empty for anyone else. An opted-out agent has the short form. */
export type ComplianceDetail =
  | {
      readonly agent_url: string;
      readonly status: 'passing' | 'degraded' | 'failing' | 'unknown';
      readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
      readonly requested_compliance_target: string | null;
      readonly proto_version: string | null;
      readonly compliance_opt_out: false;
      readonly tracks: {
        readonly [k: string]: string;
      };
      /** @maxItems 1000 */
      readonly track_details: readonly TrackDetail[];
      readonly streak_days: number;
      readonly last_checked_at: string | null;
      readonly last_passed_at: string | null;
      readonly last_failed_at: string | null;
      readonly status_changed_at: string | null;
      readonly headline: string | null;
      readonly storyboards_passing: number;
      /** Storyboards with at least one executed step. */
      readonly storyboards_total: number;
      /** Part of `storyboards_total`: no step failed, but a step was skipped because the agent lacks something it should offer. Counted neither as passing nor as failing. */
      readonly storyboards_incomplete: number;
      readonly check_interval_hours: number;
      /** @maxItems 1000 */
      readonly declared_specialisms: readonly string[];
      readonly specialism_status: {
        readonly [k: string]: 'pass' | 'fail' | 'untested';
      };
      /**
       * Owner only.
       *
       * @maxItems 1000
       */
      readonly storyboard_statuses: readonly StoryboardStatus[];
      /**
       * Notices of the test runner.
       *
       * @maxItems 1000
       */
      readonly notices: readonly unknown[];
      /** @maxItems 1000 */
      readonly observations: {
        readonly category: string;
        readonly severity: string;
        readonly message: string;
      }[];
      /** Owner only. */
      readonly membership_tier: string | null;
      /** Owner only. */
      readonly membership_tier_label: string | null;
      /** Owner only. */
      readonly subscription_status: string | null;
      /** Owner only. */
      readonly is_api_access_tier: boolean;
      /** Owner only. */
      readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook' | null;
      readonly verified: boolean;
      /** @maxItems 1000 */
      readonly verified_badges: readonly VerifiedBadge[];
    }
  | {
      readonly agent_url: string;
      readonly status: 'opted_out';
      readonly compliance_opt_out: true;
      readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
    };
/** Results of one agent by line of the protocol, newest first: one entry for each bundle that the agent is tested with. An opted-out agent has the short form. */
export type ComplianceLines =
  | {
      readonly agent_url: string;
      /** Versions of the protocol that the agent declares, as it wrote them: in the latest test, else at the last good probe. */
      readonly declared_versions: readonly string[];
      /** Empty before the first result. */
      readonly lines: {
        /** `major.minor`. */
        readonly line: string;
        /** Version of the bundle. */
        readonly proto_version: string;
        /** `preview`: neither the status nor a badge follows from this bundle. Owner only. */
        readonly stage: 'default' | 'preview';
        /** True for the bundle that the status of the agent follows from. */
        readonly decides: boolean;
        readonly status: 'passing' | 'degraded' | 'failing' | 'unknown';
        readonly headline: string | null;
        readonly tracks: {
          readonly [k: string]: string;
        };
        readonly storyboards_passing: number;
        /** Storyboards with at least one executed step. */
        readonly storyboards_total: number;
        /** Part of `storyboards_total`; counted neither as passing nor as failing. */
        readonly storyboards_incomplete: number;
        /** Null if the agent was not tested with this bundle yet. */
        readonly last_checked_at: string | null;
        /** Active badges of the line; empty for a bundle in preview. */
        readonly badges: {
          readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
          readonly verification_modes: readonly ('spec' | 'live')[];
          readonly verified_at: string;
          /** First failing test since the last one that passed; null while the badge is not in its grace period. */
          readonly grace_since: string | null;
        }[];
      }[];
    }
  | {
      readonly agent_url: string;
      readonly status: 'opted_out';
      readonly compliance_opt_out: true;
      readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
    };
/** Test runs of one agent, latest start first. Dry runs and partial runs are visible only to the owner. An opted-out agent has the short form. */
export type ComplianceHistory =
  | {
      readonly agent_url: string;
      /** @maxItems 100 */
      readonly runs: readonly RunSummary[];
      /** Value of `cursor` for the next page; null on the last page. */
      readonly next_cursor: string | null;
    }
  | {
      readonly agent_url: string;
      readonly status: 'opted_out';
      readonly compliance_opt_out: true;
      readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
    };
/** One test run. A requested run that is not finished has its own form, visible to the owner. Keys and their order are identical for every viewer. An opted-out agent has the short form. */
export type ComplianceRun =
  | {
      readonly agent_url: string;
      readonly state: 'finished';
      readonly run_id: string;
      readonly started_at: string;
      readonly finished_at: string;
      readonly outcome: 'complete' | 'unreachable' | 'inconclusive';
      /** Why the run is inconclusive and does not change the status. `declaration_unread`, and `auth_required` for a missing credential, end badges if they persist. Other reasons, including a missing signing key, do not affect the agent. */
      readonly inconclusive_reason: string | null;
      readonly status: 'passing' | 'degraded' | 'failing' | 'unknown';
      readonly tracks: {
        readonly [k: string]: string;
      };
      readonly headline: string | null;
      readonly storyboards_passing: number;
      /** Storyboards with at least one executed step. */
      readonly storyboards_total: number;
      /** Part of `storyboards_total`: no step failed, but a step was skipped because the agent lacks something it should offer. Counted neither as passing nor as failing. */
      readonly storyboards_incomplete: number;
      /** Declared specialisms that no storyboard of the run tested; the counts do not include them. */
      readonly specialisms_untested: number;
      readonly requested_compliance_target: string | null;
      readonly proto_version: string | null;
      /** True for a run of all storyboards with the bundle that the status of the agent followed from. False for a dry or partial run, and for a run with the bundle of another line or of a bundle in preview. */
      readonly decides: boolean;
      /** True for a run with a bundle in preview: nothing follows from it. Visible only to the owner. */
      readonly preview: boolean;
      /** True for a run recorded elsewhere and imported. */
      readonly imported: boolean;
      readonly dry_run: boolean;
      /** True if the run did not include all storyboards. */
      readonly partial: boolean;
      /** Owner only. */
      readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook' | null;
      /** Version of the verdict rules. */
      readonly algorithm_version: string;
      /** @maxItems 1000 */
      readonly track_details: readonly TrackDetail[];
      /** @maxItems 1000 */
      readonly declared_specialisms: readonly string[];
      readonly specialism_status: {
        readonly [k: string]: 'pass' | 'fail' | 'untested';
      };
      /**
       * Notices of the test runner.
       *
       * @maxItems 1000
       */
      readonly notices: readonly unknown[];
      /** @maxItems 1000 */
      readonly observations: {
        readonly category: string;
        readonly severity: string;
        readonly message: string;
      }[];
      /**
       * Storyboards of the run, by track. Empty for imported runs.
       *
       * @maxItems 1000
       */
      readonly storyboards: {
        readonly storyboard_id: string;
        readonly track: string;
        /** Null if it cannot be derived from public values; the owner finds it in storyboard_statuses. */
        readonly result: 'pass' | 'fail' | 'incomplete' | 'skipped' | null;
        /** Duration of all its steps. Null if the result is null or the duration was not stored. */
        readonly duration_ms: number | null;
        readonly title: string;
      }[];
      /**
       * Owner only.
       *
       * @maxItems 1000
       */
      readonly storyboard_statuses: readonly StoryboardStatus[];
      /** Owner only: steps, checks, and the messages of failed steps. Null for an imported run or after the retention period. */
      readonly report: {
        readonly [k: string]: unknown;
      } | null;
    }
  | AskedRun
  | {
      readonly agent_url: string;
      readonly status: 'opted_out';
      readonly compliance_opt_out: true;
      readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
    };
/** Badges of an agent and their history, newest first. Identical for every viewer. An opted-out agent has the short form. */
export type BadgeTimeline =
  | {
      readonly agent_url: string;
      /** Active badges. */
      readonly badges: readonly VerifiedBadge[];
      /** @maxItems 100 */
      readonly events: readonly BadgeEvent[];
      /** Value of `cursor` for the next page; null on the last page. */
      readonly next_cursor: string | null;
    }
  | {
      readonly agent_url: string;
      readonly status: 'opted_out';
      readonly compliance_opt_out: true;
      readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
    };
/** A bearer token for the tests of an agent. */
export type AgentConnection = AgentConnection1 & AgentConnection2;
export type AgentConnection1 = {
  readonly [k: string]: unknown;
};
/** The domain whose file to check, or the file itself. With both, the domain is the owner of the file. */
export type AdagentsQuestion = AdagentsQuestion1 & AdagentsQuestion2;
export type AdagentsQuestion1 = {
  readonly [k: string]: unknown;
};
/** The domain whose file to check, or the file itself. With both, the domain is the owner of the file. */
export type BrandQuestion = BrandQuestion1 & BrandQuestion2;
export type BrandQuestion1 = {
  readonly [k: string]: unknown;
};
/** An entry of Agentic Resource Discovery v0.91, section 4. */
export type ArdEntry = ArdEntry1 & ArdEntry2;
export type ArdEntry1 = {
  readonly [k: string]: unknown;
};

/** Agents in ascending order of URL. */
export interface AgentList {
  /** @maxItems 10000 */
  readonly agents: readonly AgentRecord[];
  /** Number of agents in this response. */
  readonly count: number;
  /** Number of agents that match the filters; only with total=true. */
  readonly total?: number;
  /** Value of `cursor` for the next page with the same filters; absent on the last page. */
  readonly next_cursor?: string;
  readonly nearest?: Nearest;
}
/** One agent. Unknown fields and groups that were not requested are absent. */
export interface AgentRecord {
  /** Canonical URL and identity of the agent. */
  readonly url: string;
  /** Declared name, or the host if there is none. */
  readonly name: string;
  readonly description?: string;
  type:
    | 'brand'
    | 'rights'
    | 'measurement'
    | 'governance'
    | 'creative'
    | 'sales'
    | 'buying'
    | 'signals'
    | 'unknown';
  /** Null before the first successful probe. */
  readonly protocol: 'mcp' | 'a2a' | null;
  /** URL that answered MCP. */
  readonly mcp_endpoint?: string;
  readonly contact?: Contact;
  readonly added_date: string;
  readonly member?: Member;
  readonly freshness: Freshness;
  readonly matched_metrics?: MatchedMetrics;
  /** True if more metrics of the agent may match. */
  readonly matched_metrics_truncated?: true;
  readonly health?: Health;
  readonly stats?: Stats;
  readonly capabilities?: Capabilities;
  readonly compliance?: ComplianceSummary;
  readonly publisher_domains?: PublisherDomains;
  /** True if the list is truncated; the counts are exact. */
  readonly publisher_domains_truncated?: true;
  readonly property_summary?: PropertySummary;
}
/** Contact of the agent; all fields are present. */
export interface Contact {
  readonly name: string;
  readonly email: string;
  readonly website: string;
}
export interface Member {
  readonly slug: string;
  readonly display_name: string;
  readonly membership_tier?: string;
  readonly membership_tier_label?: string;
  readonly is_founding_member?: boolean;
}
/** Age of the data. Times are those of probes, in UTC with milliseconds. */
export interface Freshness {
  readonly first_seen_at?: string;
  /** Last successful probe. */
  readonly last_seen_at?: string;
  readonly last_checked_at?: string;
  readonly next_check_at?: string;
  /** True if the last successful probe is older than two hours. */
  readonly stale: boolean;
}
/** Only with health=true. */
export interface Health {
  readonly online: boolean;
  readonly checked_at?: string;
  readonly response_time_ms?: number;
  readonly tools_count?: number;
  readonly resources_count?: number;
  readonly error?: string;
  /** Time at which the capabilities were last read. Present only if the latest probe could not read them and an earlier one did. */
  readonly capabilities_read_at?: string;
}
/** Only with properties=true. */
export interface Stats {
  readonly property_count: number;
  readonly publisher_count: number;
  readonly publishers: readonly string[];
  readonly creative_formats: number;
}
/** Capabilities found by the last probe that could read them. */
export interface Capabilities {
  /** Exact, even if `tools` is truncated. */
  readonly tools_count: number;
  readonly tools: Tools;
  /**
   * Versions of the protocol that the agent declares, for example `3.0` or `3.1-beta`: `supported_versions` of its capabilities in the order of the agent, then their `proto_version` or `adcp_version`. Absent if it declares none.
   *
   * @minItems 1
   * @maxItems 100
   */
  readonly supported_versions?: readonly string[];
  readonly standard_operations?: {
    readonly can_search_inventory: boolean;
    readonly can_get_availability: boolean;
    readonly can_reserve_inventory: boolean;
    readonly can_get_pricing: boolean;
    readonly can_create_order: boolean;
    readonly can_list_properties: boolean;
  };
  /** Evidence for the value of each operation. Absent if the agent was last probed by an earlier version. */
  readonly standard_operations_basis?: {
    readonly can_search_inventory: OperationBasis;
    readonly can_get_availability: OperationBasis;
    readonly can_reserve_inventory: OperationBasis;
    readonly can_get_pricing: OperationBasis;
    readonly can_create_order: OperationBasis;
    readonly can_list_properties: OperationBasis;
  };
  readonly creative_capabilities?: {
    /** @maxItems 1000 */
    readonly formats_supported: readonly string[];
    readonly can_generate: boolean;
    readonly can_validate: boolean;
    readonly can_preview: boolean;
  };
  readonly signals_capabilities?: {
    /** @maxItems 1000 */
    readonly audience_types: readonly string[];
    readonly can_match: boolean;
    readonly can_activate: boolean;
    readonly can_get_signals: boolean;
  };
  readonly measurement_capabilities?: {
    /** @maxItems 1000 */
    readonly metrics: readonly Metric[];
    /** True if the list is truncated; filters use the complete list. */
    readonly metrics_truncated?: true;
  };
}
/** Evidence for the value of one operation. */
export interface OperationBasis {
  /** `tool`: the agent offers the tool. `implied`: it offers a tool whose response may contain it. `declared`: its capabilities state it. `none`: no evidence. */
  readonly basis: 'tool' | 'implied' | 'declared' | 'none';
  /** Tool, specialism or field of the capabilities. */
  readonly from?: string;
}
/** One metric that a measurement agent reports. Accreditations are claims of the vendor; the registry never verifies them. */
export interface Metric {
  /** Metric id of the vendor; matched by metric_id and q. */
  readonly metric_id: string;
  /** Public standard that the metric follows. */
  readonly standard_reference?: string;
  /** @maxItems 1000 */
  readonly accreditations: {
    /** Matched by the filter `accreditation`. */
    readonly accrediting_body: string;
    readonly certification_id?: string;
    /** Last day of validity, declared by the vendor. */
    readonly valid_until?: string;
    readonly evidence_url?: string;
    /** Always false: self-declared by the vendor, not verified by the registry. */
    readonly verified_by_operator: false;
    /** Alias of verified_by_operator, for existing client libraries. */
    readonly verified_by_aao: false;
  }[];
  readonly unit?: string;
  readonly description?: string;
  readonly methodology_url?: string;
  readonly methodology_version?: string;
}
/** Compliance in an agent record. An agent that was never tested has the status `unknown`. An opted-out agent does not have this group in lists. */
export interface ComplianceSummary {
  readonly status: 'passing' | 'degraded' | 'failing' | 'unknown';
  readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
  readonly tracks: {
    readonly [k: string]: string;
  };
  readonly streak_days: number;
  readonly last_checked_at: string | null;
  readonly headline: string | null;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  /** @maxItems 1000 */
  readonly track_details: readonly TrackDetail[];
  readonly monitoring_paused: boolean;
  readonly check_interval_hours: number;
  /** True if the agent has an active badge. */
  readonly verified: boolean;
  /** @maxItems 1000 */
  readonly verified_roles: readonly string[];
}
/** Result of one track of a test run. */
export interface TrackDetail {
  readonly track: string;
  readonly status: string;
  readonly scenario_count: number;
  readonly passed_count: number;
  readonly duration_ms: number;
  /** True if a step was skipped because the agent lacks something it should offer, for example a test controller. */
  readonly has_coverage_gap_skip: boolean;
}
export interface PropertySummary {
  readonly total_count: number;
  readonly count_by_type: {
    readonly [k: string]: number;
  };
  /** @maxItems 1000 */
  readonly tags: readonly string[];
  readonly publisher_count: number;
}
/** One agent with all groups of its record, its badges, and the sources of each value. At most 256 KiB. */
export interface AgentInFull {
  /** Canonical URL and identity of the agent. */
  readonly url: string;
  /** Declared name, or the host if there is none. */
  readonly name: string;
  readonly description?: string;
  type:
    | 'brand'
    | 'rights'
    | 'measurement'
    | 'governance'
    | 'creative'
    | 'sales'
    | 'buying'
    | 'signals'
    | 'unknown';
  /** Null before the first successful probe. */
  readonly protocol: 'mcp' | 'a2a' | null;
  /** URL that answered MCP. */
  readonly mcp_endpoint?: string;
  readonly contact?: Contact;
  readonly added_date: string;
  readonly member?: Member;
  readonly freshness: Freshness;
  readonly health?: Health;
  readonly stats?: Stats;
  readonly capabilities?: Capabilities;
  readonly compliance?: ComplianceSummary;
  readonly publisher_domains?: PublisherDomains;
  /** True if the list is truncated; the counts are exact. */
  readonly publisher_domains_truncated?: true;
  readonly property_summary?: PropertySummary;
  /** False if no file declares the agent any more, so it is no longer listed. */
  readonly listed: boolean;
  readonly verified_badges: readonly VerifiedBadge[];
  readonly provenance: {
    readonly identity: {
      readonly name: {
        /** Source of the value: a registration by a member, an authoritative brand.json, or the agent itself. */
        readonly by: 'registration' | 'brand' | 'inference';
        /** Domain of the brand.json. */
        readonly domain?: string;
      };
      readonly type: {
        /** Source of the value: a registration by a member, an authoritative brand.json, or the agent itself. */
        readonly by: 'registration' | 'brand' | 'inference';
        /** Domain of the brand.json. */
        readonly domain?: string;
      };
    };
    /** Probe that protocol, health, capabilities and inferred values come from. */
    readonly probe: {
      /** Where the agent was first found. */
      readonly found_via?: string;
      readonly protocol?: 'mcp' | 'a2a';
      readonly endpoint?: string;
      readonly what: 'adagents' | 'ard' | 'brand' | 'agent';
      /** fresh: recently read. stale: the last good version is old but still in use. absent: the file does not exist. unread: visited, but never read successfully. unseen: never visited. */
      readonly state: 'fresh' | 'stale' | 'absent' | 'unread' | 'unseen';
      /** Last successful visit. */
      readonly last_good_at: string | null;
      /** Last visit; null before the first. */
      readonly last_tried_at: string | null;
      /** Outcome of the last visit. */
      outcome:
        | 'indexed'
        | 'unchanged'
        | 'invalid'
        | 'absent'
        | 'unreachable'
        | 'refused'
        | 'throttled'
        | 'failed'
        | null;
      /** Error code of the last visit; null if it succeeded. */
      readonly why: string | null;
      /** Time of the next scheduled visit. */
      readonly next_at: string | null;
      /** Time of the probe that read the capabilities. */
      readonly read_at: string | null;
    };
    /**
     * Files that declare the agent.
     *
     * @maxItems 10
     */
    readonly declared_by: {
      /** Domain of the file. */
      readonly domain: string;
      readonly file: 'adagents' | 'ard' | 'brand';
      /** URL that was read; absent if the domain has no file in use. */
      readonly url?: string;
      /** Line of the entry in the file; absent if the file is too long or not stored. */
      readonly line?: number;
      /** JSON Pointer (RFC 6901) of the entry. */
      readonly entry: string;
      readonly what: 'adagents' | 'ard' | 'brand' | 'agent';
      /** fresh: recently read. stale: the last good version is old but still in use. absent: the file does not exist. unread: visited, but never read successfully. unseen: never visited. */
      readonly state: 'fresh' | 'stale' | 'absent' | 'unread' | 'unseen';
      /** Last successful visit. */
      readonly last_good_at: string | null;
      /** Last visit; null before the first. */
      readonly last_tried_at: string | null;
      /** Outcome of the last visit. */
      outcome:
        | 'indexed'
        | 'unchanged'
        | 'invalid'
        | 'absent'
        | 'unreachable'
        | 'refused'
        | 'throttled'
        | 'failed'
        | null;
      /** Error code of the last visit; null if it succeeded. */
      readonly why: string | null;
      /** Time of the next scheduled visit. */
      readonly next_at: string | null;
      /** Time at which the registry first saw it. */
      readonly since: string | null;
      /** Agent type declared in the file. */
      readonly type?: string;
      readonly name?: string;
      /** True if authoritative. False for a claim, which does not change the record. */
      readonly has_authority: boolean;
    }[];
    /**
     * Entries that authorise the agent, sorted by domain. `GET /v1/agents/{encodedUrl}/publishers` returns all of them.
     *
     * @maxItems 10
     */
    readonly authorized_by: {
      /** Domain of the file. */
      readonly domain: string;
      readonly file: 'adagents' | 'ard' | 'brand';
      /** URL that was read; absent if the domain has no file in use. */
      readonly url?: string;
      /** Line of the entry in the file; absent if the file is too long or not stored. */
      readonly line?: number;
      /** JSON Pointer (RFC 6901) of the entry. */
      readonly entry: string;
      readonly what: 'adagents' | 'ard' | 'brand' | 'agent';
      /** fresh: recently read. stale: the last good version is old but still in use. absent: the file does not exist. unread: visited, but never read successfully. unseen: never visited. */
      readonly state: 'fresh' | 'stale' | 'absent' | 'unread' | 'unseen';
      /** Last successful visit. */
      readonly last_good_at: string | null;
      /** Last visit; null before the first. */
      readonly last_tried_at: string | null;
      /** Outcome of the last visit. */
      outcome:
        | 'indexed'
        | 'unchanged'
        | 'invalid'
        | 'absent'
        | 'unreachable'
        | 'refused'
        | 'throttled'
        | 'failed'
        | null;
      /** Error code of the last visit; null if it succeeded. */
      readonly why: string | null;
      /** Time of the next scheduled visit. */
      readonly next_at: string | null;
      /** Time at which the registry first saw it. */
      readonly since: string | null;
      readonly scope: string;
      readonly via: 'own' | 'reference' | 'manager';
      readonly authorized_for?: string;
    }[];
    /** Number of publishers that authorise the agent. */
    readonly authorized_by_total: number;
    /** Differences between declarations about the agent and what the probe found. */
    readonly findings: {
      readonly severity: 'error' | 'warning';
      readonly code: string;
      readonly pointer?: string;
      readonly message: string;
      readonly hint?: string;
    }[];
    /** Test run that the compliance status comes from; null if there is none. */
    readonly run: null | {
      readonly id: string;
      readonly last_good_at: string;
    };
  };
}
/** An active badge. */
export interface VerifiedBadge {
  readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
  readonly proto_version: string;
  readonly verified_at: string;
  readonly verified_specialisms: readonly string[];
  readonly verification_modes: readonly ('spec' | 'live')[];
  readonly verified_protocol_version: string;
  readonly badge_url: string;
}
/** Agents that match a search, sorted by relevance. */
export interface AgentSearch {
  /** @maxItems 200 */
  readonly results: {
    readonly url: string;
    /** Same as `url`. */
    readonly agent_url: string;
    readonly name: string;
    readonly type: string;
    readonly protocol: string | null;
    /** First 500 characters of the description. */
    readonly description?: string;
    readonly channels: readonly string[];
    readonly property_types: readonly string[];
    readonly markets: readonly string[];
    readonly categories: readonly string[];
    readonly tags: readonly string[];
    readonly delivery_types: readonly string[];
    readonly format_kinds: readonly string[];
    readonly specialisms: readonly string[];
    /** Tasks and specialisms of the agent. */
    readonly capabilities: readonly string[];
    readonly property_count: number;
    readonly publisher_count: number;
    /** True if the agent supports trusted match. */
    readonly has_tmp: boolean;
    /** Taxonomy of the categories. */
    readonly category_taxonomy: string | null;
    /** Same as `match.score`. */
    readonly relevance_score: number;
    /** Parameters that the agent matches. */
    readonly matched_filters: readonly string[];
    /** Time of the last successful probe, or when the agent was first seen. */
    readonly updated_at: string;
    readonly matched_metrics?: MatchedMetrics;
    /** True if more metrics of the agent may match. */
    readonly matched_metrics_truncated?: true;
    readonly compliance_summary: {
      /** Status of the latest verdict, as in the feed. */
      readonly status: string;
    };
    /** Same as the fields of the result. */
    readonly inventory_profile: {
      readonly channels: readonly string[];
      readonly property_types: readonly string[];
      readonly markets: readonly string[];
      readonly categories: readonly string[];
      readonly tags: readonly string[];
      readonly delivery_types: readonly string[];
      readonly format_kinds: readonly string[];
      readonly specialisms: readonly string[];
      /** Tasks and specialisms of the agent. */
      readonly capabilities: readonly string[];
      readonly property_count: number;
      readonly publisher_count: number;
      /** True if the agent supports trusted match. */
      readonly has_tmp: boolean;
      /** Taxonomy of the categories. */
      readonly category_taxonomy: string | null;
    };
    readonly match: {
      /** Relevance multiplied by all factors. Comparable only within one search and one index. */
      readonly score: number;
      readonly matched_filters: readonly string[];
      /** Text relevance as the index computes it: BM25 of the words, weighted by the field that contains them. It is above 0 and has no maximum; 1 without words. The embedded index and OpenSearch have different scales. */
      readonly relevance: number;
      readonly factors: {
        readonly verification: number;
        readonly status: number;
        readonly health: number;
        readonly freshness: number;
      };
      /** Up to 5 texts that contain the words. */
      readonly highlights: {
        readonly field: string;
        readonly text: string;
        /** Start and end, in UTF-16 code units. */
        readonly ranges: readonly number[][];
      }[];
    };
  }[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly cursor: string | null;
  readonly has_more: boolean;
  readonly total: {
    readonly count: number;
    /** False if counting stopped before the end. */
    readonly exact: boolean;
  };
  /** For each unknown word: the known words that were searched instead. */
  readonly corrected?: {
    readonly [k: string]: readonly string[];
  };
  readonly nearest?: Nearest;
  /** Without results because of the filters: number of agents that match the words alone. */
  readonly without_filters?: {
    readonly count: number;
    /** False if counting stopped before the end. */
    readonly exact: boolean;
  };
  /** Present when no agent has all the words: the words that the results have, and how many agents have them under the same filters. */
  readonly without_words?: {
    /** The words of the results, as they were typed. */
    readonly q: string;
    readonly count: number;
    /** False: there are more, and counting stopped. */
    readonly exact: boolean;
  };
  /**
   * Present when no agent has all the words: the words that were ignored, as they were typed.
   *
   * @minItems 1
   * @maxItems 12
   */
  readonly ignored_words?: readonly string[];
  /** For each parameter: its most frequent values, at most 20, with the number of agents. */
  readonly facets?: {
    readonly [k: string]: {
      readonly value: string;
      readonly count: number;
    }[];
  };
  /** Number of agents that the facets were counted on; less than the total if counting stopped. */
  readonly facets_counted?: number;
  /** Whether the facets have the exact counts of all agents found. If false, the counts are estimates: they are of the first facets_counted agents, or of an OpenSearch index with several shards. */
  readonly facets_exact?: boolean;
}
/** Result of the last successful probe of an agent. At most 256 KiB. */
export interface DiscoveredAgent {
  /** Canonical URL and identity of the agent. */
  readonly agent_url: string;
  /** Declared name, or the host if there is none. */
  readonly name: string;
  readonly description?: string;
  /**
   * Protocol over which the agent was read.
   *
   * @maxItems 1
   */
  readonly protocols: readonly ('mcp' | 'a2a')[];
  type:
    | 'brand'
    | 'rights'
    | 'measurement'
    | 'governance'
    | 'creative'
    | 'sales'
    | 'buying'
    | 'signals'
    | 'unknown';
  /** Exact, even if `tools` is truncated. */
  readonly tools_count: number;
  readonly tools: Tools;
  readonly stats: {
    readonly format_count: number;
    readonly publisher_count: number;
  };
  readonly freshness: Freshness;
}
/** Creative formats from the last successful probe of an agent. At most 256 KiB. */
export interface AgentFormats {
  readonly success: true;
  /** Canonical URL and identity of the agent. */
  readonly agent_url: string;
  /** @maxItems 1000 */
  readonly formats: {
    /** Format id as given by the agent. The agent that defines the format is not stored. */
    readonly format_id: {
      readonly id: string;
    };
  }[];
  /** Exact, even if `formats` is truncated. */
  readonly format_count: number;
  readonly formats_truncated?: true;
  readonly freshness: Freshness;
}
/** Response of an agent to a request for its products. At most 256 KiB. */
export interface AgentProducts {
  readonly success: true;
  /** Canonical URL and identity of the agent. */
  readonly agent_url: string;
  /**
   * @maxItems 1000
   *
   * Items: Product as sent by the agent.
   */
  readonly products: {
    readonly [k: string]: unknown;
  }[];
  /** Exact, even if `products` is truncated. */
  readonly product_count: number;
  readonly products_truncated?: true;
  /** Time of the request to the agent; up to a minute ago. */
  readonly asked_at: string;
}
/** Health of an agent in the last days, from scheduled probes. */
export interface AgentHealthHistory {
  readonly agent_url: string;
  /** Start of the first day, midnight UTC. */
  readonly from: string;
  /** Time of the request. */
  readonly until: string;
  /** Share of time online, within the time for which the state is known; null if nothing is known. */
  readonly uptime: number | null;
  /** Latency of successful probes; null if none succeeded. */
  readonly latency_ms: {
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
  } | null;
  /** Number of scheduled probes. */
  readonly probes: number;
  readonly answered: number;
  /**
   * Oldest first; the last one is today.
   *
   * @maxItems 90
   */
  readonly days: {
    readonly date: string;
    /** Share of time online, within the time for which the state is known; null if nothing is known. */
    readonly uptime: number | null;
    /** Latency of successful probes; null if none succeeded. */
    readonly latency_ms: {
      readonly p50: number;
      readonly p95: number;
      readonly p99: number;
    } | null;
    /** Number of scheduled probes. */
    readonly probes: number;
    readonly answered: number;
  }[];
  /**
   * Present for requests of one or two days.
   *
   * @maxItems 48
   */
  readonly hours?: {
    readonly from: string;
    /** Share of time online, within the time for which the state is known; null if nothing is known. */
    readonly uptime: number | null;
    /** Latency of successful probes; null if none succeeded. */
    readonly latency_ms: {
      readonly p50: number;
      readonly p95: number;
      readonly p99: number;
    } | null;
    /** Number of scheduled probes. */
    readonly probes: number;
    readonly answered: number;
  }[];
  /**
   * Periods of consecutive failed probes, newest first.
   *
   * @maxItems 100
   */
  readonly incidents: {
    /** Time of the first failed probe. */
    readonly from: string;
    /** Time of the next successful probe; null if the incident is ongoing. */
    readonly until: string | null;
    /** Time of the last successful probe before it; null if outside the requested days. */
    readonly last_good_at: string | null;
    /** Error class of the last failed probe. */
    readonly why: string | null;
    /** Description of the error. */
    readonly message: string | null;
    readonly failed_probes: number;
  }[];
  /** True if older incidents are omitted. */
  readonly incidents_truncated?: true;
  /** True if older probes are omitted because of their number. */
  readonly probes_truncated?: true;
}
/** Latest result of one storyboard. Owner only. */
export interface StoryboardStatus {
  readonly storyboard_id: string;
  readonly category: string;
  readonly track: string;
  /** `incomplete`: no step failed, but a step was skipped because the agent lacks something it should offer. Absent in imported runs and before algorithm version 4. */
  readonly result?: 'pass' | 'fail' | 'incomplete' | 'skipped';
  readonly steps_passed: number;
  /** Number of executed steps. */
  readonly steps_total: number;
  /** Number of steps that did not apply or could not run. Absent in imported runs. */
  readonly steps_skipped?: number;
  /** Duration of all its steps. Absent in imported runs. */
  readonly duration_ms?: number;
  readonly last_tested_at: string | null;
  readonly last_passed_at: string | null;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  readonly title: string;
}
/** One test run in the history of an agent. The keys are identical for every viewer. */
export interface RunSummary {
  readonly run_id: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly outcome: 'complete' | 'unreachable' | 'inconclusive';
  /** Why the run is inconclusive and does not change the status. `declaration_unread`, and `auth_required` for a missing credential, end badges if they persist. Other reasons, including a missing signing key, do not affect the agent. */
  readonly inconclusive_reason: string | null;
  readonly status: 'passing' | 'degraded' | 'failing' | 'unknown';
  readonly tracks: {
    readonly [k: string]: string;
  };
  readonly headline: string | null;
  readonly storyboards_passing: number;
  /** Storyboards with at least one executed step. */
  readonly storyboards_total: number;
  /** Part of `storyboards_total`: no step failed, but a step was skipped because the agent lacks something it should offer. Counted neither as passing nor as failing. */
  readonly storyboards_incomplete: number;
  /** Declared specialisms that no storyboard of the run tested; the counts do not include them. */
  readonly specialisms_untested: number;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  /** True for a run of all storyboards with the bundle that the status of the agent followed from. False for a dry or partial run, and for a run with the bundle of another line or of a bundle in preview. */
  readonly decides: boolean;
  /** True for a run with a bundle in preview: nothing follows from it. Visible only to the owner. */
  readonly preview: boolean;
  /** True for a run recorded elsewhere and imported. */
  readonly imported: boolean;
  readonly dry_run: boolean;
  /** True if the run did not include all storyboards. */
  readonly partial: boolean;
  /** Owner only. */
  readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook' | null;
}
/** A requested test run that is not finished. Visible only to its requester and the owner of the agent. */
export interface AskedRun {
  readonly agent_url: string;
  /** Id of the run. */
  readonly run_id: string;
  /** `running` when a worker has started the test. */
  readonly state: 'queued' | 'running';
  readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook';
  readonly asked_at: string;
  /** The only storyboard of the run; absent if it runs all. */
  readonly storyboard_id?: string;
  /** The version or label that was requested; absent if none was. */
  readonly compliance_target?: string;
  /** Progress of a running test, up to a second old. */
  readonly so_far?: {
    /** Number of selected storyboards. */
    readonly storyboards: number;
    /** Number of steps of all selected storyboards. */
    readonly steps: number;
    readonly begun: {
      readonly id: string;
      /** Absent while the storyboard is running. */
      readonly result?: 'pass' | 'fail' | 'incomplete' | 'skipped';
      readonly steps: {
        readonly result: 'pass' | 'fail' | 'skipped';
        readonly duration_ms: number;
        readonly title: string;
      }[];
      readonly title: string;
    }[];
  };
}
/** A change of a badge, with its reason. */
export interface BadgeEvent {
  readonly at: string;
  /** grace: a run failed and the grace period started. changed: specialisms or axes changed. */
  readonly kind: 'earned' | 'grace' | 'recovered' | 'changed' | 'revoked';
  readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
  /** Protocol line, `major.minor`. */
  readonly line: string;
  /** Reason in one sentence. */
  readonly reason: string;
  /** Run that caused the change; null if it was caused by the owner, the membership or the passing of time. */
  readonly run_id: string | null;
}
/** A requested run of one storyboard, with additional fields for existing client libraries. */
export interface AskedStoryboardRun {
  readonly agent_url: string;
  /** Id of the run. */
  readonly run_id: string;
  /** `running` when a worker has started the test. */
  readonly state: 'queued' | 'running';
  readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook';
  readonly asked_at: string;
  /** The only storyboard of the run; absent if it runs all. */
  readonly storyboard_id: string;
  readonly storyboard: {
    readonly id: string;
    readonly category: string;
    readonly title: string;
  };
  readonly agent: {
    readonly url: string;
  };
}
/** Requests a test run now. The body is optional with an API key, and required for a signed request. */
export interface RunRequest {
  /** Agent URL, equal to the one in the path. */
  readonly agent_url?: string;
  /** Version or label of the storyboards for this run, such as `3.1` or `stable`. Absent: the target in the settings of the agent, or else the versions that the agent declares. */
  readonly compliance_target?: string;
}
/** Test settings of an agent, chosen by its owner. */
export interface AgentSettings {
  readonly agent_url: string;
  /** Proven owner; null only for an operator and an agent without owner. */
  readonly member: string | null;
  /** Time at which the owner proved control of the domain. */
  readonly proven_at: string | null;
  /** Deadline to prove control again, because the proof is older than 180 days; ownership ends at this time otherwise. Absent if no new proof is required. */
  readonly prove_again_by?: string;
  /** True if the agent is opted out: it is not tested, and earlier results are hidden. */
  readonly compliance_opt_out: boolean;
  /** True if scheduled tests are paused. Earlier results stay visible. */
  readonly monitoring_paused: boolean;
  readonly check_interval_hours: number;
  readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
  /** Version or label of the storyboards that the agent is tested with, such as `3.1` or `stable`. Null: chosen by the versions that the agent declares. */
  readonly compliance_target: string | null;
  /** The buyer as whom this agent is tested, in place of the registry's own. Null: the registry's own. Visible to the owner only. */
  readonly test_setup: {
    /** Domain of the operator. */
    readonly operator?: string;
    readonly brand?: {
      readonly domain: string;
    };
    readonly account?: {
      /** Id of the account at this agent. */
      readonly account_id: string;
    };
  } | null;
  /** Next scheduled test; a past time means that it is due. Null if no test is scheduled. */
  readonly next_run_at: string | null;
}
/** Audit log of an agent, newest first. For its proven owner. */
export interface AgentAudit {
  readonly agent_url: string;
  /** @maxItems 100 */
  readonly records: {
    readonly at: string;
    /** `operator`, the id of an API key, or `signature:` and the id of the key that signed the request. */
    readonly actor: string;
    /** For example `agent.settings`. */
    readonly action: string;
    /** Changed values, if recorded. */
    readonly changes: {
      readonly [k: string]: unknown;
    };
  }[];
  /** Value of `cursor` for the next page; null on the last page. */
  readonly next_cursor: string | null;
}
/** Settings to change; other settings stay as they are. */
export interface AgentSettingsChange {
  readonly compliance_opt_out?: boolean;
  readonly monitoring_paused?: boolean;
  readonly check_interval_hours?: number;
  readonly lifecycle_stage?: 'development' | 'testing' | 'production' | 'deprecated';
  /** Version or label of the storyboards to test the agent with, such as `3.1`, `3.0.26` or `stable`. Null clears it. */
  readonly compliance_target?: string | null;
  /** The buyer as whom this agent is tested, in place of the registry's own. Fields that are not sent keep their value; null clears a field, or the whole setup. */
  readonly test_setup?: {
    /** Domain of the operator. */
    readonly operator?: string | null;
    readonly brand?: {
      readonly domain: string;
    } | null;
    readonly account?: {
      /** Id of a test account at this agent. */
      readonly account_id: string;
    } | null;
  } | null;
}
/** Statement of the owner, shown next to the test results. */
export interface OwnerStatement {
  readonly agent_url: string;
  /** Null without a statement, and for an opted-out agent. */
  readonly statement: null | {
    /** Plain text by the owner; escape it before displaying it. */
    readonly text: string;
    readonly said_at: string;
  };
}
/** A new agent of a member, and its description. */
export interface AskedAgent {
  /** URL that clients call. */
  readonly url: string;
  type?:
    'brand' | 'rights' | 'measurement' | 'governance' | 'creative' | 'sales' | 'buying' | 'signals' | null;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly contact?: {
    readonly name?: string;
    readonly email?: string;
    readonly website?: string;
  } | null;
}
/** New description of an agent by its member; null removes a value. */
export interface DescribedAgent {
  type?:
    'brand' | 'rights' | 'measurement' | 'governance' | 'creative' | 'sales' | 'buying' | 'signals' | null;
  readonly name?: string | null;
  readonly description?: string | null;
  readonly contact?: {
    readonly name?: string;
    readonly email?: string;
    readonly website?: string;
  } | null;
}
/** An agent of a member: registered, or pending until verified. */
export interface OwnAgent {
  readonly url: string;
  /** private: the agent is not listed yet, because it is pending or was just added. */
  readonly visibility: 'public' | 'private';
  /** Public value; before the agent is listed, the value that you gave. */
  type:
    | 'brand'
    | 'rights'
    | 'measurement'
    | 'governance'
    | 'creative'
    | 'sales'
    | 'buying'
    | 'signals'
    | 'unknown';
  /** Public value; before the agent is listed, the value that you gave. */
  readonly name?: string;
  /** Value that you gave. */
  readonly description?: string;
  /** Value that you gave. */
  readonly contact?: {
    readonly name?: string;
    readonly email?: string;
    readonly website?: string;
  };
  /** True if you have proven control of its domain; settings, tests and evidence are available to you. */
  readonly proven: boolean;
  /** True while ownership is not proven. The agent is not listed until then. */
  readonly pending: boolean;
  /** True if the proof must be renewed; otherwise ownership ends. */
  readonly proof_asked_again: boolean;
}
/** What to publish to prove ownership of an agent, and where. */
export interface ProofChallenge {
  readonly url: string;
  /** Complete text to publish. Not secret. */
  readonly token: string;
  readonly expires_at: string;
  /** URL of the file that must contain the text as a line. */
  readonly file_url: string;
  /** Alternative: name of a TXT record with the text; null for an agent at an IP address. */
  readonly dns_name: string | null;
}
/** Places where the registry looked for the proof, and what it found. */
export interface ProofSearch {
  readonly url: string;
  /** True if ownership is proven. */
  readonly proven: boolean;
  readonly via: 'file' | 'dns' | null;
  readonly looked: {
    readonly way: 'file' | 'dns';
    readonly where: string;
    readonly seen: string;
  }[];
}
/** Lab report of an agent, without proof of ownership. */
export interface LabReport {
  /** Anyone with this id can read the report, for 90 days. */
  readonly id: string;
  /** Canonical URL. */
  readonly agent_url: string;
  /** URL that was called, as registered or declared; absent if it equals `agent_url`. */
  readonly dialled_url?: string;
  readonly status: 'running' | 'completed' | 'lost';
  readonly asked_at: string;
  /** Path of the page of this report. */
  readonly report_path: string;
  readonly grade?: 'A' | 'B' | 'C' | 'D' | 'F';
  readonly points?: number;
  readonly out_of?: number;
  /** Name given by the agent. */
  readonly name?: string;
  /** Protocols that it answers. */
  readonly protocols?: readonly ('mcp' | 'a2a')[];
  readonly checks?: {
    readonly id: string;
    readonly result: 'passed' | 'partly' | 'failed' | 'skipped';
    readonly points: number;
    /** 0 if not graded. */
    readonly out_of: number;
    /** Observation. */
    readonly reason: string;
    /** Recommended action. */
    readonly hint?: string;
    readonly title: string;
  }[];
  readonly steps?: {
    readonly step: string;
    readonly url: string;
    readonly ok: boolean;
    readonly duration_ms: number;
    readonly detail?: string;
  }[];
  readonly duration_ms?: number;
}
/** An API key of a member, without its secret. */
export interface ApiKey {
  /** Id; also the beginning of the key. */
  readonly id: string;
  /** Slug of the member. */
  readonly member: string;
  readonly label: string | null;
  /** Scopes of the key. */
  readonly scopes: readonly ('read' | 'agents' | 'settings' | 'credentials' | 'runs' | 'keys')[];
  readonly created_at: string;
  /** Day of the last use; null if never used. */
  readonly last_used_at: string | null;
  /** Expiry time; null if the key does not expire. */
  readonly expires_at: string | null;
  /** Id of the key that created it; revoking that key revokes this one. Null if it was created by the operator, an invitation or a proof. */
  readonly made_by: string | null;
  /** Id of the key that replaces it. */
  readonly renewed_by: string | null;
  /** Null if not revoked. */
  readonly revoked_at: string | null;
}
/** The API keys of a member. */
export interface ApiKeyList {
  readonly keys: readonly ApiKey[];
  readonly count: number;
}
/** Properties of a new API key. */
export interface NewApiKey {
  /** Label of one line, to recognise the key. */
  readonly label?: string;
  /**
   * Scopes of the key. Default: all scopes of the creating key.
   *
   * @minItems 1
   */
  readonly scopes?: readonly ('read' | 'agents' | 'settings' | 'credentials' | 'runs' | 'keys')[];
  /** Lifetime in days. The key expires with the creating key at the latest. Default: it expires with the creating key. */
  readonly days?: number;
}
/** A new API key with its secret, shown only once. */
export interface MadeApiKey {
  /** The complete key. Store it now: the registry keeps only its hash. */
  readonly key: string;
  /** Id; also the beginning of the key. */
  readonly id: string;
  /** Slug of the member. */
  readonly member: string;
  readonly label: string | null;
  /** Scopes of the key. */
  readonly scopes: readonly ('read' | 'agents' | 'settings' | 'credentials' | 'runs' | 'keys')[];
  readonly created_at: string;
  /** Day of the last use; null if never used. */
  readonly last_used_at: string | null;
  /** Expiry time; null if the key does not expire. */
  readonly expires_at: string | null;
  /** Id of the key that created it; revoking that key revokes this one. Null if it was created by the operator, an invitation or a proof. */
  readonly made_by: string | null;
  /** Id of the key that replaces it. */
  readonly renewed_by: string | null;
  /** Null if not revoked. */
  readonly revoked_at: string | null;
}
/** A revoked API key, and the keys revoked with it. */
export interface RevokedApiKey {
  /** Id; also the beginning of the key. */
  readonly id: string;
  /** Slug of the member. */
  readonly member: string;
  readonly label: string | null;
  /** Scopes of the key. */
  readonly scopes: readonly ('read' | 'agents' | 'settings' | 'credentials' | 'runs' | 'keys')[];
  readonly created_at: string;
  /** Day of the last use; null if never used. */
  readonly last_used_at: string | null;
  /** Expiry time; null if the key does not expire. */
  readonly expires_at: string | null;
  /** Id of the key that created it; revoking that key revokes this one. Null if it was created by the operator, an invitation or a proof. */
  readonly made_by: string | null;
  /** Id of the key that replaces it. */
  readonly renewed_by: string | null;
  /** Null if not revoked. */
  readonly revoked_at: string | null;
  /** Ids of the keys created by it, directly or indirectly, which were revoked with it; oldest first. */
  readonly also_revoked: readonly string[];
}
/** An invitation, and the names of the new member. */
export interface JoinRequest {
  /** Secret of the invitation link. */
  readonly invitation: string;
  /** Stable and lower case. `joined-` is prepended if missing. Omit it if joining an existing organisation. */
  readonly slug?: string;
  /** Public display name. */
  readonly display_name?: string;
}
/** Domain to join with. */
export interface DomainToJoinBy {
  /** Registrable domain, without a host name. */
  readonly domain: string;
}
/** An invitation that is valid while its text is published at the domain. */
export interface DomainInvitation {
  /** Secret invitation code, needed to join. */
  readonly invitation: string;
  readonly domain: string;
  /** Complete text to publish. Not secret. */
  readonly token: string;
  readonly expires_at: string;
  /** URL of the file that must contain the text as a line. */
  readonly file_url: string;
  /** Alternative: name of a TXT record with the text. */
  readonly dns_name: string | null;
}
/** Your member. */
export interface OwnMember {
  readonly slug: string;
  /** Id of a member that joined; null if imported by the operator. */
  readonly id: string | null;
  readonly display_name: string;
  /** Used for agents of the member without their own contact. */
  readonly contact: {
    readonly name?: string;
    readonly email?: string;
    readonly website?: string;
  } | null;
  /** Set by the operator. */
  readonly membership_tier?: string;
  readonly membership_tier_label?: string;
}
/** New values of a member; null removes the contact. */
export interface OwnMemberChange {
  /** Public display name. */
  readonly display_name?: string;
  readonly contact?: {
    readonly name?: string;
    readonly email?: string;
    readonly website?: string;
  } | null;
}
/** A subscription of a member to feed notifications. Its receiver must confirm before notifications are sent. */
export interface Subscription {
  readonly id: string;
  /** URL that receives notifications. */
  readonly url: string;
  /** Event types that trigger a notification, in the format of `types` of the feed. */
  readonly types: string;
  /** `pending`: the receiver has not confirmed yet. `active`: notifications are sent. `dead`: stopped after repeated failures, see `last_error`; revive it when the receiver works again. */
  readonly state: 'pending' | 'active' | 'dead';
  /** Changes before it have been notified: read the feed from here. */
  readonly cursor: string;
  /** Attempts of the pending verification or notification. */
  readonly attempts: number;
  /** Error of the last attempt. */
  readonly last_error: string | null;
  /** Time of the first change that has not been notified. */
  readonly first_change_at: string | null;
  readonly next_try_at: string | null;
  /** Time at which the receiver confirmed by returning the challenge. */
  readonly verified_at: string | null;
  readonly last_told_at: string | null;
  /** Time at which it was stopped. */
  readonly dead_at: string | null;
  readonly created_at: string;
}
/** The subscriptions of a member. */
export interface SubscriptionList {
  readonly subscriptions: readonly Subscription[];
  readonly count: number;
}
/** Receiver of a subscription, and the events to send. */
export interface NewSubscription {
  /** Public https URL on port 443. The receiver confirms the subscription by returning the challenge of the verification. Redirects are not followed. */
  readonly url: string;
  /** Event types that trigger a notification, in the format of `types` of the feed. Default: all. */
  readonly types?: string;
}
/** State of the test credential of an agent. The credential itself is never returned. */
export interface TestCredential {
  readonly agent_url: string;
  readonly stored: boolean;
  /** Null if none is stored. */
  readonly set_at: string | null;
  /** A token, or an OAuth client that requests one. Null if none is stored. */
  readonly kind: 'bearer' | 'oauth_client_credentials' | null;
  /** Deadline to prove control again, because the proof is older than 180 days; the credential is deleted at this time otherwise. Absent if no new proof is required. */
  readonly prove_again_by?: string;
  /** Why tests do not use the stored credential; absent if they do, or if none is stored. */
  readonly unused_reason?: 'not_https';
}
/** Bearer token that tests send to the agent. */
export interface TestCredentialChange {
  /** Token without the word Bearer. */
  readonly token: string;
}
/** Domains with an adagents.json in use. */
export interface PublisherList {
  readonly publishers: {
    readonly domain: string;
    /** Number of agents authorised for at least one of its properties. */
    readonly agent_count: number;
    /** Last visit that could read the file. */
    readonly last_validated?: string;
    readonly has_valid_adagents: boolean;
  }[];
  /** Number of publishers in this response. */
  readonly count: number;
  /** Value of `cursor` for the next page; absent on the last page. */
  readonly next_cursor?: string;
}
/** Agents that a publisher currently authorises. */
export interface DomainLookup {
  readonly domain: string;
  readonly authorized_agents: {
    readonly url: string;
    readonly authorized_for?: string;
    readonly member?: {
      readonly slug: string;
      readonly display_name: string;
      readonly membership_tier?: string;
      readonly membership_tier_label?: string;
      readonly is_founding_member?: boolean;
    };
  }[];
  /** True if the list is incomplete because of the size limit. */
  readonly authorized_agents_truncated?: true;
  /**
   * Always empty: claims of agents are not stored by domain.
   *
   * @maxItems 0
   */
  readonly sales_agents_claiming: readonly unknown[];
  readonly visit: VisitState;
}
/** State of the stored data of a file or an agent. */
export interface VisitState {
  readonly what: 'adagents' | 'ard' | 'brand' | 'agent';
  /** fresh: recently read. stale: the last good version is old but still in use. absent: the file does not exist. unread: visited, but never read successfully. unseen: never visited. */
  readonly state: 'fresh' | 'stale' | 'absent' | 'unread' | 'unseen';
  readonly last_good_at: string | null;
  readonly last_tried_at: string | null;
  readonly outcome: string | null;
  /** Error code of the last visit, if it failed. */
  readonly why: string | null;
  readonly next_at: string | null;
}
/** The publishers that currently authorise an agent. They are listed in two fields, because clients read different ones. */
export interface AgentDomains {
  readonly agent_url: string;
  readonly domains: readonly string[];
  readonly properties: {
    readonly domain: string;
  }[];
  /** Number of domains in this response. */
  readonly count: number;
  /** True if the list is incomplete because of the size limit. */
  readonly domains_truncated?: true;
  readonly visit: VisitState;
}
/** One page of the publishers of an agent. */
export interface AgentPublishers {
  readonly agent_url: string;
  readonly publishers: {
    readonly publisher_domain: string;
    readonly discovery_method: 'direct' | 'authoritative_location' | 'ads_txt_managerdomain' | null;
    readonly manager_domain: string | null;
    readonly properties_authorized: number;
    readonly properties_total: number;
    /** With `include=properties`: ids of the properties that the agent may currently sell, for publishers that authorise it. */
    readonly property_ids?: readonly string[];
    /** True if the list is incomplete because of the size limit. */
    readonly property_ids_truncated?: true;
    readonly signing_keys_pinned: boolean;
    readonly status: 'authorized' | 'revoked';
    readonly last_verified_at: string | null;
  }[];
  /** Time of the latest visit that this page is based on. */
  readonly directory_indexed_at: string | null;
  /** Value of `cursor` for the next page; null on the last page. */
  readonly next_cursor: string | null;
}
/** Entries of files that currently authorise agents. A row without `property_rid` covers the whole inventory only if `publisher_wide` is true. */
export interface AuthorizationRows {
  /** The requested agent. */
  readonly agent_url?: string;
  readonly include: 'effective' | 'raw';
  readonly evidence: readonly ('adagents_json' | 'adagents_authoritative' | 'agent_claim' | 'community' | 'override')[];
  readonly rows: {
    /** Stable as long as the entry exists. */
    readonly id: string;
    readonly agent_url: string;
    readonly agent_url_canonical: string;
    readonly publisher_domain: string;
    /** True if the entry covers the whole inventory without limits. */
    readonly publisher_wide: boolean;
    /** Id of what the entry covers; null only if it is publisher-wide. */
    readonly property_rid: string | null;
    /** Property id, if the entry names exactly one. */
    readonly property_id_slug: string | null;
    /** authorization_type of the entry, or `all`. */
    readonly authorization_type: string;
    readonly authorized_for: string | null;
    readonly evidence: 'adagents_json';
    readonly disputed: false;
    readonly created_by: null;
    /** Time at which the registry first saw the entry in this form. */
    readonly created_at: string;
    readonly updated_at: string;
    readonly expires_at: string | null;
    /** Public keys that the entry pins for the agent. */
    signing_keys:
      | {
          readonly [k: string]: unknown;
        }[]
      | null;
    /** True if the entry pins keys that are too long for this list. */
    readonly signing_keys_truncated?: true;
    readonly override_applied: false;
    readonly override_reason: null;
    readonly property_ids?: readonly string[];
    readonly property_tags?: readonly string[];
    /** True if the property ids and tags of the entry are unknown or too long for this list. Use GET /api/registry/validate/property-authorization for single properties. */
    readonly properties_truncated?: true;
    readonly countries?: readonly string[];
    readonly placement_ids?: readonly string[];
    readonly placement_tags?: readonly string[];
    readonly collections?: {
      readonly publisher_domain: string;
      readonly collection_ids?: readonly string[];
    }[];
    /** True if the limits of the entry are too long for this list. Such an entry is not publisher-wide. */
    readonly limits_truncated?: true;
    readonly delegation_type?: 'direct' | 'delegated' | 'ad_network';
    readonly exclusive?: boolean;
    readonly effective_from?: string;
    readonly effective_until?: string;
  }[];
  /** Number of rows on this page. */
  readonly count: number;
  /** Value of `cursor` for the next page; null on the last page. */
  readonly next_cursor: string | null;
}
/** Whether an agent may sell a property, and why. */
export interface PropertyAuthorization {
  readonly agent_url: string;
  readonly identifier_type: string;
  readonly identifier_value: string;
  readonly publisher_domain?: string;
  readonly country?: string;
  /** Time that the answer refers to. */
  readonly at: string | null;
  readonly authorized: boolean;
  /** @maxItems 20 */
  readonly because: {
    readonly publisher_domain?: string;
    readonly file?: string;
    /** JSON Pointer of the entry in the file. */
    readonly entry?: string;
    readonly code: string;
    /** Rule that decided, in words. */
    readonly rule: string;
    /** How to resolve a denial. */
    readonly hint?: string;
    /** Limits that the request did not specify; with `truncated`, only the first ones. */
    readonly within?: {
      readonly [k: string]: unknown;
    };
    /** For a denial: what the entry covers, as `property_ids`, `property_tags` or `all`, within its limits. Each list contains the first 100 values. */
    readonly covers?: {
      readonly [k: string]: unknown;
    };
    /** Closest alternatives: URLs of agents that the publisher authorises (`not_named`), known publishers (`unknown_publisher`, `no_file`), listed properties (`no_such_property`). */
    readonly nearest?: readonly string[];
    readonly exclusive?: boolean;
    readonly delegation_type?: string;
  }[];
  /** Earliest time at which the answer can change without a change of a file. */
  readonly until: string | null;
  /** True if the file could not be read recently; the answer is based on the last good version. */
  readonly stale: boolean;
  readonly checked_at: string;
  readonly visit?: VisitState;
}
/** Inventory of a product, by publisher. */
export interface ProductQuestion {
  readonly agent_url: string;
  /**
   * @minItems 1
   * @maxItems 100
   *
   * Items: Either `publisher_domain` or `publisher_domains`; `tags` is an alias of `property_tags`.
   */
  readonly publisher_properties: {
    readonly publisher_domain?: string;
    /** @minItems 1 */
    readonly publisher_domains?: readonly string[];
    readonly selection_type?: 'all' | 'by_id' | 'by_tag';
    /** @minItems 1 */
    readonly property_ids?: readonly string[];
    /** @minItems 1 */
    readonly property_tags?: readonly string[];
    /** @minItems 1 */
    readonly tags?: readonly string[];
    /** @minItems 1 */
    readonly property_types?: readonly string[];
  }[];
  readonly country?: string;
  /** Time to evaluate at (RFC 3339); a date means midnight UTC. Default: now. */
  readonly at?: string;
}
/** Whether an agent may sell all of a product, and why. */
export interface ProductAuthorization {
  readonly agent_url: string;
  readonly authorized: boolean;
  readonly checked_at: string;
  readonly coverage_percentage: number;
  readonly total_requested: number;
  readonly total_authorized: number;
  readonly selectors: {
    readonly publisher_domain: string;
    readonly selection_type: 'all' | 'by_id' | 'by_tag';
    readonly requested_count: number;
    readonly authorized_count: number;
    /** @maxItems 100 */
    readonly unauthorized_items?: readonly string[];
    readonly source: 'adagents_json' | 'none';
  }[];
  readonly country?: string;
  /** Time that the answer refers to. */
  readonly at?: string;
  /** @maxItems 20 */
  readonly because: {
    readonly publisher_domain?: string;
    readonly file?: string;
    /** JSON Pointer of the entry in the file. */
    readonly entry?: string;
    readonly code: string;
    /** Rule that decided, in words. */
    readonly rule: string;
    /** How to resolve a denial. */
    readonly hint?: string;
    /** Limits that the request did not specify; with `truncated`, only the first ones. */
    readonly within?: {
      readonly [k: string]: unknown;
    };
    /** For a denial: what the entry covers, as `property_ids`, `property_tags` or `all`, within its limits. Each list contains the first 100 values. */
    readonly covers?: {
      readonly [k: string]: unknown;
    };
    /** Closest alternatives: URLs of agents that the publisher authorises (`not_named`), known publishers (`unknown_publisher`, `no_file`), listed properties (`no_such_property`). */
    readonly nearest?: readonly string[];
    readonly exclusive?: boolean;
    readonly delegation_type?: string;
  }[];
  /** True if agents are omitted because of the size or time limit; omitted agents are not reported as authorised. */
  readonly truncated?: true;
}
/** Identifiers of a product that an agent may sell. */
export interface ProductIdentifiers {
  readonly agent_url: string;
  readonly properties: {
    readonly property_id?: string;
    readonly publisher_domain: string;
    readonly property_type: string;
    readonly name?: string;
    readonly identifiers: {
      readonly type: string;
      readonly value: string;
    }[];
  }[];
  readonly identifiers: {
    readonly type: string;
    readonly value: string;
    readonly property_id?: string;
    readonly publisher_domain: string;
  }[];
  readonly property_count: number;
  readonly identifier_count: number;
  readonly generated_at: string;
  /** Time that the answer refers to. */
  readonly at?: string;
  /** True if agents are omitted because of the size or time limit; omitted agents are not reported as authorised. */
  readonly truncated?: true;
}
/** Agents that may currently sell a property. */
export interface PropertyLookup {
  readonly type: string;
  readonly value: string;
  readonly agents: {
    readonly url: string;
    readonly authorized_for?: string;
    readonly publisher_domain: string;
  }[];
  readonly count: number;
  /** True if agents are omitted because of the size or time limit; omitted agents are not reported as authorised. */
  readonly agents_truncated?: true;
  /** For a site: domain whose adagents.json is authoritative. */
  readonly publisher_domain?: string;
  readonly visit?: VisitState;
}
/** Agents of an operator. */
export interface OperatorLookup {
  readonly domain: string;
  /** Member that proved control of the domain for one of these agents; null if there is none or more than one. */
  readonly member: {
    readonly slug: string;
    readonly display_name: string;
    readonly membership_tier?: string;
    readonly membership_tier_label?: string;
    readonly is_founding_member?: boolean;
  } | null;
  readonly agents: {
    readonly url: string;
    readonly name: string;
    readonly type: string;
    readonly authorized_by: {
      readonly publisher_domain: string;
      readonly authorized_for?: string;
      readonly source: 'adagents_json';
    }[];
  }[];
  /** True if agents are omitted because of the size or time limit; omitted agents are not reported as authorised. */
  readonly agents_truncated?: true;
  readonly visit: VisitState;
}
/** A publisher: state of its file, properties and agents. */
export interface PublisherLookup {
  readonly domain: string;
  /** Always null: members prove control of agents, not of publishers. */
  readonly member: null;
  /** Null if never visited. */
  readonly adagents_valid: boolean | null;
  readonly discovery_method?: string;
  readonly manager_domain?: string;
  readonly hosting: {
    readonly mode: 'self' | 'self_invalid' | 'self_redirected' | 'none';
    readonly expected_url: string;
    readonly resolved_url?: string;
    readonly last_validated?: string;
  };
  readonly properties: {
    readonly id?: string;
    readonly name?: string;
    readonly type: string;
    readonly identifiers: {
      readonly type: string;
      readonly value: string;
    }[];
    readonly tags: readonly string[];
    readonly source: 'adagents_json';
  }[];
  /** True if agents are omitted because of the size or time limit; omitted agents are not reported as authorised. */
  readonly properties_truncated?: true;
  readonly authorized_agents: {
    readonly url: string;
    readonly authorized_for?: string;
    readonly source: 'adagents_json';
    readonly properties_authorized: number;
    readonly properties_total: number;
  }[];
  /** True if agents are omitted because of the size or time limit; omitted agents are not reported as authorised. */
  readonly authorized_agents_truncated?: true;
  /** For a file in the simple form: its claims about the publisher and agents, compared with the last successful probe. Claims never change the record of an agent. */
  readonly claims?: {
    readonly publisher?: {
      readonly name?: string;
      readonly domain?: string;
      /** True if the claimed domain is the one that publishes the file; null if none is claimed. */
      readonly agrees: boolean | null;
    };
    /** @maxItems 20 */
    readonly agents: {
      readonly agent_url: string;
      /** JSON Pointer in the file. */
      readonly entry: string;
      /** Claimed value, unchecked. */
      readonly protocol?: string;
      /** Claimed task names. */
      readonly capabilities: readonly string[];
      /** Protocol of the last successful probe. */
      readonly seen_protocol: 'mcp' | 'a2a' | null;
      /** Null if no protocol was claimed or seen. */
      readonly protocol_agrees: boolean | null;
      /** Claimed tasks that the agent does not list; null if the agent was never probed successfully. */
      readonly capabilities_missing: readonly string[] | null;
    }[];
    /** True if the file lists more agents. */
    readonly truncated?: true;
  };
  readonly visit: VisitState;
  /** Only with include=placements. */
  readonly placements?: {
    readonly placement_id: string;
    readonly name: string;
    readonly description?: string;
    readonly property_ids?: readonly string[];
    readonly property_tags?: readonly string[];
    readonly collection_ids?: readonly string[];
    readonly channels?: readonly string[];
    readonly tags?: readonly string[];
    readonly format_options?: {
      readonly format_option_id?: string;
      readonly format_kind: string;
      readonly params?: {
        readonly [k: string]: unknown;
      };
    }[];
    readonly source: 'adagents_json';
  }[];
  /** True if placements are omitted because of the size limit or the size of the file. */
  readonly placements_truncated?: true;
}
/** Entries of the adagents.json of a publisher that are in force. */
export interface PublisherEntries {
  readonly domain: string;
  readonly entries: {
    readonly agent_url: string;
    /** JSON Pointer of the entry in the file. */
    readonly entry: string;
    /** Line of the entry; absent if the text is larger than 512 KiB or not stored. */
    readonly line?: number;
    readonly authorized_for?: string;
    readonly authorization_type: string;
    /** How the file was found. */
    readonly source: 'own' | 'reference' | 'manager';
    /** True if the entry covers at least one property of the publisher. */
    readonly sells: boolean;
    /** Null if too long for this list, or not read yet. */
    readonly covers: {
      readonly all?: 'inventory' | 'listed';
      readonly property_ids?: readonly string[];
      readonly property_tags?: readonly string[];
      readonly signals?: readonly string[];
      /** True if the entry covers its inline properties. */
      readonly inline?: true;
      /** True for a publisher selector: only properties with an id are covered. */
      readonly selected?: true;
    } | null;
    /** Null if too long for this list; empty if there are none. */
    readonly limits: {
      readonly countries?: readonly string[];
      readonly placement_ids?: readonly string[];
      readonly placement_tags?: readonly string[];
      readonly collections?: {
        readonly publisher_domain: string;
        readonly collection_ids?: readonly string[];
      }[];
      readonly delegation_type?: 'direct' | 'delegated' | 'ad_network';
      readonly exclusive?: boolean;
      readonly effective_from?: string;
      readonly effective_until?: string;
    } | null;
    readonly pins_keys: boolean;
    readonly since: string;
  }[];
  readonly count: number;
  /** True if a filter examined only the first properties of the publisher. */
  readonly properties_truncated?: true;
  readonly next_cursor: string | null;
}
/** Findings of a file of a domain, from the last visit. */
export interface FileFindings {
  readonly domain: string;
  readonly file: 'adagents' | 'ard' | 'brand';
  /** True if this text is in use. Otherwise an earlier text is in use, or none. */
  readonly counts: boolean;
  /** URL that was read. */
  readonly url?: string;
  readonly bytes?: number;
  readonly findings: {
    readonly severity: 'error' | 'warning';
    readonly code: string;
    /** JSON Pointer of the place; empty for the whole file. */
    readonly pointer: string;
    readonly line?: number;
    readonly column?: number;
    readonly message: string;
    readonly hint?: string;
    readonly did_you_mean?: string;
    readonly allowed?: readonly string[];
    /** Safe fix; present only if the intended meaning is certain. */
    readonly fix?: string;
    readonly excerpt?: {
      readonly line: number;
      readonly text: string;
      /** Start of the error in the excerpt, in UTF-16 code units. */
      readonly from?: number;
      readonly to?: number;
    }[];
  }[];
  readonly total: number;
  readonly visit: VisitState;
}
/** Differences between a version of a file and the previous version. */
export interface FileDiff {
  readonly domain: string;
  readonly file: 'adagents' | 'brand';
  readonly revision: number;
  readonly created_at: string;
  /** Empty for the first version, or if no line changed. */
  readonly hunks?: {
    readonly before_line: number;
    readonly after_line: number;
    /** With laid_out: column in the original file, in UTF-16 code units. */
    readonly before_column?: number;
    readonly after_column?: number;
    readonly lines: {
      readonly change: 'same' | 'added' | 'removed';
      readonly text: string;
    }[];
  }[];
  /** True if the diff exceeds 400 lines. */
  readonly truncated?: true;
  /** True if both texts were pretty-printed first, because a changed line is too long to show. Hunks start at the positions in the original files. */
  readonly laid_out?: true;
  /** True if only the layout, the line endings or the byte order mark changed. */
  readonly only_form?: true;
  /** Why no diff is available. */
  readonly not_shown?: 'not_kept' | 'too_long' | 'too_many_changes';
}
/** One page of the publishers whose file is managed by another domain. */
export interface Network {
  readonly domain: string;
  readonly show: 'all' | 'orphaned' | 'behind' | 'missing';
  /** Number of publishers that point to the domain, counted up to 10,000. */
  readonly total: number;
  readonly total_exact: boolean;
  /** Number of publishers examined for this page. */
  readonly looked_at: number;
  /** Time since which the file of the domain is unchanged. */
  readonly file_changed_at?: string;
  readonly publishers: {
    readonly domain: string;
    readonly states: readonly ('orphaned' | 'behind' | 'missing')[];
    /** Number of agents that it currently authorises. */
    readonly agents: number;
    readonly discovery_method?: string;
    readonly last_validated?: string;
    readonly outcome?: string;
  }[];
  readonly next_cursor: string | null;
  readonly visit: VisitState;
}
/** Share of the catalogue of a publisher that an agent may sell. */
export interface PublisherAuthorization {
  readonly publisher_domain: string;
  readonly agent_url: string;
  readonly authorized: number;
  readonly total: number;
  readonly publisher_wide: boolean;
  readonly source: 'adagents_json';
  /** `authorized_for` of the first entry that contains it. */
  readonly authorized_for?: string;
  readonly unauthorized_properties: {
    readonly id?: string;
    readonly name?: string;
    readonly type?: string;
  }[];
  /** True if agents are omitted because of the size or time limit; omitted agents are not reported as authorised. */
  readonly truncated?: true;
  readonly visit: VisitState;
}
/** Domains to look up. */
export interface DomainList {
  /** @maxItems 100 */
  readonly domains: readonly string[];
}
/** Content of the authoritative adagents.json in use for a domain. */
export interface ResolvedProperty {
  readonly publisher_domain: string;
  readonly source: 'adagents_json';
  /** True if the file was read at the domain, or where the domain redirects or points to. */
  readonly verified: true;
  readonly last_validated?: string;
  readonly authorized_agents: {
    readonly url: string;
    readonly authorized_for?: string;
  }[];
  readonly authorized_agents_truncated?: true;
  readonly properties: {
    readonly id?: string;
    readonly name?: string;
    readonly type: string;
    readonly identifiers: {
      readonly type: string;
      readonly value: string;
    }[];
    readonly tags: readonly string[];
  }[];
  readonly properties_truncated?: true;
  readonly visit: VisitState;
}
/** Result for each domain, keyed by the requested name. */
export interface ResolvedProperties {
  readonly results: {
    readonly [k: string]: ResolvedProperty | null;
  };
  /** Names that are not valid domains, with the reason; null in `results`. Absent if all are valid. */
  readonly invalid?: {
    /** Beginning of the submitted value. */
    readonly domain: string;
    readonly error: string;
  }[];
}
/** Publishers with the number of their properties. */
export interface PropertyList {
  readonly properties: {
    readonly domain: string;
    readonly source: 'adagents_json';
    /** Number of properties, counted up to 10,000. */
    readonly property_count: number;
    readonly agent_count: number;
    readonly verified: true;
  }[];
  readonly count: number;
  readonly next_cursor?: string;
}
/** Brand of a domain, according to its brand.json and that of its house. */
export interface ResolvedBrand {
  /** The domain; for a brand in the file of a house: the house, `#` and the id of the brand. */
  readonly canonical_id: string;
  readonly canonical_domain: string;
  /** English name if available; the domain if the brand has no name. */
  readonly brand_name: string;
  readonly names?: {
    readonly [k: string]: string;
  }[];
  readonly names_truncated?: true;
  /** Present only if both sides declare it. */
  readonly house_domain?: string;
  readonly house_name?: string;
  /** House that only one side declares. */
  readonly claimed_house_domain?: string;
  readonly relationship_trust?: 'inline' | 'mutual' | 'leaf_only' | 'house_only' | 'standalone' | 'unverifiable';
  readonly brand_agent_url?: string;
  readonly source: 'brand_json';
  readonly last_validated?: string;
  /** True if its file, or that of its house, was not read because of the size limit of the request. */
  readonly truncated?: true;
  readonly visit: VisitState;
}
/** Result for each domain, keyed by the requested name. */
export interface ResolvedBrands {
  readonly results: {
    readonly [k: string]: ResolvedBrand | null;
  };
  /** Names that are not valid domains, with the reason; null in `results`. Absent if all are valid. */
  readonly invalid?: {
    /** Beginning of the submitted value. */
    readonly domain: string;
    readonly error: string;
  }[];
}
/** The brand.json as last read. */
export interface BrandJson {
  readonly domain: string;
  /** URL that was read, after redirects. */
  readonly url: string;
  readonly variant: 'redirect' | 'house_redirect' | 'agents_only' | 'house_portfolio' | 'brand';
  /** Content of the file. */
  readonly data: {
    readonly [k: string]: unknown;
  };
  readonly warnings: {
    readonly field: string;
    readonly message: string;
  }[];
  readonly visit: VisitState;
}
/** Domains with a brand.json in use. */
export interface BrandList {
  readonly brands: {
    readonly domain: string;
    readonly brand_name?: string;
    readonly source: 'brand_json';
    readonly has_manifest: true;
    readonly verified: true;
    readonly house_domain?: string;
    readonly relationship_trust?: string;
  }[];
  readonly count: number;
  readonly next_cursor?: string;
}
/** Brands with this name, or whose domain starts with it. */
export interface FoundBrands {
  readonly results: {
    readonly domain: string;
    readonly canonical_domain: string;
    readonly brand_name: string;
    readonly source: 'brand_json';
    readonly house_domain?: string;
    readonly brand_agent_url?: string;
    /** Name of the domain, if the brand is declared in its file. */
    readonly parent_brand?: string;
    /** Relation to a house: the house itself, a brand of a house, or independent. */
    readonly keller_type: 'master' | 'sub_brand' | 'independent';
  }[];
  readonly results_truncated?: true;
}
/** Versions of the file of a domain, newest first. */
export interface FileHistory {
  readonly domain: string;
  readonly total: number;
  /** True if there are more than 1,000 versions. */
  readonly total_truncated?: true;
  readonly revisions: {
    readonly revision_number: number;
    /** Owner of the file: the domain or its manager. */
    readonly editor_name: string;
    readonly edit_summary: string;
    readonly source: 'adagents_json' | 'brand_json';
    readonly is_rollback: boolean;
    /** Earlier version with the same content. */
    readonly rolled_back_to?: number;
    readonly created_at: string;
  }[];
}
/** Property identifiers to look up. */
export interface IdentifierQuestion {
  /** @maxItems 10000 */
  readonly identifiers: {
    readonly type: string;
    readonly value: string;
  }[];
  /** Both modes are read-only in this registry. */
  readonly mode?: 'lookup' | 'resolve';
  /** Source of the identifiers; not stored. */
  readonly provenance?: {
    readonly [k: string]: unknown;
  };
}
/** Known identifiers, and counts of all. */
export interface ResolvedIdentifiers {
  readonly resolved: {
    readonly identifier: {
      readonly type: string;
      readonly value: string;
    };
    /** Stable id of the identifier. */
    readonly property_rid: string | null;
    readonly classification: 'property' | 'invalid';
    /** `excluded`: a site that is not a domain name. */
    readonly status: 'existing' | 'excluded';
    readonly source: 'authoritative' | null;
  }[];
  readonly summary: {
    readonly total: number;
    readonly resolved: number;
    readonly created: 0;
    readonly excluded: number;
    readonly not_found: number;
  };
  readonly server_timestamp: string;
}
/** Up to 5 brands that match by name or domain, and up to 5 publishers whose domain starts with the text. */
export interface RegistrySearch {
  readonly brands: {
    readonly domain: string;
    readonly canonical_domain: string;
    readonly brand_name: string;
    readonly source: 'brand_json';
    readonly house_domain?: string;
    readonly brand_agent_url?: string;
    /** Name of the domain, if the brand is declared in its file. */
    readonly parent_brand?: string;
    /** Relation to a house: the house itself, a brand of a house, or independent. */
    readonly keller_type: 'master' | 'sub_brand' | 'independent';
  }[];
  readonly brands_truncated?: true;
  readonly publishers: {
    readonly domain: string;
    readonly agent_count: number;
  }[];
  readonly properties: {
    readonly publisher_domain: string;
    readonly property_count: number;
    readonly source: 'adagents_json';
  }[];
}
/** Location of the manifest of a brand, if known. */
export interface ManifestReference {
  readonly success: boolean;
  readonly found: boolean;
  readonly reference?: {
    readonly reference_type: 'url' | 'agent';
    readonly manifest_url: string | null;
    readonly agent_url: string | null;
    readonly agent_id: null;
    /** `pending` for an agent, which is not contacted for this. */
    readonly verification_status: 'pending' | 'valid';
  };
}
/** A list of domains to check. */
export interface PropertyCheckQuestion {
  /** @maxItems 10000 */
  readonly domains: readonly string[];
}
/** Domains grouped by recommended action. Each domain is in one list. */
export interface PropertyCheck {
  /** Exact counts. */
  readonly summary: {
    readonly total: number;
    readonly remove: number;
    readonly modify: number;
    readonly assess: number;
    readonly ok: number;
  };
  readonly remove: {
    readonly input: string;
    readonly canonical: string;
    readonly reason: 'duplicate' | 'blocked';
    readonly blocked_reason?: string;
  }[];
  readonly modify: {
    readonly input: string;
    readonly canonical: string;
    readonly reason: string;
    /** List that the domain belongs to when written correctly. */
    readonly status: 'ok' | 'assess';
  }[];
  readonly assess: {
    readonly domain: string;
  }[];
  readonly ok: {
    readonly domain: string;
    readonly source: 'adagents_json';
  }[];
  /** For GET /api/properties/check/{reportId}. */
  readonly report_id: string;
  /** True if domains are omitted because of the size limit; send fewer domains. */
  readonly remove_truncated?: true;
  /** True if domains are omitted because of the size limit; send fewer domains. */
  readonly modify_truncated?: true;
  /** True if domains are omitted because of the size limit; send fewer domains. */
  readonly assess_truncated?: true;
  /** True if domains are omitted because of the size limit; send fewer domains. */
  readonly ok_truncated?: true;
}
/** Counts of an earlier check. */
export interface PropertyCheckReport {
  /** Exact counts. */
  readonly summary: {
    readonly total: number;
    readonly remove: number;
    readonly modify: number;
    readonly assess: number;
    readonly ok: number;
  };
  readonly expires_at: string;
}
/** Identifiers to check: domains, app names or numbers, or TYPE:VALUE. */
export interface BulkPropertyQuestion {
  /** @maxItems 10000 */
  readonly identifiers: readonly string[];
}
/** Result for each identifier of a list. */
export interface BulkPropertyCheck {
  /** Exact counts. */
  readonly summary: {
    readonly total: number;
    readonly ready: number;
    readonly known: number;
    readonly ad_infra: 0;
    readonly unknown: number;
    readonly skipped: number;
  };
  readonly entries: {
    readonly input: string;
    readonly identifier: {
      readonly type: string;
      readonly value: string;
    };
    /** `ready`: covered by a file. `known`: a domain whose file is not in use. */
    readonly verdict: 'ready' | 'known' | 'unknown';
    readonly classification: 'property' | null;
    readonly source: 'authoritative' | null;
    /** Stable id of the identifier. */
    readonly property_rid: string | null;
    /** Recommended action, in one sentence. */
    readonly action: string;
  }[];
  /** For GET /api/properties/check/bulk/{reportId}. */
  readonly report_id: string;
  /** True if entries are omitted because of the size limit; send fewer identifiers. */
  readonly entries_truncated?: true;
}
/** Counts of an earlier identifier check. */
export interface BulkPropertyReport {
  /** Exact counts. */
  readonly summary: {
    readonly total: number;
    readonly ready: number;
    readonly known: number;
    readonly ad_infra: 0;
    readonly unknown: number;
    readonly skipped: number;
  };
  /**
   * Always empty: submitted lists are not stored.
   *
   * @maxItems 0
   */
  readonly entries: readonly unknown[];
  readonly expires_at: string;
}
/** The active badges of an agent. */
export interface AgentVerification {
  readonly agent_url: string;
  readonly verified: boolean;
  readonly badges: {
    /** Protocol line, `major.minor`. */
    readonly adcp_version: string;
    readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
    readonly proto_version: string;
    readonly verified_at: string;
    readonly verified_specialisms: readonly string[];
    readonly verification_modes: readonly ('spec' | 'live')[];
    readonly verified_protocol_version: string;
    readonly badge_url: string;
  }[];
  readonly registry_url: string;
}
/** HTML and Markdown that embed a badge. */
export interface BadgeEmbed {
  readonly agent_url: string;
  readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
  readonly verified: boolean;
  /** Protocol line of the badge; absent if there is no badge. */
  readonly adcp_version?: string;
  readonly badge_svg_url: string;
  readonly registry_url: string;
  readonly html: string;
  readonly markdown: string;
}
/** Latest result of one storyboard, in the format of existing client libraries. */
export interface StoryboardReport {
  readonly storyboard_id: string;
  readonly category: string;
  readonly track: string;
  /** `partial`: incomplete. No step failed, but a step was skipped because the agent lacks something it should offer. */
  readonly status: 'passing' | 'failing' | 'partial' | 'untested';
  readonly steps_passed: number;
  /** Number of executed steps. */
  readonly steps_total: number;
  readonly failure_count: number;
  readonly skipped_count: number;
  /** Also null if the steps are no longer stored, and in responses about several agents. */
  readonly first_failed_step_id: string | null;
  readonly first_failed_step_title: string | null;
  readonly first_failed_step_task: string | null;
  readonly first_failure_message: string | null;
  readonly last_tested_at: string | null;
  readonly last_passed_at: string | null;
  readonly requested_compliance_target: string | null;
  /** Version of the storyboard bundle. */
  readonly adcp_version: string | null;
  readonly title: string;
}
/** Results of an agent by storyboard. */
export interface AgentStoryboards {
  readonly agent_url: string;
  /** Empty for anyone but the owner. */
  readonly storyboards: readonly StoryboardReport[];
  readonly passing_count: number;
  /** Storyboards that are neither passing nor failing. */
  readonly incomplete_count: number;
  readonly total_count: number;
  /** Declared specialisms that no storyboard tested; the counts do not include them. */
  readonly specialisms_untested: number;
  /** Present if the owner opted out of tests. */
  readonly status?: 'opted_out';
}
/** Agents to look up. */
export interface AgentUrls {
  /**
   * @minItems 1
   * @maxItems 100
   */
  readonly agent_urls: readonly string[];
}
/** Results of agents by storyboard. */
export interface AgentsStoryboards {
  readonly agents: {
    [k: string]:
      | readonly StoryboardReport[]
      | {
          readonly status: 'opted_out';
        };
  };
  /** Number of URLs that are not valid agent URLs. */
  readonly invalid_urls?: number;
  /** Agents omitted because of the size limit; request them again. */
  readonly not_answered?: readonly string[];
}
/** Storyboards that agents are tested with. */
export interface StoryboardList {
  /** Version of the storyboard bundle. */
  readonly adcp_version: string;
  /** Requested version or alias. */
  readonly requested_compliance_target: string;
  readonly storyboards: {
    readonly id: string;
    readonly category: string;
    readonly track: string;
    readonly summary: string;
    /** `stateless`: no step changes state. */
    readonly interaction_model: 'stateful' | 'stateless';
    /** Every agent, agents that support the protocol, or agents that declare the specialism. */
    readonly applies_to: {
      readonly kind: 'universal' | 'domain' | 'specialism';
      readonly id: string;
    };
    readonly phase_count: number;
    readonly step_count: number;
    readonly title: string;
  }[];
  readonly count: number;
}
/** A storyboard, step by step. */
export interface StoryboardDetail {
  /** Version of the storyboard bundle. */
  readonly adcp_version: string;
  /** Requested version or alias. */
  readonly requested_compliance_target: string;
  readonly storyboard: {
    readonly id: string;
    readonly version: string;
    readonly category: string;
    readonly track: string;
    /** Purpose of the storyboard. */
    readonly summary: string;
    readonly agent: {
      /** `stateless`: no step changes state. */
      readonly interaction_model: 'stateful' | 'stateless';
    };
    /** Every agent, agents that support the protocol, or agents that declare the specialism. */
    readonly applies_to: {
      readonly kind: 'universal' | 'domain' | 'specialism';
      readonly id: string;
    };
    /** At least one of these tools is required; empty if none is. */
    readonly required_tools: readonly string[];
    /** Storyboards that must pass first. */
    readonly prerequisites: readonly string[];
    readonly phases: {
      readonly id: string;
      readonly optional: boolean;
      readonly steps: {
        readonly id: string;
        readonly task: string;
        readonly description: string;
        readonly expected_output: string;
        readonly checks: {
          /** Kind of check. */
          readonly check: string;
          readonly path: string | null;
          readonly description: string | null;
        }[];
        readonly title: string;
      }[];
      readonly title: string;
    }[];
    readonly title: string;
  };
}
/** First step of a storyboard. */
export interface StoryboardFirstStep {
  /** Version of the storyboard bundle. */
  readonly adcp_version: string;
  /** Requested version or alias. */
  readonly requested_compliance_target: string;
  readonly storyboard: {
    readonly id: string;
    readonly title: string;
  };
  readonly step: {
    readonly step_id: string;
    readonly phase_id: string;
    readonly task: string;
    readonly narrative: string;
    readonly expected: string;
    /** Sample request of the storyboard; a run replaces `$test_kit` and `$context`. */
    readonly sample_request: {
      readonly [k: string]: unknown;
    };
    readonly title: string;
  } | null;
}
/** Storyboards that apply to an agent. */
export interface ApplicableStoryboards {
  readonly agent_url: string;
  /** Version of the storyboard bundle. */
  readonly adcp_version: string;
  /** Requested version or alias. */
  readonly requested_compliance_target: string;
  readonly agent_name: string;
  readonly supported_protocols: readonly string[];
  readonly specialisms: readonly string[];
  /** Why the capabilities could not be read; absent if they were read. */
  readonly capabilities_probe_error?: string;
  readonly bundles: {
    readonly kind: 'universal' | 'domain' | 'specialism';
    readonly id: string;
    readonly storyboards: {
      readonly id: string;
      readonly summary: string;
      readonly step_count: number;
      readonly title: string;
    }[];
  }[];
  readonly total_storyboards: number;
}
/** Failed steps of one run. */
export interface StepDiagnostics {
  readonly agent_url: string;
  /** Null for anyone but the owner, and if the run is not stored. */
  readonly run_id: string | null;
  readonly steps: {
    readonly storyboard_id: string;
    readonly phase_id: string;
    readonly step_id: string;
    readonly task: string;
    readonly duration_ms: number;
    /** Documentation of the step. */
    readonly doc_ref: string | null;
    /** What was received instead of a protocol response; null if the step was answered. */
    readonly no_answer: {
      readonly error_class: string;
      readonly http_status?: number;
      readonly content_type?: string;
      /** Message of the agent, redacted, at most 300 characters. */
      readonly words?: string;
      /** True if it was retried once and failed again. */
      readonly retried?: true;
    } | null;
    /** True if it does not depend on earlier steps: `check --step` can repeat it alone. */
    readonly independent: boolean;
    readonly checks: {
      readonly check: string;
      readonly message: string;
      readonly pointer: string | null;
      readonly expected: unknown;
      readonly actual: unknown;
    }[];
    readonly title: string;
  }[];
  readonly count: number;
  readonly steps_truncated?: true;
}
/** Schedule of the tests of an agent. */
export interface MonitoringSettings {
  readonly monitoring_paused: boolean;
  readonly check_interval_hours: number;
  readonly monitoring_paused_at: string | null;
  /** Next scheduled test; a past time means that it is due. Null if no test is scheduled. */
  readonly next_run_at: string | null;
}
/** Members with listed agents, sorted by slug. */
export interface MemberList {
  readonly members: readonly ShownMember[];
  /** Number of members on this page. */
  readonly count: number;
  /** Value of `cursor` for the next page; absent on the last page. */
  readonly next_cursor?: string;
}
/** A member and its listed agents. */
export interface ShownMember {
  /** Same as the slug, for existing client libraries. */
  readonly id: string;
  readonly slug: string;
  readonly display_name: string;
  readonly membership_tier?: string;
  readonly membership_tier_label?: string;
  readonly is_founding_member?: boolean;
  readonly agents: {
    readonly url: string;
    /** True if the member has proven control of its domain. */
    readonly proven: boolean;
  }[];
  /** True if the list is incomplete because of the size limit. */
  readonly agents_truncated?: true;
}
/** Registered and pending agents of a member. */
export interface MyAgents {
  readonly agents: readonly OwnAgent[];
  readonly count: number;
  /** Value of `cursor` for the next page; null on the last page. */
  readonly next_cursor: string | null;
}
/** Requests of the registry to an agent and their results, newest first. */
export interface MonitoringRequests {
  readonly agent_url: string;
  readonly requests: {
    readonly id: string;
    readonly agent_url: string;
    readonly request_type: 'health_probe' | 'compliance_run';
    /** Product token of the User-Agent. */
    readonly user_agent: string;
    /** Response time of the handshake; for a test run, its total duration. */
    readonly response_time_ms: number | null;
    readonly success: boolean;
    readonly error_message: string | null;
    readonly created_at: string;
    /** Null for a probe. */
    readonly run_id: string | null;
    /** Steps of a probe whose result differs from the previous one. */
    readonly steps?: {
      /** `initialize`, `tools/list` and so on. */
      readonly step: string;
      readonly url: string;
      readonly duration_ms: number;
      readonly ok: boolean;
      readonly detail: string | null;
    }[];
  }[];
  /** Number of requests in this response, which is also limited by size. */
  readonly count: number;
  /** Number of stored requests since the requested time. */
  readonly total: number;
}
/** How tests authenticate to an agent, in the format of existing client libraries. */
export interface AgentAuthStatus {
  readonly has_auth: boolean;
  /** URL of the agent if a credential is stored. */
  readonly agent_context_id: string | null;
  readonly auth_type: 'bearer' | 'oauth_client_credentials' | null;
  readonly has_oauth_token: false;
  readonly has_valid_oauth: false;
  readonly oauth_token_expires_at: null;
  readonly has_oauth_client_credentials: boolean;
}
export interface AgentConnection2 {
  readonly auth_token?: string;
  readonly auth_type?: 'bearer';
  /** Alias of `auth_token`, for clients that use `auth_token` for the API key. */
  readonly token?: string;
}
/** A token is stored. */
export interface AgentConnected {
  readonly connected: true;
  readonly has_auth: true;
  /** URL of the agent. */
  readonly agent_context_id: string;
}
/** OAuth client that requests tokens for the tests of an agent. Its values can contain only printable ASCII characters. */
export interface AgentOAuthClient {
  /** An https URL of a public host. */
  readonly token_endpoint: string;
  /** Client id at the token endpoint. */
  readonly client_id: string;
  /** Encrypted at rest, and never returned. */
  readonly client_secret: string;
  /** Space-separated scopes. */
  readonly scope?: string | null;
  /** Resource indicator (RFC 8707). */
  readonly resource?: string | null;
  /** Audience, for token endpoints that require it. */
  readonly audience?: string | null;
  /** How the secret is sent: in the Authorization header, or in the form body. */
  readonly auth_method?: 'basic' | 'body' | null;
}
/** An OAuth client is stored. */
export interface AgentOAuthConnected {
  readonly connected: true;
  readonly has_auth: true;
  /** URL of the agent. */
  readonly agent_context_id: string;
  readonly auth_type: 'oauth_client_credentials';
}
/** Response of the token endpoint to the stored OAuth client. */
export interface AgentTokenTest {
  readonly ok: boolean;
  readonly latency_ms: number;
  /** Absent if a token was issued. */
  readonly error?: {
    /** The endpoint refused the client, returned no token, or did not answer. */
    readonly kind: 'oauth' | 'malformed' | 'network';
    readonly message: string;
    /** `error` of RFC 6749, section 5.2. */
    readonly oauth_error?: string;
    /** Description as sent by the endpoint. */
    readonly oauth_error_description?: string;
    readonly http_status?: number;
  };
}
/** Test settings of an agent, chosen by its owner. */
export interface AgentLifecycle {
  readonly agent_url: string;
  readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
  readonly compliance_opt_out: boolean;
  /** True if the agent had a badge and has none now. */
  readonly badge_requalification_required: boolean;
  readonly monitoring_paused: boolean;
  readonly check_interval_hours: number;
  readonly monitoring_paused_at: string | null;
  /** Time at which the owner first proved ownership or changed a setting. */
  readonly created_at: string;
  readonly updated_at: string;
  /** Next scheduled test; a past time means that it is due. Null if no test is scheduled. */
  readonly next_run_at: string | null;
}
/** Whether a test was queued. */
export interface Requeued {
  /** False if a run is already pending. */
  readonly requeued: boolean;
}
export interface AdagentsQuestion2 {
  readonly domain?: string;
  /** The file, as text or as JSON. For text, the report contains line and column numbers. */
  readonly adagents_json?: {
    readonly [k: string]: unknown;
  };
}
export interface BrandQuestion2 {
  readonly domain?: string;
  /** The file, as text or as JSON. For text, the report contains line and column numbers. */
  readonly brand_json?: {
    readonly [k: string]: unknown;
  };
}
/** Validation of a file: the result in the format of existing client libraries, and the full report. */
export interface FileValidation {
  readonly success: true;
  readonly data: {
    readonly domain: string;
    readonly found: boolean;
    readonly validation: {
      readonly valid: boolean;
      readonly errors: {
        /** JSON Pointer of the place; empty for the whole file. */
        readonly field: string;
        readonly message: string;
        readonly severity: 'error';
      }[];
      readonly warnings: {
        readonly field: string;
        readonly message: string;
        readonly suggestion?: string;
      }[];
      /** Empty if the domain was not given. */
      readonly domain: string;
      /** URL at which the file belongs. */
      readonly url: string;
      readonly status_code?: number;
      readonly response_bytes?: number;
      /** URL at which it was found, if different. */
      readonly resolved_url?: string;
      readonly discovery_method: 'direct' | 'authoritative_location' | 'ads_txt_managerdomain';
      readonly manager_domain?: string;
    };
    readonly report: {
      readonly valid: boolean;
      /** Verdict in words, for example `valid: 1 of 3 agents may sell today`. */
      readonly verdict: string;
      /** How many of the agents may sell something at the moment of the check, as strict buyers read the file. Null for a brand.json. */
      readonly may_sell_now: number | null;
      /** Errors that remain once the certain fixes are made. Absent where there is nothing to fix. */
      readonly errors_left?: number;
      readonly kind: 'adagents' | 'brand';
      readonly variant: string | null;
      readonly agents: readonly string[];
      /** Findings, each with its place, a hint, and a fix if one is certain; as in `agent-registry validate --json`. */
      readonly findings: {
        readonly severity: 'error' | 'warning';
        readonly code: string;
        readonly pointer: string;
        readonly message: string;
      }[];
      /** Who may sell which properties according to the file, as strict buyers read it. */
      readonly summary: {
        readonly publishers: readonly unknown[];
        readonly out_of_time: readonly unknown[];
        readonly without_effect: readonly unknown[];
        readonly agents: readonly unknown[];
        readonly more: number;
      };
      readonly trail: {
        readonly [k: string]: unknown;
      }[];
      /** Text of the file with all safe fixes, up to 32 KiB. */
      readonly fixed?: string;
      /** True if parts are omitted because of the size limit. */
      readonly truncated?: true;
    };
  };
  /** Time of the check. */
  readonly timestamp: string;
}
/** The parts of a new adagents.json. */
export interface AdagentsParts {
  readonly authorized_agents: {
    readonly [k: string]: unknown;
  }[];
  readonly properties?: readonly unknown[];
  readonly placements?: readonly unknown[];
  readonly placement_tags?: {
    readonly [k: string]: unknown;
  };
  readonly formats?: readonly unknown[];
  readonly contact?: {
    readonly [k: string]: unknown;
  };
  readonly catalog_etag?: string;
  readonly include_schema?: boolean;
  readonly include_timestamp?: boolean;
}
/** A new file to publish. */
export interface CreatedAdagents {
  readonly success: true;
  readonly data: {
    readonly success: true;
    /** Text of the file. */
    readonly adagents_json: string;
    readonly validation: {
      readonly valid: boolean;
      readonly errors: {
        /** JSON Pointer of the place; empty for the whole file. */
        readonly field: string;
        readonly message: string;
        readonly severity: 'error';
      }[];
      readonly warnings: {
        readonly field: string;
        readonly message: string;
        readonly suggestion?: string;
      }[];
      /** Empty if the domain was not given. */
      readonly domain: string;
      /** URL at which the file belongs. */
      readonly url: string;
      readonly status_code?: number;
      readonly response_bytes?: number;
      /** URL at which it was found, if different. */
      readonly resolved_url?: string;
      readonly discovery_method: 'direct' | 'authoritative_location' | 'ads_txt_managerdomain';
      readonly manager_domain?: string;
    };
  };
  readonly timestamp: string;
}
/** Validation of the files of a publisher: summary and full report. */
export interface PublisherValidation {
  readonly valid: boolean;
  readonly domain: string;
  readonly url: string;
  readonly discovery_method: 'direct' | 'authoritative_location' | 'ads_txt_managerdomain';
  readonly manager_domain?: string;
  readonly agent_count: number;
  readonly property_count: number;
  readonly property_type_counts: {
    readonly [k: string]: number;
  };
  readonly tag_count: number;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly report: {
    readonly valid: boolean;
    /** Verdict in words, for example `valid: 1 of 3 agents may sell today`. */
    readonly verdict: string;
    /** How many of the agents may sell something at the moment of the check, as strict buyers read the file. Null for a brand.json. */
    readonly may_sell_now: number | null;
    /** Errors that remain once the certain fixes are made. Absent where there is nothing to fix. */
    readonly errors_left?: number;
    readonly kind: 'adagents' | 'brand';
    readonly variant: string | null;
    readonly agents: readonly string[];
    /** Findings, each with its place, a hint, and a fix if one is certain; as in `agent-registry validate --json`. */
    readonly findings: {
      readonly severity: 'error' | 'warning';
      readonly code: string;
      readonly pointer: string;
      readonly message: string;
    }[];
    /** Who may sell which properties according to the file, as strict buyers read it. */
    readonly summary: {
      readonly publishers: readonly unknown[];
      readonly out_of_time: readonly unknown[];
      readonly without_effect: readonly unknown[];
      readonly agents: readonly unknown[];
      readonly more: number;
    };
    readonly trail: {
      readonly [k: string]: unknown;
    }[];
    /** Text of the file with all safe fixes, up to 32 KiB. */
    readonly fixed?: string;
    /** True if parts are omitted because of the size limit. */
    readonly truncated?: true;
  };
  readonly timestamp: string;
  readonly visit: VisitState;
}
/** Whether the adagents.json of a domain is valid. */
export interface PropertyValidation {
  readonly valid: boolean;
  readonly domain: string;
  readonly url: string;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly status_code?: number;
  readonly timestamp: string;
}
/** A requested visit. */
export interface CrawlRequestAccepted {
  readonly message: string;
  readonly domain: string;
  readonly agent_url?: string;
  readonly crawl_request_id: string;
  readonly status: 'queued' | 'running' | 'completed' | 'invalid' | 'failed';
  readonly requested_at: string;
}
/** State of a requested visit. */
export interface CrawlRequestState {
  readonly crawl_request_id: string;
  /** Domain of the agent URL, if an agent was requested. */
  readonly domain: string;
  readonly agent_url?: string;
  /** completed: a file or the agent could be read. For a finished request: result of the latest visit since then. */
  readonly status: 'queued' | 'running' | 'completed' | 'invalid' | 'failed';
  readonly attempts: number;
  readonly max_attempts: number;
  readonly requested_at: string;
  readonly started_at: string | null;
  readonly last_attempted_at: string | null;
  readonly completed_at: string | null;
  readonly next_attempt_at: string | null;
  readonly last_error_code: string | null;
  readonly visits: readonly VisitState[];
}
/** Statistics of the registry. */
export interface RegistryStats {
  readonly agents: {
    readonly total: number;
    readonly verified: number;
    readonly by_type: {
      readonly [k: string]: number;
    };
    readonly by_protocol: {
      readonly [k: string]: number;
    };
    /** Number of agents by compliance status. */
    readonly by_compliance_status: {
      readonly [k: string]: number;
    };
    /** Number of agents by declared sales country (ISO 3166-1); an agent counts in each of its countries. */
    readonly by_country: {
      readonly [k: string]: number;
    };
  };
  /** Sources by the outcome of their last visit. */
  readonly sources: {
    readonly adagents: {
      readonly total: number;
      /** Number of files in use. */
      readonly valid: number;
      readonly by_status: {
        readonly [k: string]: number;
      };
      /** Percentiles of minutes since the last successful read. */
      readonly freshness_minutes: {
        readonly p50: number | null;
        readonly p90: number | null;
        readonly p99: number | null;
      };
    };
    readonly brand: {
      readonly total: number;
      /** Number of files in use. */
      readonly valid: number;
      readonly by_status: {
        readonly [k: string]: number;
      };
      /** Percentiles of minutes since the last successful read. */
      readonly freshness_minutes: {
        readonly p50: number | null;
        readonly p90: number | null;
        readonly p99: number | null;
      };
    };
    readonly agent: {
      readonly total: number;
      readonly by_status: {
        readonly [k: string]: number;
      };
      /** Percentiles of minutes since the last successful read. */
      readonly freshness_minutes: {
        readonly p50: number | null;
        readonly p90: number | null;
        readonly p99: number | null;
      };
    };
  };
  readonly due: {
    readonly domains: number;
    readonly agents: number;
    readonly tests: number;
    /** Due time of the most overdue visit. */
    readonly oldest_due_at: string | null;
    readonly oldest_due_seconds: number;
  };
  /** Agents by storyboard: tested in their latest run, passing, and incomplete. Storyboards with fewer than five tested agents are omitted. */
  readonly storyboards: {
    readonly [k: string]: {
      readonly tested: number;
      readonly passing: number;
      /** Storyboards that are neither passing nor failing. */
      readonly incomplete: number;
    };
  };
  /** Live generation of the index. */
  readonly index: {
    readonly documents: number;
    /** Start of its build. */
    readonly built_at: string | null;
    /** Number of changes not applied yet. */
    readonly changes_waiting: number;
    readonly layout: number;
  };
  /** Number of files and agents whose last visit failed because of the network of the registry itself. Not counted as failures. */
  readonly own_network: number;
  /** Version of the program. */
  readonly version: string;
  /** Build, records schema, index layout and Node version. */
  readonly build?: string;
  readonly generated_at: string;
}
/** One page of changes of the directory, newest first. */
export interface ChangeList {
  readonly changes: {
    readonly at: string;
    readonly kind: 'listed' | 'changed' | 'delisted';
    readonly agent_url: string;
    /** Changed parts; empty for an agent that was listed or delisted. */
    readonly parts: (
      | 'accreditations'
      | 'badges'
      | 'capabilities'
      | 'compliance'
      | 'contact'
      | 'description'
      | 'endpoint'
      | 'inventory'
      | 'member'
      | 'metrics'
      | 'name'
      | 'protocol'
      | 'type'
    )[];
    /** New compliance status; absent if it did not change. */
    readonly compliance_status?: 'passing' | 'degraded' | 'failing' | 'unknown' | 'opted_out';
    /** New lifecycle stage; absent if it did not change. */
    readonly lifecycle_stage?: 'development' | 'testing' | 'production' | 'deprecated';
    /** Roles that the agent is verified for since this change. */
    readonly badges_earned?: readonly string[];
    /** Roles that the agent is no longer verified for. */
    readonly badges_lost?: readonly string[];
  }[];
  readonly next_cursor: string | null;
}
/** Events of the directory, in order. An event can be delivered twice; applying it again has no effect. */
export interface FeedPage {
  readonly events: {
    /** Stable id of the event. */
    readonly event_id: string;
    event_type:
      | 'agent.discovered'
      | 'agent.removed'
      | 'agent.profile_updated'
      | 'agent.compliance_changed'
      | 'agent.verification_earned'
      | 'agent.verification_lost'
      | 'publisher.adagents_discovered'
      | 'publisher.adagents_changed'
      | 'authorization.granted'
      | 'authorization.revoked';
    readonly entity_type: 'agent' | 'publisher' | 'authorization';
    /** The agent or the publisher; for an authorisation, agent and publisher separated by |. */
    readonly entity_id: string;
    /** An agent as in the search, a publisher with counts of its file, or an authorisation row. */
    readonly payload: {
      readonly [k: string]: unknown;
    } & {
      readonly agent_url?: string;
      readonly publisher_domain?: string;
      readonly [k: string]: unknown;
    };
    readonly actor: string;
    readonly created_at: string;
  }[];
  /** UUID version 7. Never expires. */
  readonly cursor: string;
  readonly has_more: boolean;
  readonly freshness: {
    readonly generated_at: string;
    readonly latest_event_created_at: string | null;
    /** Seconds since the last change of an agent. */
    readonly lag_seconds: number | null;
    /** A hundred years: events are never deleted. */
    readonly retention_days: number;
  };
}
/** A publisher with the data needed to answer questions about it; one line of an export. */
export interface ExportedPublisher {
  readonly kind: 'publisher';
  readonly publisher_domain: string;
  /** URL of its file. */
  readonly file: string;
  /** True if the file was older than two visit intervals when the line was created. */
  readonly stale: boolean;
  readonly properties: {
    readonly property_type: string;
    readonly property_id?: string;
    readonly name?: string;
    /** JSON Pointer of the entry that contains it; absent if it is in the catalogue. */
    readonly entry?: string;
    readonly identifiers: {
      readonly type: string;
      readonly value: string;
    }[];
    readonly tags: readonly string[];
  }[];
  readonly entries: {
    readonly agent_url: string;
    /** JSON Pointer of the entry in the file. */
    readonly entry: string;
    /** Coverage of the entry. If absent, coverage is unknown and the entry is treated as a denial. Unknown fields may narrow the coverage. */
    readonly covers?: {
      readonly all?: 'inventory' | 'listed';
      readonly property_ids?: readonly string[];
      readonly property_tags?: readonly string[];
      /** True for a publisher selector: only properties with an id are covered. */
      readonly selected?: true;
      /** True if the entry covers its inline properties. */
      readonly inline?: true;
      readonly signals?: readonly string[];
    };
    /** Unknown fields may narrow the entry. */
    readonly limits?: {
      readonly delegation_type?: 'direct' | 'delegated' | 'ad_network';
      readonly exclusive?: boolean;
      readonly countries?: readonly string[];
      readonly collections?: {
        readonly publisher_domain: string;
        readonly collection_ids?: readonly string[];
      }[];
      readonly placement_ids?: readonly string[];
      readonly placement_tags?: readonly string[];
      readonly tagged_placements?: readonly string[];
      readonly effective_from?: string;
      readonly effective_until?: string;
    };
  }[];
}
export interface ArdEntry2 {
  /** urn:air:publisher:namespace:name; for an agent, its host and path. */
  readonly identifier: string;
  readonly displayName: string;
  /** Media type of the artefact. */
  readonly type: string;
  /** URL of the artefact: the agent card (A2A), or the agent itself (MCP). */
  readonly url?: string;
  /** The artefact itself, if it has no URL. */
  readonly data?: {
    readonly [k: string]: unknown;
  };
  readonly description?: string;
  readonly version?: string;
  /** Specialisms of the agent. */
  readonly capabilities?: readonly string[];
  readonly tags?: readonly string[];
  /**
   * Example questions, derived from its capabilities.
   *
   * @minItems 2
   * @maxItems 5
   */
  readonly representativeQueries: readonly string[];
  /** Further values known to the registry, and a link to the record. */
  readonly metadata?: {
    readonly [k: string]: unknown;
  };
  /** Verified claims, with links to verify them. */
  readonly trustManifest?: {
    readonly identity: string;
    readonly identityType?: string;
    readonly attestations?: {
      readonly type: string;
      readonly uri: string;
      readonly mediaType: string;
    }[];
    readonly provenance?: {
      readonly relation: string;
      readonly sourceId: string;
    }[];
  };
  /** Defines the prefix of terms of this registry, such as reg:channels. */
  readonly '@context'?: {
    readonly [k: string]: unknown;
  };
}
/** One page of entries. */
export interface ArdEntries {
  readonly items: readonly ArdEntry[];
  /** Present if exact. */
  readonly total?: number;
  readonly pageToken?: string;
}
/** The document /.well-known/ard.json. */
export interface ArdManifest {
  readonly specVersion: '1.0';
  readonly entries: readonly ArdEntry[];
}
/** A search in natural language. */
export interface ArdSearchQuestion {
  readonly query: {
    /** Definitions of the prefixes used in filter keys. */
    readonly '@context'?: {
      readonly [k: string]: unknown;
    };
    readonly text: string;
    /** Paths of terms, each with a value or a list of alternative values. */
    readonly filter?: {
      readonly [k: string]: string | readonly string[];
    };
  };
  readonly federation?: 'auto' | 'referrals' | 'none';
  readonly pageSize?: number;
  readonly pageToken?: string;
}
/** Entries that match a query, sorted by relevance. */
export interface ArdResults {
  readonly results: {
    /** urn:air:publisher:namespace:name; for an agent, its host and path. */
    readonly identifier: string;
    readonly displayName?: string;
    /** Media type of the artefact. */
    readonly type?: string;
    /** URL of the artefact: the agent card (A2A), or the agent itself (MCP). */
    readonly url?: string;
    /** The artefact itself, if it has no URL. */
    readonly data?: {
      readonly [k: string]: unknown;
    };
    readonly description?: string;
    readonly version?: string;
    /** Specialisms of the agent. */
    readonly capabilities?: readonly string[];
    readonly tags?: readonly string[];
    /** Further values known to the registry; filters and facets use these fields. */
    readonly metadata?: {
      readonly [k: string]: unknown;
    };
    /** Verified claims, with links to verify them. */
    readonly trustManifest?: {
      readonly identity: string;
      readonly identityType?: string;
      readonly attestations?: {
        readonly type: string;
        readonly uri: string;
        readonly mediaType: string;
      }[];
      readonly provenance?: {
        readonly relation: string;
        readonly sourceId: string;
      }[];
    };
    /** Relevance only; not a measure of trust or safety. */
    readonly score: number;
    /** Registry that holds the complete entry. */
    readonly source: string;
    readonly '@context'?: {
      readonly [k: string]: unknown;
    };
  }[];
  /** Other registries; present if requested. */
  readonly referrals?: {
    readonly [k: string]: unknown;
  }[];
  readonly pageToken?: string;
}
/** Terms to count, and a query that selects the entries. */
export interface ArdExploreQuestion {
  readonly query?: {
    /** Definitions of the prefixes used in filter keys. */
    readonly '@context'?: {
      readonly [k: string]: unknown;
    };
    readonly text?: string;
    /** Paths of terms, each with a value or a list of alternative values. */
    readonly filter?: {
      readonly [k: string]: string | readonly string[];
    };
  };
  readonly resultType: {
    /**
     * @minItems 1
     * @maxItems 20
     */
    readonly facets: {
      readonly field: string;
      readonly limit?: number;
      readonly minCount?: number;
    }[];
  };
}
/** Number of entries for each value. */
export interface ArdFacets {
  readonly resultType: 'facets';
  readonly facets: {
    readonly [k: string]: {
      readonly buckets: {
        readonly value: string;
        /** Absent if counting stopped early. */
        readonly count?: number;
      }[];
      readonly otherCount?: number;
    };
  };
}
/** An error of Agentic Resource Discovery v0.91, Appendix B. */
export interface ArdError {
  readonly errorCode: string;
  readonly message: string;
}
/** Problem details (RFC 9457) with a stable code. */
export interface Problem {
  /** Identifies the kind of problem; one for each code. */
  readonly type: string;
  readonly status: number;
  /** What went wrong and what to do. */
  readonly detail: string;
  /** Same as `detail`, for clients that expect a plain error text. */
  readonly error: string;
  /** Stable code from a closed list. */
  code:
    | 'unknown_parameter'
    | 'search_only_parameter'
    | 'repeated_parameter'
    | 'empty_value'
    | 'invalid_value'
    | 'value_too_long'
    | 'too_many_values'
    | 'type_conflict'
    | 'invalid_cursor'
    | 'cursor_mismatch'
    | 'invalid_blob_shape'
    | 'missing_field'
    | 'invalid_field_type'
    | 'field_too_long'
    | 'invalid_url'
    | 'invalid_env_reference'
    | 'invalid_auth_method_value'
    | 'bad_request'
    | 'bad_encoding'
    | 'bad_agent_url'
    | 'unknown_agent'
    | 'not_found'
    | 'method_not_allowed'
    | 'invalid_key'
    | 'insufficient_scope'
    | 'not_key_maker'
    | 'invalid_signature'
    | 'feed_cursor_gone'
    | 'opted_out'
    | 'too_many_agents'
    | 'slug_taken'
    | 'domain_taken'
    | 'not_proven'
    | 'too_many_keys'
    | 'too_many_subscriptions'
    | 'subscription_dead'
    | 'not_https'
    | 'run_cooldown'
    | 'crawl_cooldown'
    | 'rate_limited'
    | 'body_too_large'
    | 'unsupported_media_type'
    | 'headers_too_large'
    | 'request_timeout'
    | 'expectation_failed'
    | 'foreign_origin'
    | 'not_offered'
    | 'not_built'
    | 'agent_failed'
    | 'overloaded'
    | 'not_ready'
    | 'unavailable'
    | 'internal';
  /** Name of the invalid parameter. */
  readonly parameter?: string;
  /** Name of the invalid OAuth client field. */
  field?:
    | 'oauth_client_credentials'
    | 'token_endpoint'
    | 'client_id'
    | 'client_secret'
    | 'scope'
    | 'resource'
    | 'audience'
    | 'auth_method';
  readonly valid_values?: readonly string[];
  /** For internal errors: id to report to the operator. */
  readonly request_id?: string;
  /** For a refused signature: code of the first failed check. */
  readonly signature_error?: string;
  /** For an API key with insufficient scope: the missing scope. */
  readonly required_scope?: 'read' | 'agents' | 'settings' | 'credentials' | 'runs' | 'keys';
  readonly visit?: VisitState;
  /** The same for every problem of this code. */
  readonly title: string;
}
/** What each operation is called with, and what it answers. */
export interface Operations {
  readonly ardExplore: {
    readonly input: {
      readonly body: ArdExploreQuestion;
    };
    readonly answer: ArdFacets;
  };
  readonly ardGetAgent: {
    readonly input: {
      /** The identifier of an entry, as one path segment. */
      readonly identifier: string;
    };
    readonly answer: ArdEntry;
  };
  readonly ardListAgents: {
    readonly input: {
      /** Conditions on terms, joined by AND. */
      readonly filter?: string;
      /** Sort order; only displayName, the default, is supported. */
      readonly orderBy?: string;
      /** Maximum number of entries. */
      readonly pageSize?: number;
      /** The pageToken of the previous page. */
      readonly pageToken?: string;
    };
    readonly answer: ArdEntries;
  };
  readonly ardSearch: {
    readonly input: {
      readonly body: ArdSearchQuestion;
    };
    readonly answer: ArdResults;
  };
  readonly askForAgent: {
    readonly input: {
      /** The member of the API key; any other is refused. */
      readonly org?: string;
      readonly body: AskedAgent;
    };
    readonly answer: OwnAgent;
  };
  readonly bulkAgentStoryboardStatus: {
    readonly input: {
      readonly body: AgentUrls;
    };
    readonly answer: AgentsStoryboards;
  };
  readonly bulkPropertyCheck: {
    readonly input: {
      readonly body: BulkPropertyQuestion;
    };
    readonly answer: BulkPropertyCheck;
  };
  readonly challengeAgent: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly url: string;
    };
    readonly answer: ProofChallenge;
  };
  readonly changeAgentSettings: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body: AgentSettingsChange;
    };
    readonly answer: AgentSettings;
  };
  readonly changeMemberSettings: {
    readonly input: {
      /** The member of the API key; any other is refused. */
      readonly org?: string;
      readonly body: OwnMemberChange;
    };
    readonly answer: OwnMember;
  };
  readonly checkPropertyList: {
    readonly input: {
      readonly body: PropertyCheckQuestion;
    };
    readonly answer: PropertyCheck;
  };
  readonly connectAgent: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body: AgentConnection;
    };
    readonly answer: AgentConnected;
  };
  readonly createAdagents: {
    readonly input: {
      readonly body: AdagentsParts;
    };
    readonly answer: CreatedAdagents;
  };
  readonly createApiKey: {
    readonly input: {
      readonly body: NewApiKey;
    };
    readonly answer: MadeApiKey;
  };
  readonly createSubscription: {
    readonly input: {
      readonly body: NewSubscription;
    };
    readonly answer: Subscription;
  };
  readonly describeOwnAgent: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly url: string;
      /** The member of the API key; any other is refused. */
      readonly org?: string;
      readonly body: DescribedAgent;
    };
    readonly answer: OwnAgent;
  };
  readonly discoverAgent: {
    readonly input: {
      /** The agent's URL. */
      readonly url: string;
    };
    readonly answer: DiscoveredAgent;
  };
  readonly examineAgent: {
    readonly input: {
      readonly body: {
        readonly agent_url: string;
      };
    };
    readonly answer: LabReport;
  };
  readonly expandProductIdentifiers: {
    readonly input: {
      readonly body: ProductQuestion;
    };
    readonly answer: ProductIdentifiers;
  };
  readonly findBrand: {
    readonly input: {
      /** Words of a name, or the beginning of a domain. */
      readonly q: string;
      /** Maximum number of brands. */
      readonly limit?: number;
    };
    readonly answer: FoundBrands;
  };
  readonly forgetTestCredential: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: TestCredential;
  };
  readonly getAgent: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: AgentInFull;
  };
  readonly getAgentAuthStatus: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: AgentAuthStatus;
  };
  readonly getAgentAuthorizations: {
    readonly input: {
      /** The agent. */
      readonly agent_url: string;
      /** Accepted for compatibility. This registry has no overrides, so both values give the same answer. */
      readonly include?: 'effective' | 'raw';
      /** Kinds of evidence, separated by commas: adagents_json, adagents_authoritative, agent_claim, community, override. Only adagents_json has rows in this registry. */
      readonly evidence?: string;
      /** Maximum number of rows. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: AuthorizationRows;
  };
  readonly getAgentBadge: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
    };
    readonly answer: string;
  };
  readonly getAgentBadgeEmbed: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
    };
    readonly answer: BadgeEmbed;
  };
  readonly getAgentBadgeOfLine: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
      /** The protocol line, or a version of it, such as `3.1-beta`. */
      readonly version: string;
    };
    readonly answer: string;
  };
  readonly getAgentBadgeOfLineEmbed: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
      /** The protocol line, or a version of it, such as `3.1-beta`. */
      readonly version: string;
    };
    readonly answer: BadgeEmbed;
  };
  readonly getAgentBadgeToken: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
      /** The protocol line, or a version of it, such as `3.1-beta`. Default: the newest line with a badge. */
      readonly line?: string;
    };
    readonly answer: string;
  };
  readonly getAgentCompliance: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: ComplianceDetail;
  };
  readonly getAgentComplianceStepDiagnostics: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** Id of the run. Default: the latest run that counts. */
      readonly run_id?: string;
      /** Maximum number of steps. */
      readonly limit?: number;
    };
    readonly answer: StepDiagnostics;
  };
  readonly getAgentDomains: {
    readonly input: {
      /** The agent, percent-encoded as one segment. */
      readonly agentUrl: string;
    };
    readonly answer: AgentDomains;
  };
  readonly getAgentFormats: {
    readonly input: {
      /** The agent's URL. */
      readonly url: string;
    };
    readonly answer: AgentFormats;
  };
  readonly getAgentHealthHistory: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** Number of days in UTC, including today. Default: 30. */
      readonly days?: number;
    };
    readonly answer: AgentHealthHistory;
  };
  readonly getAgentMonitoringRequests: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** Maximum number of requests. */
      readonly limit?: number;
      /** Only requests from this time on, RFC 3339. A date means midnight UTC. */
      readonly since?: string;
    };
    readonly answer: MonitoringRequests;
  };
  readonly getAgentMonitoringSettings: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: MonitoringSettings;
  };
  readonly getAgentProducts: {
    readonly input: {
      /** The agent's URL. */
      readonly url: string;
    };
    readonly answer: AgentProducts;
  };
  readonly getAgentSettings: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: AgentSettings;
  };
  readonly getAgentStoryboardStatus: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: AgentStoryboards;
  };
  readonly getAgentVerification: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: AgentVerification;
  };
  readonly getApi: {
    readonly input: {};
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly getApplicableStoryboards: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: ApplicableStoryboards;
  };
  readonly getArdManifest: {
    readonly input: {};
    readonly answer: ArdManifest;
  };
  readonly getAtomFeed: {
    readonly input: {
      /** Only changes of this agent. */
      readonly agent_url?: string;
      /** Only changes of the adagents.json of this publisher. */
      readonly domain?: string;
      /** Cursor from the `next` link. Not available with `domain`. */
      readonly cursor?: string;
    };
    readonly answer: string;
  };
  readonly getAuthorizationsSnapshot: {
    readonly input: {
      /** Accepted for compatibility. This registry has no overrides, so both values give the same answer. */
      readonly include?: 'effective' | 'raw';
      /** Kinds of evidence, separated by commas: adagents_json, adagents_authoritative, agent_claim, community, override. Only adagents_json has rows in this registry. */
      readonly evidence?: string;
      /** Maximum number of rows. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: AuthorizationRows;
  };
  readonly getBadgeKeys: {
    readonly input: {};
    readonly answer: {
      /** @minItems 1 */
      readonly keys: {
        readonly kty: 'OKP';
        readonly crv: 'Ed25519';
        readonly x: string;
        readonly kid: string;
        readonly alg: string;
        readonly use: 'sig';
        readonly key_ops: readonly string[];
        readonly d?: never;
      }[];
      /** The URL of the list of revoked badges, relative to this document. */
      readonly revocations: string;
    };
  };
  readonly getBadgeKeysOfApi: {
    readonly input: {};
    readonly answer: {
      /** @minItems 1 */
      readonly keys: {
        readonly kty: 'OKP';
        readonly crv: 'Ed25519';
        readonly x: string;
        readonly kid: string;
        readonly alg: string;
        readonly use: 'sig';
        readonly key_ops: readonly string[];
        readonly d?: never;
      }[];
      /** The URL of the list of revoked badges, relative to this document. */
      readonly revocations: string;
    };
  };
  readonly getBadgeRevocations: {
    readonly input: {};
    readonly answer: {
      /** The iss of the tokens that this list covers. */
      readonly issuer: string;
      readonly issued_at: string;
      /** Do not use the list after this time. */
      readonly expires_at: string;
      /** Tokens that these keys signed are invalid. */
      readonly revoked_keys: {
        readonly kid: string;
        readonly status: 'revoked';
      }[];
      /** Badges revoked in the last two days, which is longer than the lifetime of a token. */
      readonly revoked_badges: {
        /** SHA-256 in base64url of the JSON array of iss, sub, role and verified_protocol_version, without white space. */
        readonly id: string;
        readonly status: 'revoked';
        /** Tokens with an earlier verified_at are invalid. */
        readonly revoked_at: string;
      }[];
    };
  };
  readonly getBrandHistory: {
    readonly input: {
      /** The domain of the file. */
      readonly domain: string;
      /** Maximum number of versions. */
      readonly limit?: number;
      /** Number of versions to skip. */
      readonly offset?: number;
    };
    readonly answer: FileHistory;
  };
  readonly getBrandJson: {
    readonly input: {
      /** The domain of a brand or a house. */
      readonly domain: string;
      /** Not implemented: the site is not read on demand. Use POST /api/brands/validate for that. */
      readonly fresh?: 'true' | 'false';
    };
    readonly answer: BrandJson;
  };
  readonly getBulkPropertyCheckReport: {
    readonly input: {
      /** The id of the report. */
      readonly reportId: string;
    };
    readonly answer: BulkPropertyReport;
  };
  readonly getComplianceRun: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly id: string;
    };
    readonly answer: ComplianceRun;
  };
  readonly getCrawlRequest: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: CrawlRequestState;
  };
  readonly getExport: {
    readonly input: {};
    readonly answer: string;
  };
  readonly getExportedPublisher: {
    readonly input: {
      /** Domain of the publisher. */
      readonly domain: string;
    };
    readonly answer: ExportedPublisher;
  };
  readonly getFeed: {
    readonly input: {
      /** `cursor` of the previous page. It never expires. If empty or absent, the feed starts with the current state and continues with changes. */
      readonly cursor?: string;
      /** Comma-separated event types; each can contain one `*` as a wildcard. Types: agent.discovered, agent.removed, agent.profile_updated, agent.compliance_changed, agent.verification_earned, agent.verification_lost, publisher.adagents_discovered, publisher.adagents_changed, authorization.revoked, authorization.granted. */
      readonly types?: string;
      /** Maximum number of changes per page; one change can produce several events. */
      readonly limit?: number;
    };
    readonly answer: FeedPage;
  };
  readonly getFileDiff: {
    readonly input: {
      /** The domain of the file. */
      readonly domain: string;
      /** The file name without .json. */
      readonly file?: 'adagents' | 'brand';
      /** The number of a version in the history. Default: the newest. */
      readonly revision?: number;
    };
    readonly answer: FileDiff;
  };
  readonly getFileFindings: {
    readonly input: {
      /** The domain of the file. */
      readonly domain: string;
      /** The file name without .json. */
      readonly file?: 'adagents' | 'ard' | 'brand';
    };
    readonly answer: FileFindings;
  };
  readonly getHealth: {
    readonly input: {};
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly getLabReport: {
    readonly input: {
      readonly id: string;
    };
    readonly answer: LabReport;
  };
  readonly getMember: {
    readonly input: {
      /** The slug of the member. */
      readonly slug: string;
    };
    readonly answer: ShownMember;
  };
  readonly getMemberSettings: {
    readonly input: {
      /** The member of the API key; any other is refused. */
      readonly org?: string;
    };
    readonly answer: OwnMember;
  };
  readonly getNetwork: {
    readonly input: {
      /** The domain of the manager. */
      readonly domain: string;
      /** `orphaned`: the file authorises no agent for them. `behind`: last crawled before the file changed. `missing`: see above. */
      readonly show?: 'all' | 'orphaned' | 'behind' | 'missing';
      /** Only publishers whose domain starts with this text. */
      readonly search?: string;
      /** Maximum number of publishers. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: Network;
  };
  readonly getOpenApi: {
    readonly input: {};
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly getOwnerStatement: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: OwnerStatement;
  };
  readonly getPropertyCheckReport: {
    readonly input: {
      /** The id of the report. */
      readonly reportId: string;
    };
    readonly answer: PropertyCheckReport;
  };
  readonly getPropertyHistory: {
    readonly input: {
      /** The domain of the file. */
      readonly domain: string;
      /** Maximum number of versions. */
      readonly limit?: number;
      /** Number of versions to skip. */
      readonly offset?: number;
    };
    readonly answer: FileHistory;
  };
  readonly getReadiness: {
    readonly input: {};
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly getRegistryStats: {
    readonly input: {};
    readonly answer: RegistryStats;
  };
  readonly getSchema: {
    readonly input: {
      /** A version such as `3.0.0` or `3.1.0-beta.2`, exactly as installed, or an alias: `latest`, `3`, `3.0`, and `3.1-beta` for the newest pre-release of that name. The 404 for another version lists those that are available. */
      readonly version: string;
      /** Area of the protocol; `core` contains the schemas shared by all tasks. */
      readonly area: 'account' | 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'protocol' | 'core';
      /** Name of the task followed by `-request.json` or `-response.json`. Hyphens and underscores are equivalent. */
      readonly file: string;
    };
    /** A JSON Schema 2020-12. */
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly getStoryboard: {
    readonly input: {
      /** Id of the storyboard. */
      readonly id: string;
      /** A version or a line of the protocol, or an alias that the operator gave a bundle. Default: the bundle for agents that declare no version. The error for an unknown one lists the known ones. */
      readonly compliance_target?: string;
    };
    readonly answer: StoryboardDetail;
  };
  readonly getStoryboardFirstStep: {
    readonly input: {
      /** Id of the storyboard. */
      readonly id: string;
      /** A version or a line of the protocol, or an alias that the operator gave a bundle. Default: the bundle for agents that declare no version. The error for an unknown one lists the known ones. */
      readonly compliance_target?: string;
    };
    readonly answer: StoryboardFirstStep;
  };
  readonly getTestCredential: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: TestCredential;
  };
  readonly getWebhookKeys: {
    readonly input: {};
    readonly answer: {
      /** @minItems 1 */
      readonly keys: {
        readonly kty: 'OKP';
        readonly crv: 'Ed25519';
        readonly x: string;
        readonly kid: string;
        readonly alg: string;
        readonly use: 'sig';
        readonly key_ops: readonly string[];
        readonly d?: never;
      }[];
    };
  };
  readonly giveUpAgent: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly url: string;
      /** The member of the API key; any other is refused. */
      readonly org?: string;
    };
    readonly answer: OwnAgent;
  };
  readonly inviteDomain: {
    readonly input: {
      readonly body: DomainToJoinBy;
    };
    readonly answer: DomainInvitation;
  };
  readonly joinRegistry: {
    readonly input: {
      readonly body: JoinRequest;
    };
    readonly answer: MadeApiKey;
  };
  readonly keepOwnerStatement: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body: {
        readonly text: string;
      };
    };
    readonly answer: OwnerStatement;
  };
  readonly listAgentAudit: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** Maximum number of records. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: AgentAudit;
  };
  readonly listAgentPublishers: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** `authorized`: publishers that authorise the agent now. `revoked`: publishers that no longer do. */
      readonly status?: readonly ('authorized' | 'revoked')[];
      /** Only publishers whose domain starts with this text. */
      readonly search?: string;
      /** Only authorisations that began or ended at this time or later. */
      readonly since?: string;
      /** Also return the ids of the properties that the agent may sell now, as far as the answer has room. */
      readonly include?: 'properties';
      /** Maximum number of publishers. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: AgentPublishers;
  };
  readonly listAgentPublishersLegacy: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** `authorized`: publishers that authorise the agent now. `revoked`: publishers that no longer do. */
      readonly status?: readonly ('authorized' | 'revoked')[];
      /** Only publishers whose domain starts with this text. */
      readonly search?: string;
      /** Only authorisations that began or ended at this time or later. */
      readonly since?: string;
      /** Also return the ids of the properties that the agent may sell now, as far as the answer has room. */
      readonly include?: 'properties';
      /** Maximum number of publishers. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: AgentPublishers;
  };
  readonly listAgents: {
    readonly input: {
      /** Only agents of this type. */
      type?:
        | 'brand'
        | 'rights'
        | 'measurement'
        | 'governance'
        | 'creative'
        | 'sales'
        | 'buying'
        | 'signals'
        | 'unknown';
      /**
       * Only agents with a metric that has exactly this metric_id. Repeat it for alternatives. Implies type=measurement.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly metric_id?: readonly string[];
      /**
       * Only agents with a metric that is accredited by exactly this accrediting_body, as the vendor declares. Repeat it for alternatives. Implies type=measurement.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly accreditation?: readonly string[];
      /** Only agents with a metric whose metric_id contains this text. Case-insensitive; every character is literal. Implies type=measurement. */
      readonly q?: string;
      /** When true, a single metric must meet metric_id, accreditation, q and accreditation_valid, if they are given. Implies type=measurement. */
      readonly same_metric?: boolean;
      /** When true, an accreditation, or one of those in accreditation, must not have expired. Its last day ends at midnight UTC. Implies type=measurement. */
      readonly accreditation_valid?: boolean;
      /** When true, only agents that hold an active verification badge. */
      readonly verified?: boolean;
      /**
       * Only agents with an active badge that covers this axis. If it is repeated, one badge must cover all of them.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly verification_mode?: readonly ('spec' | 'live')[];
      /** Only agents that the last successful probe reached over this protocol. */
      readonly protocol?: 'mcp' | 'a2a';
      /** Only agents with this status. Agents without a test are unknown. */
      readonly compliance_status?: 'passing' | 'degraded' | 'failing' | 'unknown' | 'opted_out';
      /** When true, adds the group health. */
      readonly health?: boolean;
      /** When true, adds the group capabilities. */
      readonly capabilities?: boolean;
      /** When true, adds stats, publisher_domains and property_summary. */
      readonly properties?: boolean;
      /** When true, adds the group compliance. */
      readonly compliance?: boolean;
      /** Maximum number of agents in one response, 1 to 10000. Default: 10000. A response has at most 2 MiB. */
      readonly limit?: number;
      /** The next_cursor of the previous response, with the same filters. */
      readonly cursor?: string;
      /** When true, adds total: the number of agents that match the filters. */
      readonly total?: boolean;
    };
    readonly answer: AgentList;
  };
  readonly listApiKeys: {
    readonly input: {};
    readonly answer: ApiKeyList;
  };
  readonly listBadgeEvents: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** Maximum number of events. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: BadgeTimeline;
  };
  readonly listBrands: {
    readonly input: {
      /** Only domains that start with this text. */
      readonly search?: string;
      /** Maximum number of items. */
      readonly limit?: number;
      /** Number of items to skip. To skip more, follow `next_cursor`. */
      readonly offset?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: BrandList;
  };
  readonly listChanges: {
    readonly input: {
      /** Maximum number of changes. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: ChangeList;
  };
  readonly listComplianceLines: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: ComplianceLines;
  };
  readonly listComplianceRuns: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** Maximum number of runs. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: ComplianceHistory;
  };
  readonly listMembers: {
    readonly input: {
      /** Maximum number of members. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: MemberList;
  };
  readonly listMyAgents: {
    readonly input: {
      /** The member of the API key; any other is refused. */
      readonly org?: string;
      /** Maximum number of agents. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: MyAgents;
  };
  readonly listOperations: {
    readonly input: {};
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly listProperties: {
    readonly input: {
      /** Only domains that start with this text. */
      readonly search?: string;
      /** Maximum number of items. */
      readonly limit?: number;
      /** Number of items to skip. To skip more, follow `next_cursor`. */
      readonly offset?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: PropertyList;
  };
  readonly listPublisherEntries: {
    readonly input: {
      /** The domain of a publisher. */
      readonly domain: string;
      /** Only entries of this agent, or of agents with this text in their URL. */
      readonly agent?: string;
      /** Only entries that are valid in this country, for example DE. */
      readonly country?: string;
      /** Only entries that cover a property with this id or identifier. */
      readonly property?: string;
      /** Only entries that cover a listed property of this type. */
      type?:
        | 'website'
        | 'mobile_app'
        | 'ctv_app'
        | 'desktop_app'
        | 'dooh'
        | 'podcast'
        | 'radio'
        | 'linear_tv'
        | 'streaming_audio'
        | 'ai_assistant';
      /** Maximum number of entries. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: PublisherEntries;
  };
  readonly listPublishers: {
    readonly input: {
      /** Maximum number of publishers. */
      readonly limit?: number;
      /** The next_cursor of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: PublisherList;
  };
  readonly listSchemaVersions: {
    readonly input: {};
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly listSchemas: {
    readonly input: {
      /** A version such as `3.0.0` or `3.1.0-beta.2`, exactly as installed, or an alias: `latest`, `3`, `3.0`, and `3.1-beta` for the newest pre-release of that name. The 404 for another version lists those that are available. */
      readonly version: string;
    };
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly listStoryboards: {
    readonly input: {
      /** Only storyboards of this category. The error for an unknown category lists the known ones. */
      readonly category?: string;
      /** A version or a line of the protocol, or an alias that the operator gave a bundle. Default: the bundle for agents that declare no version. The error for an unknown one lists the known ones. */
      readonly compliance_target?: string;
    };
    readonly answer: StoryboardList;
  };
  readonly listSubscriptions: {
    readonly input: {};
    readonly answer: SubscriptionList;
  };
  readonly lookupDomain: {
    readonly input: {
      /** A domain name. */
      readonly domain: string;
    };
    readonly answer: DomainLookup;
  };
  readonly lookupManifestRef: {
    readonly input: {
      /** The domain of a brand or a house. */
      readonly domain: string;
      /** A file or an agent. */
      readonly type?: 'url' | 'agent' | 'brand.json';
    };
    readonly answer: ManifestReference;
  };
  readonly lookupOperator: {
    readonly input: {
      /** A domain name. */
      readonly domain: string;
      /** Accepted for compatibility. */
      readonly scope?: 'public' | 'member' | 'private' | 'all';
    };
    readonly answer: OperatorLookup;
  };
  readonly lookupProperty: {
    readonly input: {
      /** The type of an identifier. */
      readonly type: string;
      /** Its value. */
      readonly value: string;
    };
    readonly answer: PropertyLookup;
  };
  readonly lookupPublisher: {
    readonly input: {
      /** The domain of a publisher. */
      readonly domain: string;
      /** Also return its placements, from a file of up to 2 MiB. */
      readonly include?: 'placements';
    };
    readonly answer: PublisherLookup;
  };
  readonly lookupPublisherAuthorization: {
    readonly input: {
      /** The domain of a publisher. */
      readonly domain: string;
      /** The agent. */
      readonly agent: string;
    };
    readonly answer: PublisherAuthorization;
  };
  readonly proveAgent: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly url: string;
    };
    readonly answer: ProofSearch;
  };
  readonly refreshAgent: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: CrawlRequestAccepted;
  };
  readonly removeSubscription: {
    readonly input: {
      /** The id of the subscription. */
      readonly id: string;
    };
    readonly answer: Subscription;
  };
  readonly requestBrandCrawl: {
    readonly input: {
      readonly body: {
        readonly domain: string;
      };
    };
    readonly answer: CrawlRequestAccepted;
  };
  readonly requestCrawl: {
    readonly input: {
      readonly body: {
        readonly domain: string;
      };
    };
    readonly answer: CrawlRequestAccepted;
  };
  readonly requestManagerRevalidation: {
    readonly input: {
      readonly body: {
        readonly manager_domain: string;
      };
    };
    readonly answer: CrawlRequestAccepted;
  };
  readonly requeueAgentForHeartbeat: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: Requeued;
  };
  readonly resolveBrand: {
    readonly input: {
      /** The domain of a brand or a house. */
      readonly domain: string;
      /** Not implemented: the site is not read on demand. Use POST /api/brands/validate for that. */
      readonly fresh?: 'true' | 'false';
    };
    readonly answer: ResolvedBrand;
  };
  readonly resolveBrandsInBulk: {
    readonly input: {
      readonly body: DomainList;
    };
    readonly answer: ResolvedBrands;
  };
  readonly resolveIdentifiers: {
    readonly input: {
      readonly body: IdentifierQuestion;
    };
    readonly answer: ResolvedIdentifiers;
  };
  readonly resolveProperties: {
    readonly input: {
      /** The domain of a publisher. */
      readonly domain: string;
    };
    readonly answer: ResolvedProperty;
  };
  readonly resolvePropertiesInBulk: {
    readonly input: {
      readonly body: DomainList;
    };
    readonly answer: ResolvedProperties;
  };
  readonly reviveSubscription: {
    readonly input: {
      /** The id of the subscription. */
      readonly id: string;
    };
    readonly answer: Subscription;
  };
  readonly revokeApiKey: {
    readonly input: {
      /** The id of the key, without its secret. */
      readonly id: string;
    };
    readonly answer: RevokedApiKey;
  };
  readonly runStoryboard: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** The id of a storyboard. */
      readonly storyboardId: string;
      readonly body?: {
        readonly agent_url?: string;
      };
    };
    readonly answer: AskedStoryboardRun;
  };
  readonly saveAgentOAuthClientCredentials: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body: AgentOAuthClient;
    };
    readonly answer: AgentOAuthConnected;
  };
  readonly search: {
    readonly input: {
      /** Words of a name, or the beginning of a domain. */
      readonly q: string;
    };
    readonly answer: RegistrySearch;
  };
  readonly searchAgents: {
    readonly input: {
      /** Words to search for in the name, description, tools, specialisms, metrics, accrediting bodies, domains and tags of an agent. A word of three or more letters also matches longer words that begin with it. An agent must have all the words; if no agent has them, words that match nothing are ignored and listed in ignored_words. */
      readonly q?: string;
      /** Only agents of this type. */
      type?:
        | 'brand'
        | 'rights'
        | 'measurement'
        | 'governance'
        | 'creative'
        | 'sales'
        | 'buying'
        | 'signals'
        | 'unknown';
      /**
       * Only agents with a metric that has exactly this metric_id. Repeat it for alternatives.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly metric_id?: readonly string[];
      /**
       * Only agents with a metric that is accredited by exactly this accrediting_body, as the vendor declares. Repeat it for alternatives.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly accreditation?: readonly string[];
      /** When true, a single metric must meet metric_id, accreditation and accreditation_valid, if they are given. */
      readonly same_metric?: boolean;
      /** When true, an accreditation, or one of those in accreditation, must not have expired. Its last day ends at midnight UTC. */
      readonly accreditation_valid?: boolean;
      /** When true, only agents that hold an active verification badge. */
      readonly verified?: boolean;
      /**
       * Only agents with an active badge that covers this axis. If it is repeated, one badge must cover all of them.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly verification_mode?: readonly ('spec' | 'live')[];
      /** Only agents that the last successful probe reached over this protocol. */
      readonly protocol?: 'mcp' | 'a2a';
      /** Only agents with this status. Agents without a test are unknown. */
      readonly compliance_status?: 'passing' | 'degraded' | 'failing' | 'unknown' | 'opted_out';
      /** Only agents that declare one of these channels. Separate alternatives with commas. Case-insensitive. */
      readonly channels?: string;
      /** Only agents that publishers authorise for a property of one of these types. Separate alternatives with commas. Case-insensitive. */
      readonly property_types?: string;
      /** Only agents that declare one of these countries. Separate alternatives with commas. Case-insensitive. */
      readonly markets?: string;
      /** Only agents with a property that has one of these codes of the IAB content taxonomy as a tag. Separate alternatives with commas. Case-insensitive. */
      readonly categories?: string;
      /** Only agents with a property that has one of these tags. Separate alternatives with commas. Case-insensitive. */
      readonly tags?: string;
      /** Only agents whose specialisms include one of these delivery types: guaranteed, non_guaranteed. Separate alternatives with commas. Case-insensitive. */
      readonly delivery_types?: string;
      /** Only agents with a creative format of one of these kinds. Separate alternatives with commas. Case-insensitive. */
      readonly format_kinds?: string;
      /** Only agents that declare one of these specialisms. Separate alternatives with commas. Case-insensitive. */
      readonly specialisms?: string;
      /** Only agents that offer one of these tasks or declare one of these specialisms. Separate alternatives with commas. Case-insensitive. */
      readonly capability?: string;
      /** Alias of channels; use only one of the two. Separate alternatives with commas. Case-insensitive. */
      readonly channel?: string;
      /** When true, only agents that answered the last probe. Facets and counts of other filters still include agents that are offline. */
      readonly online?: boolean;
      /** When true, only agents that support trusted match; when false, only agents that do not. */
      readonly has_tmp?: boolean;
      /** Only agents that publishers authorise for at least this number of properties. */
      readonly min_properties?: number;
      /** Order of the results: by relevance (default), by name, or with the most properties or publishers first. */
      readonly sort?: 'relevance' | 'name' | 'properties' | 'publishers';
      /** When true, adds facets: the number of agents for each value of each filter. */
      readonly facets?: boolean;
      /** Maximum number of agents in one response, 1 to 200. Default: 50. */
      readonly limit?: number;
      /** The cursor of the previous response of the same search. */
      readonly cursor?: string;
    };
    readonly answer: AgentSearch;
  };
  readonly startComplianceRun: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body?: RunRequest;
    };
    readonly answer: AskedRun;
  };
  readonly storeTestCredential: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body: TestCredentialChange;
    };
    readonly answer: TestCredential;
  };
  readonly takeBackOwnerStatement: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: OwnerStatement;
  };
  readonly testAgentOAuthClientCredentials: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
    };
    readonly answer: AgentTokenTest;
  };
  readonly testSubscription: {
    readonly input: {
      /** The id of the subscription. */
      readonly id: string;
    };
    readonly answer: Subscription;
  };
  readonly updateAgentComplianceOptOut: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body: {
        readonly opt_out: boolean;
      };
    };
    readonly answer: AgentLifecycle;
  };
  readonly updateAgentLifecycle: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body: {
        readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
      };
    };
    readonly answer: AgentLifecycle;
  };
  readonly updateAgentMonitoringInterval: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body: {
        readonly interval_hours: number;
      };
    };
    readonly answer: MonitoringSettings;
  };
  readonly updateAgentMonitoringPause: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly body: {
        readonly paused: boolean;
      };
    };
    readonly answer: MonitoringSettings;
  };
  readonly validateAdagents: {
    readonly input: {
      readonly body: AdagentsQuestion;
    };
    readonly answer: FileValidation;
  };
  readonly validateBrand: {
    readonly input: {
      readonly body: BrandQuestion;
    };
    readonly answer: FileValidation;
  };
  readonly validateProductAuthorization: {
    readonly input: {
      readonly body: ProductQuestion;
    };
    readonly answer: ProductAuthorization;
  };
  readonly validateProperty: {
    readonly input: {
      /** The domain of a publisher. */
      readonly domain: string;
    };
    readonly answer: PropertyValidation;
  };
  readonly validatePropertyAuthorization: {
    readonly input: {
      /** The agent. */
      readonly agent_url: string;
      /** The type of an identifier. */
      readonly identifier_type: string;
      /** Its value. */
      readonly identifier_value: string;
      /** The publisher of the property; several publishers can list an app. */
      readonly publisher_domain?: string;
      /** Country code (ISO 3166-1 alpha-2). */
      readonly country?: string;
      /** As of this time (RFC 3339), for example 2026-11-22T12:00:00Z; a date means its midnight UTC. Default: now. */
      readonly at?: string;
    };
    readonly answer: PropertyAuthorization;
  };
  readonly validatePublisher: {
    readonly input: {
      /** The domain of a publisher. */
      readonly domain: string;
    };
    readonly answer: PublisherValidation;
  };
}
