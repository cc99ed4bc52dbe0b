// Made from the OpenAPI document by tools/generate-client-types.ts; a change here is lost.
/**
 * Under metric_id, accreditation, q or accreditation_valid: what met them. One that met all of them stands first. In a search, a metric or a body with one of the words of q meets it, and stands here without other filters too.
 *
 * @maxItems 10
 */
export type MatchedMetrics = {
  readonly metric_id: string;
  /** As the vendor claims. */
  readonly accrediting_body?: string;
  /** The last day of the accreditation; absent where the vendor names none. */
  readonly valid_until?: string;
  /** Beside a body: whether the accreditation has not expired. A day ends in UTC. */
  readonly valid?: boolean;
  /** The parameters that are met by this metric, and by this accreditation of it. */
  readonly met: readonly ('metric_id' | 'q' | 'accreditation' | 'accreditation_valid')[];
  /** In a search: the words of q that the metric or the body has. */
  readonly words?: readonly string[];
}[];
/** @maxItems 1000 */
export type Tools = {
  readonly name: string;
  readonly description: string;
}[];
export type PublisherDomains = readonly string[];
/** When nothing is found: words and values of filters that no agent has, and the known ones that are most alike. */
export type Nearest = {
  readonly parameter: string;
  readonly value: string;
  /** @maxItems 3 */
  readonly nearest: readonly string[];
}[];
/** Compliance of one agent. The keys and their order are the same for every viewer; owner-scoped fields are null, false or empty for anybody else. An agent that opted out shows the short form. */
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
      /** Those of which a step ran. */
      readonly storyboards_total: number;
      /** Of `storyboards_total`: no step failed, and a step that the agent should have made possible was skipped. They count neither as passing nor as failing. */
      readonly storyboards_incomplete: number;
      readonly check_interval_hours: number;
      /** @maxItems 1000 */
      readonly declared_specialisms: readonly string[];
      readonly specialism_status: {
        readonly [k: string]: 'pass' | 'fail' | 'untested';
      };
      /**
       * Owner-scoped.
       *
       * @maxItems 1000
       */
      readonly storyboard_statuses: readonly StoryboardStatus[];
      /**
       * Passed on as the runner wrote them.
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
      /** Owner-scoped. */
      readonly membership_tier: string | null;
      /** Owner-scoped. */
      readonly membership_tier_label: string | null;
      /** Owner-scoped. */
      readonly subscription_status: string | null;
      /** Owner-scoped. */
      readonly is_api_access_tier: boolean;
      /** Owner-scoped. */
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
/** The compliance runs of one agent, newest first by their beginning. Dry runs and runs of some storyboards only are shown to the agent's owner alone. An agent that opted out shows the short form. */
export type ComplianceHistory =
  | {
      readonly agent_url: string;
      /** @maxItems 100 */
      readonly runs: readonly RunSummary[];
      /** For the parameter cursor; null on the last page. */
      readonly next_cursor: string | null;
    }
  | {
      readonly agent_url: string;
      readonly status: 'opted_out';
      readonly compliance_opt_out: true;
      readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
    };
/** One compliance run. A requested run that is not over has its own form, for the owner. The keys and their order are the same for every viewer. An agent that opted out shows the short form. */
export type ComplianceRun =
  | {
      readonly agent_url: string;
      readonly state: 'finished';
      readonly run_id: string;
      readonly started_at: string;
      readonly finished_at: string;
      readonly outcome: 'complete' | 'unreachable' | 'inconclusive';
      /** Why the run changes no status. `declaration_unread`, and `auth_required` for a missing credential, end badges if they persist. All other reasons, including a missing signing key, are not the agent's fault. */
      readonly inconclusive_reason: string | null;
      readonly status: 'passing' | 'degraded' | 'failing' | 'unknown';
      readonly tracks: {
        readonly [k: string]: string;
      };
      readonly headline: string | null;
      readonly storyboards_passing: number;
      /** Those of which a step ran. */
      readonly storyboards_total: number;
      /** Of `storyboards_total`: no step failed, and a step that the agent should have made possible was skipped. They count neither as passing nor as failing. */
      readonly storyboards_incomplete: number;
      /** Declared specialisms that no storyboard of the run tested; the counts say nothing of them. */
      readonly specialisms_untested: number;
      readonly requested_compliance_target: string | null;
      readonly proto_version: string | null;
      /** Recorded elsewhere. */
      readonly imported: boolean;
      readonly dry_run: boolean;
      /** Of some storyboards only. */
      readonly partial: boolean;
      /** Owner-scoped. */
      readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook' | null;
      /** Of the rules that the verdict follows. */
      readonly algorithm_version: string;
      /** @maxItems 1000 */
      readonly track_details: readonly TrackDetail[];
      /** @maxItems 1000 */
      readonly declared_specialisms: readonly string[];
      readonly specialism_status: {
        readonly [k: string]: 'pass' | 'fail' | 'untested';
      };
      /**
       * Passed on as the runner wrote them.
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
       * The storyboards of the run, track by track. Empty in runs recorded elsewhere.
       *
       * @maxItems 1000
       */
      readonly storyboards: {
        readonly storyboard_id: string;
        readonly track: string;
        /** Null where the specialisms, the headline and the counts of the track do not say it: then only the owner sees it, in storyboard_statuses. */
        readonly result: 'pass' | 'fail' | 'incomplete' | 'skipped' | null;
        /** Of all its steps. Null where the result is, and in runs that did not keep it. */
        readonly duration_ms: number | null;
        readonly title: string;
      }[];
      /**
       * Owner-scoped.
       *
       * @maxItems 1000
       */
      readonly storyboard_statuses: readonly StoryboardStatus[];
      /** Owner-scoped: the run with its steps and checks, and the exchanged messages of failed steps. Null when it was imported or its time is over. */
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
/** The badges of one agent and why each came, changed or went, newest first. The same for every viewer. An agent that opted out shows the short form. */
export type BadgeTimeline =
  | {
      readonly agent_url: string;
      /** The active ones. */
      readonly badges: readonly VerifiedBadge[];
      /** @maxItems 100 */
      readonly events: readonly BadgeEvent[];
      /** For the parameter cursor; null on the last page. */
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
/** The domain whose file is to be checked, or the file itself; with both, whose file it is. */
export type AdagentsQuestion = AdagentsQuestion1 & AdagentsQuestion2;
export type AdagentsQuestion1 = {
  readonly [k: string]: unknown;
};
/** The domain whose file is to be checked, or the file itself; with both, whose file it is. */
export type BrandQuestion = BrandQuestion1 & BrandQuestion2;
export type BrandQuestion1 = {
  readonly [k: string]: unknown;
};
/** An entry of Agentic Resource Discovery v0.91, section 4. */
export type ArdEntry = ArdEntry1 & ArdEntry2;
export type ArdEntry1 = {
  readonly [k: string]: unknown;
};

/** Agents in ascending order of their URL. */
export interface AgentList {
  /** @maxItems 10000 */
  readonly agents: readonly AgentRecord[];
  /** Agents in this response. */
  readonly count: number;
  /** Agents under the filters; only with total=true. */
  readonly total?: number;
  /** Present when more agents follow: the value of cursor for the next page, under the same filters. */
  readonly next_cursor?: string;
  readonly nearest?: Nearest;
}
/** One agent. Unknown members are absent, and so are groups that were not requested. */
export interface AgentRecord {
  /** The canonical agent address, its identity. */
  readonly url: string;
  /** The declared name, else the host. */
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
  /** Null before the first good probe. */
  readonly protocol: 'mcp' | 'a2a' | null;
  /** The URL that answered MCP. */
  readonly mcp_endpoint?: string;
  readonly contact?: Contact;
  readonly added_date: string;
  readonly member?: Member;
  readonly freshness: Freshness;
  readonly matched_metrics?: MatchedMetrics;
  /** Present when more of the agent may have met the filters. */
  readonly matched_metrics_truncated?: true;
  readonly health?: Health;
  readonly stats?: Stats;
  readonly capabilities?: Capabilities;
  readonly compliance?: ComplianceSummary;
  readonly publisher_domains?: PublisherDomains;
  /** Present when the record has no room for all of them; the counts are exact. */
  readonly publisher_domains_truncated?: true;
  readonly property_summary?: PropertySummary;
}
/** Complete, or absent. */
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
/** How old the registry's knowledge is. The times are the probe's, in UTC with milliseconds. */
export interface Freshness {
  readonly first_seen_at?: string;
  /** The last probe that the agent answered. */
  readonly last_seen_at?: string;
  readonly last_checked_at?: string;
  readonly next_check_at?: string;
  /** The last success is older than two probe intervals of an hour. */
  readonly stale: boolean;
}
/** Behind health=true. */
export interface Health {
  readonly online: boolean;
  readonly checked_at?: string;
  readonly response_time_ms?: number;
  readonly tools_count?: number;
  readonly resources_count?: number;
  readonly error?: string;
  /** When the capabilities in this record were last read. Present only if the latest probe could not read them and an earlier one did. */
  readonly capabilities_read_at?: string;
}
/** Behind properties=true. */
export interface Stats {
  readonly property_count: number;
  readonly publisher_count: number;
  readonly publishers: readonly string[];
  readonly creative_formats: number;
}
/** What the agent exposed at its last probe that could be read. */
export interface Capabilities {
  /** Exact, also where tools is cut. */
  readonly tools_count: number;
  readonly tools: Tools;
  readonly standard_operations?: {
    readonly can_search_inventory: boolean;
    readonly can_get_availability: boolean;
    readonly can_reserve_inventory: boolean;
    readonly can_get_pricing: boolean;
    readonly can_create_order: boolean;
    readonly can_list_properties: boolean;
  };
  /** How the value of each operation is known. Absent for agents last probed by an earlier version. */
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
    /** Present when the record has no room for all of them; filters know them all. */
    readonly metrics_truncated?: true;
  };
}
/** How the value of one operation is known. */
export interface OperationBasis {
  /** `tool`: the agent offers the tool for it. `implied`: it offers a tool whose answer may have it. `declared`: its capabilities say that it can or cannot. `none`: nothing was seen of it. */
  readonly basis: 'tool' | 'implied' | 'declared' | 'none';
  /** The tool, specialism or member of the capabilities. */
  readonly from?: string;
}
/** One metric that a measurement agent reports. Accreditations are claims of the vendor; the registry never verifies them. */
export interface Metric {
  /** The vendor's name of the metric; what metric_id and q filter by. */
  readonly metric_id: string;
  /** The public standard that the metric follows. */
  readonly standard_reference?: string;
  /** @maxItems 1000 */
  readonly accreditations: {
    /** What accreditation filters by. */
    readonly accrediting_body: string;
    readonly certification_id?: string;
    /** The last day of validity, as the vendor says. */
    readonly valid_until?: string;
    readonly evidence_url?: string;
    /** Always false: the vendor asserts it, the registry does not verify it. */
    readonly verified_by_operator: false;
    /** The same, by the name that the field gives it. */
    readonly verified_by_aao: false;
  }[];
  readonly unit?: string;
  readonly description?: string;
  readonly methodology_url?: string;
  readonly methodology_version?: string;
}
/** Compliance inside an agent record. An agent that was never tested shows every key with status unknown; one that opted out has no such group in a list, and the compliance operation says so. */
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
  /** Holds an active badge. */
  readonly verified: boolean;
  /** @maxItems 1000 */
  readonly verified_roles: readonly string[];
}
/** The result of one track of a compliance run. */
export interface TrackDetail {
  readonly track: string;
  readonly status: string;
  readonly scenario_count: number;
  readonly passed_count: number;
  readonly duration_ms: number;
  /** A step was skipped because the agent lacks something that it should offer, for example a test controller. */
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
/** One agent with every group of its record, its badges, and where all of it comes from. At most 256 KiB. */
export interface AgentInFull {
  /** The canonical agent address, its identity. */
  readonly url: string;
  /** The declared name, else the host. */
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
  /** Null before the first good probe. */
  readonly protocol: 'mcp' | 'a2a' | null;
  /** The URL that answered MCP. */
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
  /** Present when the record has no room for all of them; the counts are exact. */
  readonly publisher_domains_truncated?: true;
  readonly property_summary?: PropertySummary;
  /** False for an agent that nobody declares any more: it has left the list. */
  readonly listed: boolean;
  readonly verified_badges: readonly VerifiedBadge[];
  readonly provenance: {
    readonly identity: {
      readonly name: {
        /** A registration by a member, a brand.json with authority over the agent's domain, or what the agent shows. */
        readonly by: 'registration' | 'brand' | 'inference';
        /** Whose brand.json says it. */
        readonly domain?: string;
      };
      readonly type: {
        /** A registration by a member, a brand.json with authority over the agent's domain, or what the agent shows. */
        readonly by: 'registration' | 'brand' | 'inference';
        /** Whose brand.json says it. */
        readonly domain?: string;
      };
    };
    /** What protocol, health, capabilities and inferred facts come from. */
    readonly probe: {
      /** What first named the agent. */
      readonly found_via?: string;
      readonly protocol?: 'mcp' | 'a2a';
      readonly endpoint?: string;
      readonly what: 'adagents' | 'ard' | 'brand' | 'agent';
      /** fresh: what was last read is not old. stale: it is, and still counts. absent: there is no such file. unread: it was visited, and nothing that was read counts. unseen: never visited. */
      readonly state: 'fresh' | 'stale' | 'absent' | 'unread' | 'unseen';
      /** The last visit that brought something usable. */
      readonly last_good_at: string | null;
      /** The last visit; null before the first one. */
      readonly last_tried_at: string | null;
      /** How the last visit ended. */
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
      /** The code of what was wrong with it; null for nothing. */
      readonly why: string | null;
      /** When the registry comes back. */
      readonly next_at: string | null;
      /** The probe that the capabilities are of. */
      readonly read_at: string | null;
    };
    /**
     * Files that name the agent.
     *
     * @maxItems 10
     */
    readonly declared_by: {
      /** Whose file it is. */
      readonly domain: string;
      readonly file: 'adagents' | 'ard' | 'brand';
      /** What was read; absent where no file counts now. */
      readonly url?: string;
      /** Of the entry in that file; absent where the file is long, or not kept. */
      readonly line?: number;
      /** The entry as a JSON Pointer (RFC 6901). */
      readonly entry: string;
      readonly what: 'adagents' | 'ard' | 'brand' | 'agent';
      /** fresh: what was last read is not old. stale: it is, and still counts. absent: there is no such file. unread: it was visited, and nothing that was read counts. unseen: never visited. */
      readonly state: 'fresh' | 'stale' | 'absent' | 'unread' | 'unseen';
      /** The last visit that brought something usable. */
      readonly last_good_at: string | null;
      /** The last visit; null before the first one. */
      readonly last_tried_at: string | null;
      /** How the last visit ended. */
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
      /** The code of what was wrong with it; null for nothing. */
      readonly why: string | null;
      /** When the registry comes back. */
      readonly next_at: string | null;
      /** When it was first seen. */
      readonly since: string | null;
      /** What the file says that it is. */
      readonly type?: string;
      readonly name?: string;
      /** False for a claim, which changes nothing in the record. */
      readonly has_authority: boolean;
    }[];
    /**
     * Entries that authorise the agent, in the order of their domains. `GET /v1/agents/{encodedUrl}/publishers` has all of them.
     *
     * @maxItems 10
     */
    readonly authorized_by: {
      /** Whose file it is. */
      readonly domain: string;
      readonly file: 'adagents' | 'ard' | 'brand';
      /** What was read; absent where no file counts now. */
      readonly url?: string;
      /** Of the entry in that file; absent where the file is long, or not kept. */
      readonly line?: number;
      /** The entry as a JSON Pointer (RFC 6901). */
      readonly entry: string;
      readonly what: 'adagents' | 'ard' | 'brand' | 'agent';
      /** fresh: what was last read is not old. stale: it is, and still counts. absent: there is no such file. unread: it was visited, and nothing that was read counts. unseen: never visited. */
      readonly state: 'fresh' | 'stale' | 'absent' | 'unread' | 'unseen';
      /** The last visit that brought something usable. */
      readonly last_good_at: string | null;
      /** The last visit; null before the first one. */
      readonly last_tried_at: string | null;
      /** How the last visit ended. */
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
      /** The code of what was wrong with it; null for nothing. */
      readonly why: string | null;
      /** When the registry comes back. */
      readonly next_at: string | null;
      /** When it was first seen. */
      readonly since: string | null;
      readonly scope: string;
      readonly via: 'own' | 'reference' | 'manager';
      readonly authorized_for?: string;
    }[];
    /** Publishers that authorise the agent. */
    readonly authorized_by_total: number;
    /** Where what is said of the agent and what was seen of it do not agree. */
    readonly findings: {
      readonly severity: 'error' | 'warning';
      readonly code: string;
      readonly pointer?: string;
      readonly message: string;
      readonly hint?: string;
    }[];
    /** The run that the compliance is of; null for none. */
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
/** Agents that fit a search, the best first. */
export interface AgentSearch {
  /** @maxItems 200 */
  readonly results: {
    readonly url: string;
    /** The same as url. */
    readonly agent_url: string;
    readonly name: string;
    readonly type: string;
    readonly protocol: string | null;
    /** Its first 500 characters. */
    readonly description?: string;
    readonly channels: readonly string[];
    readonly property_types: readonly string[];
    readonly markets: readonly string[];
    readonly categories: readonly string[];
    readonly tags: readonly string[];
    readonly delivery_types: readonly string[];
    readonly format_kinds: readonly string[];
    readonly specialisms: readonly string[];
    /** Tasks that the agent offers, and its specialisms. */
    readonly capabilities: readonly string[];
    readonly property_count: number;
    readonly publisher_count: number;
    /** It takes part in trusted match. */
    readonly has_tmp: boolean;
    /** Whose codes the categories are. */
    readonly category_taxonomy: string | null;
    /** The same as match.score. */
    readonly relevance_score: number;
    /** The parameters that the agent fits. */
    readonly matched_filters: readonly string[];
    /** When the agent last answered, or was first seen. */
    readonly updated_at: string;
    readonly matched_metrics?: MatchedMetrics;
    /** Present when more of the agent may have met the filters. */
    readonly matched_metrics_truncated?: true;
    readonly compliance_summary: {
      /** Of its latest verdict, as the feed tells it. */
      readonly status: string;
    };
    /** The same as beside it. */
    readonly inventory_profile: {
      readonly channels: readonly string[];
      readonly property_types: readonly string[];
      readonly markets: readonly string[];
      readonly categories: readonly string[];
      readonly tags: readonly string[];
      readonly delivery_types: readonly string[];
      readonly format_kinds: readonly string[];
      readonly specialisms: readonly string[];
      /** Tasks that the agent offers, and its specialisms. */
      readonly capabilities: readonly string[];
      readonly property_count: number;
      readonly publisher_count: number;
      /** It takes part in trusted match. */
      readonly has_tmp: boolean;
      /** Whose codes the categories are. */
      readonly category_taxonomy: string | null;
    };
    readonly match: {
      /** relevance times all factors. It can be compared within one search only. */
      readonly score: number;
      readonly matched_filters: readonly string[];
      /** How well the words fit (BM25); 1 without words. */
      readonly relevance: number;
      readonly factors: {
        readonly verification: number;
        readonly status: number;
        readonly health: number;
        readonly freshness: number;
      };
      /** Texts that have the words; at most 5. */
      readonly highlights: {
        readonly field: string;
        readonly text: string;
        /** From and to, in UTF-16 units. */
        readonly ranges: readonly number[][];
      }[];
    };
  }[];
  /** Send it as cursor for the next page; null on the last. */
  readonly cursor: string | null;
  readonly has_more: boolean;
  readonly total: {
    readonly count: number;
    /** False: there are more, and counting stopped. */
    readonly exact: boolean;
  };
  /** For each word that no agent has: the known words that were searched for in its place. */
  readonly corrected?: {
    readonly [k: string]: readonly string[];
  };
  readonly nearest?: Nearest;
  /** When nothing is found and the filters are why: how many agents have the words. */
  readonly without_filters?: {
    readonly count: number;
    /** False: there are more, and counting stopped. */
    readonly exact: boolean;
  };
  /** When nothing is found and nobody has some of the words: how many agents have the rest of them, under the same filters. */
  readonly without_words?: {
    /** The rest of the words. */
    readonly q: string;
    readonly count: number;
    /** False: there are more, and counting stopped. */
    readonly exact: boolean;
  };
  /** By the name of a parameter: its commonest values, at most 20, with how many of the agents have them. */
  readonly facets?: {
    readonly [k: string]: {
      readonly value: string;
      readonly count: number;
    }[];
  };
  /** Of how many agents the facets are counted: fewer than the total where counting stopped. */
  readonly facets_counted?: number;
}
/** What the last good visit of an agent found. At most 256 KiB. */
export interface DiscoveredAgent {
  /** The canonical agent address, its identity. */
  readonly agent_url: string;
  /** The declared name, else the host. */
  readonly name: string;
  readonly description?: string;
  /**
   * The one over which the agent was read.
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
  /** Exact, also where tools is cut. */
  readonly tools_count: number;
  readonly tools: Tools;
  readonly stats: {
    readonly format_count: number;
    readonly publisher_count: number;
  };
  readonly freshness: Freshness;
}
/** The creative formats that the last good visit of an agent found. At most 256 KiB. */
export interface AgentFormats {
  readonly success: true;
  /** The canonical agent address, its identity. */
  readonly agent_url: string;
  /** @maxItems 1000 */
  readonly formats: {
    /** As the agent names it. Which agent defines the format is not kept. */
    readonly format_id: {
      readonly id: string;
    };
  }[];
  /** Exact, also where formats is cut. */
  readonly format_count: number;
  readonly formats_truncated?: true;
  readonly freshness: Freshness;
}
/** What an agent answered when it was asked for its products. At most 256 KiB. */
export interface AgentProducts {
  readonly success: true;
  /** The canonical agent address, its identity. */
  readonly agent_url: string;
  /**
   * @maxItems 1000
   *
   * Items: As the agent sent it.
   */
  readonly products: {
    readonly [k: string]: unknown;
  }[];
  /** Exact, also where products is cut. */
  readonly product_count: number;
  readonly products_truncated?: true;
  /** When the agent was asked: up to a minute ago. */
  readonly asked_at: string;
}
/** How an agent was in the last days, from the planned probes. */
export interface AgentHealthHistory {
  readonly agent_url: string;
  /** Midnight UTC of the first day. */
  readonly from: string;
  /** Now. */
  readonly until: string;
  /** Share of the time of which the state is known; null where nothing is. */
  readonly uptime: number | null;
  /** Of the probes that answered; null where none did. */
  readonly latency_ms: {
    readonly p50: number;
    readonly p95: number;
    readonly p99: number;
  } | null;
  /** Planned ones. */
  readonly probes: number;
  readonly answered: number;
  /**
   * Oldest first; the last one is today.
   *
   * @maxItems 90
   */
  readonly days: {
    readonly date: string;
    /** Share of the time of which the state is known; null where nothing is. */
    readonly uptime: number | null;
    /** Of the probes that answered; null where none did. */
    readonly latency_ms: {
      readonly p50: number;
      readonly p95: number;
      readonly p99: number;
    } | null;
    /** Planned ones. */
    readonly probes: number;
    readonly answered: number;
  }[];
  /**
   * Where one or two days were asked for.
   *
   * @maxItems 48
   */
  readonly hours?: {
    readonly from: string;
    /** Share of the time of which the state is known; null where nothing is. */
    readonly uptime: number | null;
    /** Of the probes that answered; null where none did. */
    readonly latency_ms: {
      readonly p50: number;
      readonly p95: number;
      readonly p99: number;
    } | null;
    /** Planned ones. */
    readonly probes: number;
    readonly answered: number;
  }[];
  /**
   * Probes in a row that the agent did not answer, newest first.
   *
   * @maxItems 100
   */
  readonly incidents: {
    /** The first probe that it did not answer. */
    readonly from: string;
    /** The first one that it answered again; null while it lasts. */
    readonly until: string | null;
    /** The last one before that it answered; null: not in the time that was read. */
    readonly last_good_at: string | null;
    /** What the latest of these probes found. */
    readonly why: string | null;
    /** The same in words. */
    readonly message: string | null;
    readonly failed_probes: number;
  }[];
  /** There are older ones. */
  readonly incidents_truncated?: true;
  /** There were too many probes; older ones are not in it. */
  readonly probes_truncated?: true;
}
/** The latest result of one storyboard; shown to the agent's owner only. */
export interface StoryboardStatus {
  readonly storyboard_id: string;
  readonly category: string;
  readonly track: string;
  /** `incomplete`: no step failed, and a step that the agent should have made possible was skipped. Absent in runs recorded elsewhere, or before algorithm version 4. */
  readonly result?: 'pass' | 'fail' | 'incomplete' | 'skipped';
  readonly steps_passed: number;
  /** The steps that ran. */
  readonly steps_total: number;
  /** The steps that did not apply, or could not be tried. Absent in runs recorded elsewhere. */
  readonly steps_skipped?: number;
  /** Of all its steps together. Absent in runs recorded elsewhere. */
  readonly duration_ms?: number;
  readonly last_tested_at: string | null;
  readonly last_passed_at: string | null;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  readonly title: string;
}
/** One compliance run in the history of an agent. The keys are the same for every viewer. */
export interface RunSummary {
  readonly run_id: string;
  readonly started_at: string;
  readonly finished_at: string;
  readonly outcome: 'complete' | 'unreachable' | 'inconclusive';
  /** Why the run changes no status. `declaration_unread`, and `auth_required` for a missing credential, end badges if they persist. All other reasons, including a missing signing key, are not the agent's fault. */
  readonly inconclusive_reason: string | null;
  readonly status: 'passing' | 'degraded' | 'failing' | 'unknown';
  readonly tracks: {
    readonly [k: string]: string;
  };
  readonly headline: string | null;
  readonly storyboards_passing: number;
  /** Those of which a step ran. */
  readonly storyboards_total: number;
  /** Of `storyboards_total`: no step failed, and a step that the agent should have made possible was skipped. They count neither as passing nor as failing. */
  readonly storyboards_incomplete: number;
  /** Declared specialisms that no storyboard of the run tested; the counts say nothing of them. */
  readonly specialisms_untested: number;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  /** Recorded elsewhere. */
  readonly imported: boolean;
  readonly dry_run: boolean;
  /** Of some storyboards only. */
  readonly partial: boolean;
  /** Owner-scoped. */
  readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook' | null;
}
/** A requested compliance run that is not over. Only who requested it and the agent's owner see it. */
export interface AskedRun {
  readonly agent_url: string;
  /** The id that the run will have. */
  readonly run_id: string;
  /** Running once somebody tests the agent. */
  readonly state: 'queued' | 'running';
  readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook';
  readonly asked_at: string;
  /** The only storyboard to run; absent for a run of all. */
  readonly storyboard_id?: string;
  /** Of a running one: what it has done so far. It is some tenths of a second old. */
  readonly so_far?: {
    /** That the run has chosen. */
    readonly storyboards: number;
    /** Of all of them. */
    readonly steps: number;
    readonly begun: {
      readonly id: string;
      /** Absent while it goes on. */
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
/** What happened to a badge, and why. */
export interface BadgeEvent {
  readonly at: string;
  /** grace: a run failed and the badge is still shown. changed: it has other specialisms or axes. */
  readonly kind: 'earned' | 'grace' | 'recovered' | 'changed' | 'revoked';
  readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
  /** The protocol line, `major.minor`. */
  readonly line: string;
  /** One sentence. */
  readonly reason: string;
  /** The run that caused it; null when the owner, the membership or the passing of time did. */
  readonly run_id: string | null;
}
/** A requested run of one storyboard, in our words and in those of the field's clients. */
export interface AskedStoryboardRun {
  readonly agent_url: string;
  /** The id that the run will have. */
  readonly run_id: string;
  /** Running once somebody tests the agent. */
  readonly state: 'queued' | 'running';
  readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook';
  readonly asked_at: string;
  /** The only storyboard to run; absent for a run of all. */
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
/** Requests a compliance run now. With an API key the body is optional; a signed request needs it. */
export interface RunRequest {
  /** The agent of the path. */
  readonly agent_url?: string;
}
/** What the owner of an agent has decided about its tests. */
export interface AgentSettings {
  readonly agent_url: string;
  /** The proven owner; null only where an operator looks at an agent that has none. */
  readonly member: string | null;
  /** When it showed that it controls the agent's domain. */
  readonly proven_at: string | null;
  /** The proof is older than 180 days: the ownership ends then, unless control is proven again. Absent while no proof is asked for. */
  readonly prove_again_by?: string;
  /** Nothing is tested, and nobody sees earlier tests. */
  readonly compliance_opt_out: boolean;
  /** No scheduled tests; earlier results stay visible. */
  readonly monitoring_paused: boolean;
  readonly check_interval_hours: number;
  readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
  /** When it is tested next by the clock; a time that is past is due. Null while it is not tested. */
  readonly next_run_at: string | null;
}
/** Who changed what of an agent, newest first, for its proven owner. */
export interface AgentAudit {
  readonly agent_url: string;
  /** @maxItems 100 */
  readonly records: {
    readonly at: string;
    /** `operator`, the id of an API key, or `signature:` and the id of the key that signed the request. */
    readonly actor: string;
    /** `agent.settings`, for example. */
    readonly action: string;
    /** What it changed, as far as it says that. */
    readonly changes: {
      readonly [k: string]: unknown;
    };
  }[];
  /** For the parameter cursor; null on the last page. */
  readonly next_cursor: string | null;
}
/** One or more settings to change; what is not named stays as it is. */
export interface AgentSettingsChange {
  readonly compliance_opt_out?: boolean;
  readonly monitoring_paused?: boolean;
  readonly check_interval_hours?: number;
  readonly lifecycle_stage?: 'development' | 'testing' | 'production' | 'deprecated';
}
/** What the owner of an agent says beside the results of its tests. */
export interface OwnerStatement {
  readonly agent_url: string;
  /** Null where the owner says nothing, and for an agent that takes no part in tests. */
  readonly statement: null | {
    /** Plain text in the words of the owner; escape it where you show it. */
    readonly text: string;
    readonly said_at: string;
  };
}
/** An agent that a member wants to be its own, and what it says of it. */
export interface AskedAgent {
  /** The address that a client would dial. */
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
/** What a member says anew of its agent; null takes it back. */
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
/** An agent of a member: registered, or pending until it is proven. */
export interface OwnAgent {
  readonly url: string;
  /** Private: it is in no list for you, as it is pending or was not stitched yet. */
  readonly visibility: 'public' | 'private';
  /** As everybody is shown it; before anybody is, as you said it. */
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
  /** As everybody is shown it; before anybody is, as you said it. */
  readonly name?: string;
  /** As you said it. */
  readonly description?: string;
  /** As you said it. */
  readonly contact?: {
    readonly name?: string;
    readonly email?: string;
    readonly website?: string;
  };
  /** Control of its domain was shown: settings, tests and evidence are yours. */
  readonly proven: boolean;
  /** You asked for it and have still to prove it: nothing of it counts. */
  readonly pending: boolean;
  /** The proof is old, and ends when it is not given again. */
  readonly proof_asked_again: boolean;
}
/** What to publish to prove an agent yours, and where. */
export interface ProofChallenge {
  readonly url: string;
  /** The text, all of it. It is no secret. */
  readonly token: string;
  readonly expires_at: string;
  /** A line of this file. */
  readonly file_url: string;
  /** Or a TXT record of this name; null for an agent at an IP address. */
  readonly dns_name: string | null;
}
/** Where the registry looked for a proof, and what was there. */
export interface ProofSearch {
  readonly url: string;
  /** The agent is yours now. */
  readonly proven: boolean;
  readonly via: 'file' | 'dns' | null;
  readonly looked: {
    readonly way: 'file' | 'dns';
    readonly where: string;
    readonly seen: string;
  }[];
}
/** What the lab saw of one agent, without proof of who owns it. */
export interface LabReport {
  /** Who has it may read the report, for 90 days. */
  readonly id: string;
  /** Canonical. */
  readonly agent_url: string;
  /** What was dialled, as the agent is registered or declared; absent where that is `agent_url`. */
  readonly dialled_url?: string;
  readonly status: 'running' | 'completed' | 'lost';
  readonly asked_at: string;
  /** The page of this report. */
  readonly report_path: string;
  readonly grade?: 'A' | 'B' | 'C' | 'D' | 'F';
  readonly points?: number;
  readonly out_of?: number;
  /** As the agent calls itself. */
  readonly name?: string;
  /** Over which it answers. */
  readonly protocols?: readonly ('mcp' | 'a2a')[];
  readonly checks?: {
    readonly id: string;
    readonly result: 'passed' | 'partly' | 'failed' | 'skipped';
    readonly points: number;
    /** 0 where it was not judged. */
    readonly out_of: number;
    /** What was seen. */
    readonly reason: string;
    /** What to do. */
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
  /** Begins the key itself. */
  readonly id: string;
  /** The slug of its member. */
  readonly member: string;
  readonly label: string | null;
  /** What it may do. */
  readonly scopes: readonly ('read' | 'agents' | 'settings' | 'credentials' | 'runs' | 'keys')[];
  readonly created_at: string;
  /** To the day; null: never. */
  readonly last_used_at: string | null;
  /** From this moment on it is refused; null: it does not end by itself. */
  readonly expires_at: string | null;
  /** The id of the key that made it, and that revokes it; null: the operator, an invitation or a proof made it. */
  readonly made_by: string | null;
  /** The id of its successor. */
  readonly renewed_by: string | null;
  /** Null: it is not revoked. */
  readonly revoked_at: string | null;
}
/** The API keys of a member. */
export interface ApiKeyList {
  readonly keys: readonly ApiKey[];
  readonly count: number;
}
/** What a new API key is to be. */
export interface NewApiKey {
  /** To recognise it by, on one line. */
  readonly label?: string;
  /**
   * What it may do. Default: all that the key which makes it may.
   *
   * @minItems 1
   */
  readonly scopes?: readonly ('read' | 'agents' | 'settings' | 'credentials' | 'runs' | 'keys')[];
  /** Days after which it ends. It ends with the key that makes it, if that is earlier. Default: it ends with that key. */
  readonly days?: number;
}
/** A new API key, with its secret this once. */
export interface MadeApiKey {
  /** The whole key: store it now, as only its hash is kept. */
  readonly key: string;
  /** Begins the key itself. */
  readonly id: string;
  /** The slug of its member. */
  readonly member: string;
  readonly label: string | null;
  /** What it may do. */
  readonly scopes: readonly ('read' | 'agents' | 'settings' | 'credentials' | 'runs' | 'keys')[];
  readonly created_at: string;
  /** To the day; null: never. */
  readonly last_used_at: string | null;
  /** From this moment on it is refused; null: it does not end by itself. */
  readonly expires_at: string | null;
  /** The id of the key that made it, and that revokes it; null: the operator, an invitation or a proof made it. */
  readonly made_by: string | null;
  /** The id of its successor. */
  readonly renewed_by: string | null;
  /** Null: it is not revoked. */
  readonly revoked_at: string | null;
}
/** A revoked API key, with the keys that were revoked with it. */
export interface RevokedApiKey {
  /** Begins the key itself. */
  readonly id: string;
  /** The slug of its member. */
  readonly member: string;
  readonly label: string | null;
  /** What it may do. */
  readonly scopes: readonly ('read' | 'agents' | 'settings' | 'credentials' | 'runs' | 'keys')[];
  readonly created_at: string;
  /** To the day; null: never. */
  readonly last_used_at: string | null;
  /** From this moment on it is refused; null: it does not end by itself. */
  readonly expires_at: string | null;
  /** The id of the key that made it, and that revokes it; null: the operator, an invitation or a proof made it. */
  readonly made_by: string | null;
  /** The id of its successor. */
  readonly renewed_by: string | null;
  /** Null: it is not revoked. */
  readonly revoked_at: string | null;
  /** The ids of the keys that it made, directly or not, and that were revoked with it; oldest first. */
  readonly also_revoked: readonly string[];
}
/** An invitation, and the names of a new member. */
export interface JoinRequest {
  /** The secret in the link. */
  readonly invitation: string;
  /** Stable, lower case. The member gets it behind `joined-`, unless it begins so. None for an invitation to a member that is there. */
  readonly slug?: string;
  /** As everybody sees it. */
  readonly display_name?: string;
}
/** Whose domain somebody says to be. */
export interface DomainToJoinBy {
  /** As it was registered, without a host before it. */
  readonly domain: string;
}
/** An invitation that is good while its text is published, and where to publish it. */
export interface DomainInvitation {
  /** What joins. It is a secret of who asked. */
  readonly invitation: string;
  readonly domain: string;
  /** The text to publish, all of it. It is no secret. */
  readonly token: string;
  readonly expires_at: string;
  /** A line of this file. */
  readonly file_url: string;
  /** Or a TXT record of this name. */
  readonly dns_name: string | null;
}
/** A member as it sees itself. */
export interface OwnMember {
  readonly slug: string;
  /** Of a member that joined; null: the operator imported it. */
  readonly id: string | null;
  readonly display_name: string;
  /** It stands in for the contact of each of its agents that has none. */
  readonly contact: {
    readonly name?: string;
    readonly email?: string;
    readonly website?: string;
  } | null;
  /** The operator decides it. */
  readonly membership_tier?: string;
  readonly membership_tier_label?: string;
}
/** What a member says anew of itself; null takes the contact back. */
export interface OwnMemberChange {
  /** As everybody sees it. */
  readonly display_name?: string;
  readonly contact?: {
    readonly name?: string;
    readonly email?: string;
    readonly website?: string;
  } | null;
}
/** A member's wish to be woken when the feed goes on. Its receiver agrees before anything else is sent to it. */
export interface Subscription {
  readonly id: string;
  /** Where wake-ups are posted. */
  readonly url: string;
  /** Which events wake it, as the feed takes `types`. */
  readonly types: string;
  /** `pending`: the receiver has not agreed yet. `active`: it has, and is woken. `dead`: given up, as `last_error` says. Revive it when the receiver is well. */
  readonly state: 'pending' | 'active' | 'dead';
  /** All before it was told: read the feed from here. */
  readonly cursor: string;
  /** Tries of the verification, or of the wake-up, that is not delivered yet. */
  readonly attempts: number;
  /** Why the last try failed. */
  readonly last_error: string | null;
  /** Of what is not told yet. */
  readonly first_change_at: string | null;
  readonly next_try_at: string | null;
  /** When its receiver agreed, by answering with the challenge of the verification. */
  readonly verified_at: string | null;
  readonly last_told_at: string | null;
  /** Since when it is given up. */
  readonly dead_at: string | null;
  readonly created_at: string;
}
/** The subscriptions of a member. */
export interface SubscriptionList {
  readonly subscriptions: readonly Subscription[];
  readonly count: number;
}
/** Who is to be woken, and for what. */
export interface NewSubscription {
  /** An https URL on the public network, on port 443. It agrees by answering the verification with its challenge. Redirects are not followed. */
  readonly url: string;
  /** Which events wake it, as the feed takes `types`. Default: all. */
  readonly types?: string;
}
/** Whether a test credential is stored for an agent. It is never shown. */
export interface TestCredential {
  readonly agent_url: string;
  readonly stored: boolean;
  /** Null when none is stored. */
  readonly set_at: string | null;
  /** A token, or an OAuth client that gets one. Null when none is stored. */
  readonly kind: 'bearer' | 'oauth_client_credentials' | null;
  /** The proof of control is older than 180 days: the credential is deleted then, unless control is proven again. Absent while no proof is asked for. */
  readonly prove_again_by?: string;
  /** Why no test authenticates with what is stored; absent when tests do, or when none is stored. */
  readonly unused_reason?: 'not_https';
}
/** The bearer token that tests send to the agent. */
export interface TestCredentialChange {
  /** Without the word Bearer. */
  readonly token: string;
}
/** Domains whose adagents.json counts now. */
export interface PublisherList {
  readonly publishers: {
    readonly domain: string;
    /** Agents that it authorises for something that it has. */
    readonly agent_count: number;
    /** The last visit that could read the file. */
    readonly last_validated?: string;
    readonly has_valid_adagents: boolean;
  }[];
  /** Publishers in this answer. */
  readonly count: number;
  /** Send it as cursor for the next page; absent on the last. */
  readonly next_cursor?: string;
}
/** The agents that a publisher authorises now. */
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
  /** Present when there was no room for all of them. */
  readonly authorized_agents_truncated?: true;
  /**
   * Always empty: claims of agents are not kept by domain.
   *
   * @maxItems 0
   */
  readonly sales_agents_claiming: readonly unknown[];
  readonly visit: VisitState;
}
/** Whether what is known of a file or an agent is stale or absent. */
export interface VisitState {
  readonly what: 'adagents' | 'ard' | 'brand' | 'agent';
  /** fresh: what was last read is not old. stale: it is, and still counts. absent: there is no such file. unread: it was visited, and nothing that was read counts. unseen: never visited. */
  readonly state: 'fresh' | 'stale' | 'absent' | 'unread' | 'unseen';
  readonly last_good_at: string | null;
  readonly last_tried_at: string | null;
  readonly outcome: string | null;
  /** The code of the last visit, where it brought nothing usable. */
  readonly why: string | null;
  readonly next_at: string | null;
}
/** The publishers that authorise an agent now; each stands there twice, as the clients read different members. */
export interface AgentDomains {
  readonly agent_url: string;
  readonly domains: readonly string[];
  readonly properties: {
    readonly domain: string;
  }[];
  /** Domains in this answer. */
  readonly count: number;
  /** Present when there was no room for all of them. */
  readonly domains_truncated?: true;
  readonly visit: VisitState;
}
/** A page of the publishers of an agent. */
export interface AgentPublishers {
  readonly agent_url: string;
  readonly publishers: {
    readonly publisher_domain: string;
    readonly discovery_method: 'direct' | 'authoritative_location' | 'ads_txt_managerdomain' | null;
    readonly manager_domain: string | null;
    readonly properties_authorized: number;
    readonly properties_total: number;
    /** With `include=properties`, of a publisher that authorises it: properties of the catalogue that it may sell now. */
    readonly property_ids?: readonly string[];
    /** Present when there was no room for all of them. */
    readonly property_ids_truncated?: true;
    readonly signing_keys_pinned: boolean;
    readonly status: 'authorized' | 'revoked';
    readonly last_verified_at: string | null;
  }[];
  /** The newest visit behind this page. */
  readonly directory_indexed_at: string | null;
  /** Send it as cursor for the next page; null on the last. */
  readonly next_cursor: string | null;
}
/** Entries of files that authorise agents now. A reader who knows no more than `property_rid` takes no part for the whole. */
export interface AuthorizationRows {
  /** The agent that was asked for. */
  readonly agent_url?: string;
  readonly include: 'effective' | 'raw';
  readonly evidence: readonly ('adagents_json' | 'adagents_authoritative' | 'agent_claim' | 'community' | 'override')[];
  readonly rows: {
    /** The same for as long as the entry stands. */
    readonly id: string;
    readonly agent_url: string;
    readonly agent_url_canonical: string;
    readonly publisher_domain: string;
    /** The whole inventory, everywhere. */
    readonly publisher_wide: boolean;
    /** What the entry is about; null only where it is publisher-wide. */
    readonly property_rid: string | null;
    /** The property, where the entry names a single one by its id. */
    readonly property_id_slug: string | null;
    /** As the entry has it, or `all`. */
    readonly authorization_type: string;
    readonly authorized_for: string | null;
    readonly evidence: 'adagents_json';
    readonly disputed: false;
    readonly created_by: null;
    /** When the registry first saw the entry as it is. */
    readonly created_at: string;
    readonly updated_at: string;
    readonly expires_at: string | null;
    /** The public keys that the entry pins for its agent. */
    signing_keys:
      | {
          readonly [k: string]: unknown;
        }[]
      | null;
    /** The entry pins keys, which are too long for a list. */
    readonly signing_keys_truncated?: true;
    readonly override_applied: false;
    readonly override_reason: null;
    readonly property_ids?: readonly string[];
    readonly property_tags?: readonly string[];
    /** The ids and tags of the entry are too long for a list, or not known. GET /api/registry/validate/property-authorization answers for each. */
    readonly properties_truncated?: true;
    readonly countries?: readonly string[];
    readonly placement_ids?: readonly string[];
    readonly placement_tags?: readonly string[];
    readonly collections?: {
      readonly publisher_domain: string;
      readonly collection_ids?: readonly string[];
    }[];
    /** The limits of the entry are too long for a list; it is not publisher-wide. */
    readonly limits_truncated?: true;
    readonly delegation_type?: 'direct' | 'delegated' | 'ad_network';
    readonly exclusive?: boolean;
    readonly effective_from?: string;
    readonly effective_until?: string;
  }[];
  /** Rows of this page. */
  readonly count: number;
  /** Send it as cursor for the next page; null on the last. */
  readonly next_cursor: string | null;
}
/** Whether an agent may sell a property, and why. */
export interface PropertyAuthorization {
  readonly agent_url: string;
  readonly identifier_type: string;
  readonly identifier_value: string;
  readonly publisher_domain?: string;
  readonly country?: string;
  /** The moment that was asked for. */
  readonly at: string | null;
  readonly authorized: boolean;
  /** @maxItems 20 */
  readonly because: {
    readonly publisher_domain?: string;
    readonly file?: string;
    /** JSON pointer in that file. */
    readonly entry?: string;
    readonly code: string;
    /** The rule in words. */
    readonly rule: string;
    /** What to do about a no. */
    readonly hint?: string;
    /** Limits that the question left open; with `truncated`, the first of them. */
    readonly within?: {
      readonly [k: string]: unknown;
    };
    /** When the answer is no: what the entry does cover, as properties by `property_ids` and `property_tags`, or `all`, within its limits. Each list has its first 100 values. */
    readonly covers?: {
      readonly [k: string]: unknown;
    };
    /** Closest alternatives to what was asked: URLs of agents that the publisher authorises (`not_named`), known publishers (`unknown_publisher`, `no_file`), listed properties (`no_such_property`). */
    readonly nearest?: readonly string[];
    readonly exclusive?: boolean;
    readonly delegation_type?: string;
  }[];
  /** The earliest moment at which the answer can change although no file does. */
  readonly until: string | null;
  /** The file could not be read lately, and this is what the last good one says. */
  readonly stale: boolean;
  readonly checked_at: string;
  readonly visit?: VisitState;
}
/** What a product sells, by publisher. */
export interface ProductQuestion {
  readonly agent_url: string;
  /**
   * @minItems 1
   * @maxItems 100
   *
   * Items: One of `publisher_domain` and `publisher_domains`; `tags` is `property_tags`.
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
  /** As of this moment, RFC 3339; a date is its midnight UTC. Absent: now. */
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
  /** The moment that was asked for. */
  readonly at?: string;
  /** @maxItems 20 */
  readonly because: {
    readonly publisher_domain?: string;
    readonly file?: string;
    /** JSON pointer in that file. */
    readonly entry?: string;
    readonly code: string;
    /** The rule in words. */
    readonly rule: string;
    /** What to do about a no. */
    readonly hint?: string;
    /** Limits that the question left open; with `truncated`, the first of them. */
    readonly within?: {
      readonly [k: string]: unknown;
    };
    /** When the answer is no: what the entry does cover, as properties by `property_ids` and `property_tags`, or `all`, within its limits. Each list has its first 100 values. */
    readonly covers?: {
      readonly [k: string]: unknown;
    };
    /** Closest alternatives to what was asked: URLs of agents that the publisher authorises (`not_named`), known publishers (`unknown_publisher`, `no_file`), listed properties (`no_such_property`). */
    readonly nearest?: readonly string[];
    readonly exclusive?: boolean;
    readonly delegation_type?: string;
  }[];
  /** Present when there was no room for all of them, or no time to ask for them; what was not asked is not authorised. */
  readonly truncated?: true;
}
/** The identifiers of a product that an agent may sell. */
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
  /** The moment that was asked for. */
  readonly at?: string;
  /** Present when there was no room for all of them, or no time to ask for them; what was not asked is not authorised. */
  readonly truncated?: true;
}
/** The agents that may sell a property now. */
export interface PropertyLookup {
  readonly type: string;
  readonly value: string;
  readonly agents: {
    readonly url: string;
    readonly authorized_for?: string;
    readonly publisher_domain: string;
  }[];
  readonly count: number;
  /** Present when there was no room for all of them, or no time to ask for them; what was not asked is not authorised. */
  readonly agents_truncated?: true;
  /** Of a site: whose adagents.json speaks for it. */
  readonly publisher_domain?: string;
  readonly visit?: VisitState;
}
/** The agents of an operator. */
export interface OperatorLookup {
  readonly domain: string;
  /** The one member that proved control of the domain for one of these agents; null: nobody has, or several have. */
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
  /** Present when there was no room for all of them, or no time to ask for them; what was not asked is not authorised. */
  readonly agents_truncated?: true;
  readonly visit: VisitState;
}
/** A publisher: how its file stands, its properties and its agents. */
export interface PublisherLookup {
  readonly domain: string;
  /** Always null: members prove control of agents, and who runs a publisher is not known. */
  readonly member: null;
  /** null: it was never visited. */
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
  /** Present when there was no room for all of them, or no time to ask for them; what was not asked is not authorised. */
  readonly properties_truncated?: true;
  readonly authorized_agents: {
    readonly url: string;
    readonly authorized_for?: string;
    readonly source: 'adagents_json';
    readonly properties_authorized: number;
    readonly properties_total: number;
  }[];
  /** Present when there was no room for all of them, or no time to ask for them; what was not asked is not authorised. */
  readonly authorized_agents_truncated?: true;
  /** For a file in the simple form: its claims about the publisher and agents, next to the results of the last good probe. Claims never change an agent's record. */
  readonly claims?: {
    readonly publisher?: {
      readonly name?: string;
      readonly domain?: string;
      /** Whether the domain is the one that publishes the file; null where none is claimed. */
      readonly agrees: boolean | null;
    };
    /** @maxItems 20 */
    readonly agents: {
      readonly agent_url: string;
      /** JSON pointer in the file. */
      readonly entry: string;
      /** As claimed, whatever it says. */
      readonly protocol?: string;
      /** Names of tasks, as claimed. */
      readonly capabilities: readonly string[];
      /** What the agent answered at the last good probe. */
      readonly seen_protocol: 'mcp' | 'a2a' | null;
      /** Null where none is claimed or none was seen. */
      readonly protocol_agrees: boolean | null;
      /** Claimed tasks that the agent does not list; null where the agent was never read. */
      readonly capabilities_missing: readonly string[] | null;
    }[];
    /** The file names more agents. */
    readonly truncated?: true;
  };
  readonly visit: VisitState;
  /** With include=placements. */
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
  /** Present when there was no room for all of them, or the file is too long to be read for them. */
  readonly placements_truncated?: true;
}
/** Who may sell what of a publisher, by the entries of its adagents.json that are in force. */
export interface PublisherEntries {
  readonly domain: string;
  readonly entries: {
    readonly agent_url: string;
    /** JSON pointer of the entry in the file that was read. */
    readonly entry: string;
    /** Absent where the text is longer than 512 KiB, or not kept. */
    readonly line?: number;
    readonly authorized_for?: string;
    readonly authorization_type: string;
    /** How the file was found. */
    readonly source: 'own' | 'reference' | 'manager';
    /** It covers something that the publisher has. */
    readonly sells: boolean;
    /** null: too long for a list, or not read yet. */
    readonly covers: {
      readonly all?: 'inventory' | 'listed';
      readonly property_ids?: readonly string[];
      readonly property_tags?: readonly string[];
      readonly signals?: readonly string[];
      /** The properties that stand in the entry itself. */
      readonly inline?: true;
      /** A publisher selector names them: properties with an id only. */
      readonly selected?: true;
    } | null;
    /** null: too long for a list. Empty: none. */
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
  /** A filter looked at the first properties of the publisher only. */
  readonly properties_truncated?: true;
  readonly next_cursor: string | null;
}
/** What was found in a file of a domain when it was last read. */
export interface FileFindings {
  readonly domain: string;
  readonly file: 'adagents' | 'ard' | 'brand';
  /** What this text says counts now. Otherwise an earlier one does, or none. */
  readonly counts: boolean;
  /** Where the text was read. */
  readonly url?: string;
  readonly bytes?: number;
  readonly findings: {
    readonly severity: 'error' | 'warning';
    readonly code: string;
    /** JSON pointer of the place; empty: the whole file. */
    readonly pointer: string;
    readonly line?: number;
    readonly column?: number;
    readonly message: string;
    readonly hint?: string;
    readonly did_you_mean?: string;
    readonly allowed?: readonly string[];
    /** What puts it right; only where nothing else can have been meant. */
    readonly fix?: string;
    readonly excerpt?: {
      readonly line: number;
      readonly text: string;
      /** Where what is wrong begins in the text, in UTF-16 units. */
      readonly from?: number;
      readonly to?: number;
    }[];
  }[];
  readonly total: number;
  readonly visit: VisitState;
}
/** What changed in a file between one version and the one before it. */
export interface FileDiff {
  readonly domain: string;
  readonly file: 'adagents' | 'brand';
  readonly revision: number;
  readonly created_at: string;
  /** Empty: it is the first version, or no line of it says something else. */
  readonly hunks?: {
    readonly before_line: number;
    readonly after_line: number;
    /** With laid_out: the place in the file itself, in UTF-16 units. */
    readonly before_column?: number;
    readonly after_column?: number;
    readonly lines: {
      readonly change: 'same' | 'added' | 'removed';
      readonly text: string;
    }[];
  }[];
  /** There are more changes than 400 lines. */
  readonly truncated?: true;
  /** A line that changed is too long to be shown, so the JSON of both texts was laid out before. Hunks begin where they begin in the files. */
  readonly laid_out?: true;
  /** No line says something else: the layout, the ends of lines or the mark of the byte order changed. */
  readonly only_form?: true;
  /** Why there are no hunks. */
  readonly not_shown?: 'not_kept' | 'too_long' | 'too_many_changes';
}
/** A page of the publishers whose file is kept by another domain. */
export interface Network {
  readonly domain: string;
  readonly show: 'all' | 'orphaned' | 'behind' | 'missing';
  /** Publishers that lead to the domain, counted up to 10,000. */
  readonly total: number;
  readonly total_exact: boolean;
  /** Publishers that were looked at for this page. */
  readonly looked_at: number;
  /** Since when the file of the domain says what it says. */
  readonly file_changed_at?: string;
  readonly publishers: {
    readonly domain: string;
    readonly states: readonly ('orphaned' | 'behind' | 'missing')[];
    /** Agents that it authorises now. */
    readonly agents: number;
    readonly discovery_method?: string;
    readonly last_validated?: string;
    readonly outcome?: string;
  }[];
  readonly next_cursor: string | null;
  readonly visit: VisitState;
}
/** How much of a publisher's catalogue an agent may sell. */
export interface PublisherAuthorization {
  readonly publisher_domain: string;
  readonly agent_url: string;
  readonly authorized: number;
  readonly total: number;
  readonly publisher_wide: boolean;
  readonly source: 'adagents_json';
  /** What the publisher says that it is for: of the first entry that says so. */
  readonly authorized_for?: string;
  readonly unauthorized_properties: {
    readonly id?: string;
    readonly name?: string;
    readonly type?: string;
  }[];
  /** Present when there was no room for all of them, or no time to ask for them; what was not asked is not authorised. */
  readonly truncated?: true;
  readonly visit: VisitState;
}
/** Domains that are asked for at once. */
export interface DomainList {
  /** @maxItems 100 */
  readonly domains: readonly string[];
}
/** What the adagents.json that speaks for a domain says, as it counts now. */
export interface ResolvedProperty {
  readonly publisher_domain: string;
  readonly source: 'adagents_json';
  /** The file was read at the domain, or where the domain leads. */
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
/** What is known of each domain, under the name that was sent. */
export interface ResolvedProperties {
  readonly results: {
    readonly [k: string]: ResolvedProperty | null;
  };
  /** Names that are no domains, each with the reason; in `results` they are null. Absent when there are none. */
  readonly invalid?: {
    /** The begin of what was sent. */
    readonly domain: string;
    readonly error: string;
  }[];
}
/** Publishers with the number of their properties. */
export interface PropertyList {
  readonly properties: {
    readonly domain: string;
    readonly source: 'adagents_json';
    /** Counted up to 10,000. */
    readonly property_count: number;
    readonly agent_count: number;
    readonly verified: true;
  }[];
  readonly count: number;
  readonly next_cursor?: string;
}
/** Who a domain is, by its brand.json and that of its house. */
export interface ResolvedBrand {
  /** The domain; of a brand inside a house's file the house, `#` and its id. */
  readonly canonical_id: string;
  readonly canonical_domain: string;
  /** In English where it has such a name; the domain where it has none. */
  readonly brand_name: string;
  readonly names?: {
    readonly [k: string]: string;
  }[];
  readonly names_truncated?: true;
  /** Only where both sides say so. */
  readonly house_domain?: string;
  readonly house_name?: string;
  /** The house of which only one side speaks. */
  readonly claimed_house_domain?: string;
  readonly relationship_trust?: 'inline' | 'mutual' | 'leaf_only' | 'house_only' | 'standalone' | 'unverifiable';
  readonly brand_agent_url?: string;
  readonly source: 'brand_json';
  readonly last_validated?: string;
  /** Its file, or that of its house, had no room in this question. */
  readonly truncated?: true;
  readonly visit: VisitState;
}
/** What is known of each domain, under the name that was sent. */
export interface ResolvedBrands {
  readonly results: {
    readonly [k: string]: ResolvedBrand | null;
  };
  /** Names that are no domains, each with the reason; in `results` they are null. Absent when there are none. */
  readonly invalid?: {
    /** The begin of what was sent. */
    readonly domain: string;
    readonly error: string;
  }[];
}
/** A brand.json as it was last read. */
export interface BrandJson {
  readonly domain: string;
  /** Where it was read, its redirects followed. */
  readonly url: string;
  readonly variant: 'redirect' | 'house_redirect' | 'agents_only' | 'house_portfolio' | 'brand';
  /** The file. */
  readonly data: {
    readonly [k: string]: unknown;
  };
  readonly warnings: {
    readonly field: string;
    readonly message: string;
  }[];
  readonly visit: VisitState;
}
/** Domains whose brand.json counts now. */
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
/** Brands with such a name, or whose domain begins so. */
export interface FoundBrands {
  readonly results: {
    readonly domain: string;
    readonly canonical_domain: string;
    readonly brand_name: string;
    readonly source: 'brand_json';
    readonly house_domain?: string;
    readonly brand_agent_url?: string;
    /** What the domain itself is called: the brand is one inside its file. */
    readonly parent_brand?: string;
    /** By its house: a house itself, a brand of a house, or neither. */
    readonly keller_type: 'master' | 'sub_brand' | 'independent';
  }[];
  readonly results_truncated?: true;
}
/** The versions of a domain's file, the newest first. */
export interface FileHistory {
  readonly domain: string;
  readonly total: number;
  /** There are older versions than the 1,000 that are told. */
  readonly total_truncated?: true;
  readonly revisions: {
    readonly revision_number: number;
    /** Whose file it was: the domain, or its manager. */
    readonly editor_name: string;
    readonly edit_summary: string;
    readonly source: 'adagents_json' | 'brand_json';
    readonly is_rollback: boolean;
    /** The earlier version that said the same. */
    readonly rolled_back_to?: number;
    readonly created_at: string;
  }[];
}
/** Identifiers of properties that are asked for at once. */
export interface IdentifierQuestion {
  /** @maxItems 10000 */
  readonly identifiers: {
    readonly type: string;
    readonly value: string;
  }[];
  /** Both only read here. */
  readonly mode?: 'lookup' | 'resolve';
  /** Where the caller has them from; not kept. */
  readonly provenance?: {
    readonly [k: string]: unknown;
  };
}
/** Identifiers that are known, and counts of all. */
export interface ResolvedIdentifiers {
  readonly resolved: {
    readonly identifier: {
      readonly type: string;
      readonly value: string;
    };
    /** The same for the same identifier, always. */
    readonly property_rid: string | null;
    readonly classification: 'property' | 'invalid';
    /** `excluded`: a site that is no domain name. */
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
/** Brands with such a name or domain, and publishers whose domain begins so, up to 5 of each. */
export interface RegistrySearch {
  readonly brands: {
    readonly domain: string;
    readonly canonical_domain: string;
    readonly brand_name: string;
    readonly source: 'brand_json';
    readonly house_domain?: string;
    readonly brand_agent_url?: string;
    /** What the domain itself is called: the brand is one inside its file. */
    readonly parent_brand?: string;
    /** By its house: a house itself, a brand of a house, or neither. */
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
/** Where the manifest of a brand stands, or that there is none. */
export interface ManifestReference {
  readonly success: boolean;
  readonly found: boolean;
  readonly reference?: {
    readonly reference_type: 'url' | 'agent';
    readonly manifest_url: string | null;
    readonly agent_url: string | null;
    readonly agent_id: null;
    /** `pending` for an agent, which is not asked for it. */
    readonly verification_status: 'pending' | 'valid';
  };
}
/** A list of domains, as somebody keeps it. */
export interface PropertyCheckQuestion {
  /** @maxItems 10000 */
  readonly domains: readonly string[];
}
/** A list of domains, sorted by what is to be done. Each stands in one list. */
export interface PropertyCheck {
  /** Counts, exact. */
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
    /** Where the domain would be, written so. */
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
  /** Present when there was no room for all of them; send fewer domains. */
  readonly remove_truncated?: true;
  /** Present when there was no room for all of them; send fewer domains. */
  readonly modify_truncated?: true;
  /** Present when there was no room for all of them; send fewer domains. */
  readonly assess_truncated?: true;
  /** Present when there was no room for all of them; send fewer domains. */
  readonly ok_truncated?: true;
}
/** The counts of an earlier check. */
export interface PropertyCheckReport {
  /** Counts, exact. */
  readonly summary: {
    readonly total: number;
    readonly remove: number;
    readonly modify: number;
    readonly assess: number;
    readonly ok: number;
  };
  readonly expires_at: string;
}
/** Identifiers as somebody keeps them: domains, names and numbers of apps, or TYPE:VALUE. */
export interface BulkPropertyQuestion {
  /** @maxItems 10000 */
  readonly identifiers: readonly string[];
}
/** What is known of each identifier of a list. */
export interface BulkPropertyCheck {
  /** Counts, exact. */
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
    /** `ready`: a file speaks for it. `known`: a domain whose file does not count. */
    readonly verdict: 'ready' | 'known' | 'unknown';
    readonly classification: 'property' | null;
    readonly source: 'authoritative' | null;
    /** The same for the same identifier, always. */
    readonly property_rid: string | null;
    /** What to do about it, in a sentence. */
    readonly action: string;
  }[];
  /** For GET /api/properties/check/bulk/{reportId}. */
  readonly report_id: string;
  /** Present when there was no room for all of them; send fewer identifiers. */
  readonly entries_truncated?: true;
}
/** The counts of an earlier check of identifiers. */
export interface BulkPropertyReport {
  /** Counts, exact. */
  readonly summary: {
    readonly total: number;
    readonly ready: number;
    readonly known: number;
    readonly ad_infra: 0;
    readonly unknown: number;
    readonly skipped: number;
  };
  /**
   * Always empty: no list that somebody sent is kept.
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
    /** The protocol line. */
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
/** Texts that show a badge on a page. */
export interface BadgeEmbed {
  readonly agent_url: string;
  readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
  readonly verified: boolean;
  /** The protocol line of the badge; absent where there is none. */
  readonly adcp_version?: string;
  readonly badge_svg_url: string;
  readonly registry_url: string;
  readonly html: string;
  readonly markdown: string;
}
/** The latest result of one storyboard, in the words of the field's clients. */
export interface StoryboardReport {
  readonly storyboard_id: string;
  readonly category: string;
  readonly track: string;
  /** `partial`: incomplete. No step failed, and a step that the agent should have made possible was skipped. */
  readonly status: 'passing' | 'failing' | 'partial' | 'untested';
  readonly steps_passed: number;
  /** The steps that ran. */
  readonly steps_total: number;
  readonly failure_count: number;
  readonly skipped_count: number;
  /** Null too where the steps of the run are not kept any more, and in an answer about many agents. */
  readonly first_failed_step_id: string | null;
  readonly first_failed_step_title: string | null;
  readonly first_failed_step_task: string | null;
  readonly first_failure_message: string | null;
  readonly last_tested_at: string | null;
  readonly last_passed_at: string | null;
  readonly requested_compliance_target: string | null;
  /** The bundle of storyboards. */
  readonly adcp_version: string | null;
  readonly title: string;
}
/** How an agent fares in each storyboard. */
export interface AgentStoryboards {
  readonly agent_url: string;
  /** Empty for everybody but the owner. */
  readonly storyboards: readonly StoryboardReport[];
  readonly passing_count: number;
  /** Neither passing nor failing. */
  readonly incomplete_count: number;
  readonly total_count: number;
  /** Declared specialisms that no storyboard tested; the counts say nothing of them. */
  readonly specialisms_untested: number;
  /** Present where the owner opted out of tests. */
  readonly status?: 'opted_out';
}
/** Agents that are asked about. */
export interface AgentUrls {
  /**
   * @minItems 1
   * @maxItems 100
   */
  readonly agent_urls: readonly string[];
}
/** How agents fare in each storyboard. */
export interface AgentsStoryboards {
  readonly agents: {
    [k: string]:
      | readonly StoryboardReport[]
      | {
          readonly status: 'opted_out';
        };
  };
  /** How many of the addresses are none of an agent. */
  readonly invalid_urls?: number;
  /** For want of room; ask for them again. */
  readonly not_answered?: readonly string[];
}
/** The storyboards that agents are tested with. */
export interface StoryboardList {
  /** The bundle of storyboards. */
  readonly adcp_version: string;
  /** What it was asked for by. */
  readonly requested_compliance_target: string;
  readonly storyboards: {
    readonly id: string;
    readonly category: string;
    readonly track: string;
    readonly summary: string;
    /** Stateless: none of its steps changes anything. */
    readonly interaction_model: 'stateful' | 'stateless';
    /** For every agent, for those that support the protocol, or for those that declare the specialism. */
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
  /** The bundle of storyboards. */
  readonly adcp_version: string;
  /** What it was asked for by. */
  readonly requested_compliance_target: string;
  readonly storyboard: {
    readonly id: string;
    readonly version: string;
    readonly category: string;
    readonly track: string;
    /** Why it is tested. */
    readonly summary: string;
    readonly agent: {
      /** Stateless: none of its steps changes anything. */
      readonly interaction_model: 'stateful' | 'stateless';
    };
    /** For every agent, for those that support the protocol, or for those that declare the specialism. */
    readonly applies_to: {
      readonly kind: 'universal' | 'domain' | 'specialism';
      readonly id: string;
    };
    /** At least one of these must be offered; empty for any agent. */
    readonly required_tools: readonly string[];
    /** Storyboards that must have passed before. */
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
          /** Its kind. */
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
/** What an agent is asked first. */
export interface StoryboardFirstStep {
  /** The bundle of storyboards. */
  readonly adcp_version: string;
  /** What it was asked for by. */
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
    /** As the storyboard has it: `$test_kit` and `$context` stand for what a run fills in. */
    readonly sample_request: {
      readonly [k: string]: unknown;
    };
    readonly title: string;
  } | null;
}
/** The storyboards that an agent would be tested with. */
export interface ApplicableStoryboards {
  readonly agent_url: string;
  /** The bundle of storyboards. */
  readonly adcp_version: string;
  /** What it was asked for by. */
  readonly requested_compliance_target: string;
  readonly agent_name: string;
  readonly supported_protocols: readonly string[];
  readonly specialisms: readonly string[];
  /** Why nothing is known of what it declares; absent where it was read. */
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
/** The steps that failed in one run. */
export interface StepDiagnostics {
  readonly agent_url: string;
  /** Null for everybody but the owner, and where no such run is kept. */
  readonly run_id: string | null;
  readonly steps: {
    readonly storyboard_id: string;
    readonly phase_id: string;
    readonly step_id: string;
    readonly task: string;
    readonly duration_ms: number;
    /** Where the storyboards document what the step asks for. */
    readonly doc_ref: string | null;
    /** What was received instead of an answer of the protocol; null for a step that was answered. */
    readonly no_answer: {
      readonly error_class: string;
      readonly http_status?: number;
      readonly content_type?: string;
      /** The agent's own words, redacted, at most 300 characters. */
      readonly words?: string;
      /** It was retried once, and failed again. */
      readonly retried?: true;
    } | null;
    /** It builds on no earlier step: `check --step` repeats it by itself. */
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
/** When an agent is tested. */
export interface MonitoringSettings {
  readonly monitoring_paused: boolean;
  readonly check_interval_hours: number;
  readonly monitoring_paused_at: string | null;
  /** When it is tested next by the clock; a time that is past is due. Null while it is not tested. */
  readonly next_run_at: string | null;
}
/** Members whose agents are listed, by slug. */
export interface MemberList {
  readonly members: readonly ShownMember[];
  /** Members on this page. */
  readonly count: number;
  /** Absent on the last page. */
  readonly next_cursor?: string;
}
/** A member and its listed agents. */
export interface ShownMember {
  /** The slug again, as the field's clients read it. */
  readonly id: string;
  readonly slug: string;
  readonly display_name: string;
  readonly membership_tier?: string;
  readonly membership_tier_label?: string;
  readonly is_founding_member?: boolean;
  readonly agents: {
    readonly url: string;
    /** The member has shown control of its domain. */
    readonly proven: boolean;
  }[];
  /** Present when there was no room for all of them. */
  readonly agents_truncated?: true;
}
/** The agents of a member: those that are registered to it, and those that are pending. */
export interface MyAgents {
  readonly agents: readonly OwnAgent[];
  readonly count: number;
  /** For the next page; null on the last one. */
  readonly next_cursor: string | null;
}
/** What we asked of an agent and how it answered, newest first. */
export interface MonitoringRequests {
  readonly agent_url: string;
  readonly requests: {
    readonly id: string;
    readonly agent_url: string;
    readonly request_type: 'health_probe' | 'compliance_run';
    /** The product token of our User-Agent. */
    readonly user_agent: string;
    /** Of the handshake; of a run its whole time. */
    readonly response_time_ms: number | null;
    readonly success: boolean;
    readonly error_message: string | null;
    readonly created_at: string;
    /** Null for a probe. */
    readonly run_id: string | null;
    /** Of a probe that found something else than the one before it. */
    readonly steps?: {
      /** `initialize`, `tools/list` and so on. */
      readonly step: string;
      readonly url: string;
      readonly duration_ms: number;
      readonly ok: boolean;
      readonly detail: string | null;
    }[];
  }[];
  /** Of this answer, which ends by its bytes too. */
  readonly count: number;
  /** All that are kept since the moment that was asked for. */
  readonly total: number;
}
/** What tests of an agent authenticate with, in the words of the field's clients. */
export interface AgentAuthStatus {
  readonly has_auth: boolean;
  /** The agent's URL where a credential is stored. */
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
  /** The same, for clients that take `auth_token` for your API key. */
  readonly token?: string;
}
/** A token is stored. */
export interface AgentConnected {
  readonly connected: true;
  readonly has_auth: true;
  /** The agent's URL. */
  readonly agent_context_id: string;
}
/** An OAuth client that gets the tokens for the tests of an agent. Its texts have printable ASCII characters only. */
export interface AgentOAuthClient {
  /** An https URL of a public host. */
  readonly token_endpoint: string;
  /** As the endpoint knows it. */
  readonly client_id: string;
  /** Sealed at rest, and never shown. */
  readonly client_secret: string;
  /** Scopes with spaces between them. */
  readonly scope?: string | null;
  /** RFC 8707. */
  readonly resource?: string | null;
  /** For endpoints that want one. */
  readonly audience?: string | null;
  /** Where the secret stands: in the header, or among the fields. */
  readonly auth_method?: 'basic' | 'body' | null;
}
/** An OAuth client is stored. */
export interface AgentOAuthConnected {
  readonly connected: true;
  readonly has_auth: true;
  /** The agent's URL. */
  readonly agent_context_id: string;
  readonly auth_type: 'oauth_client_credentials';
}
/** What a token endpoint says to the stored OAuth client. */
export interface AgentTokenTest {
  readonly ok: boolean;
  readonly latency_ms: number;
  /** Absent where a token came. */
  readonly error?: {
    /** It refused, answered with no token, or did not answer. */
    readonly kind: 'oauth' | 'malformed' | 'network';
    readonly message: string;
    /** `error` of RFC 6749, section 5.2. */
    readonly oauth_error?: string;
    /** The endpoint's own words. */
    readonly oauth_error_description?: string;
    readonly http_status?: number;
  };
}
/** What the owner of an agent has decided about its tests. */
export interface AgentLifecycle {
  readonly agent_url: string;
  readonly lifecycle_stage: 'development' | 'testing' | 'production' | 'deprecated';
  readonly compliance_opt_out: boolean;
  /** It had a badge and has none now. */
  readonly badge_requalification_required: boolean;
  readonly monitoring_paused: boolean;
  readonly check_interval_hours: number;
  readonly monitoring_paused_at: string | null;
  /** When its owner first decided something, or proved to own it. */
  readonly created_at: string;
  readonly updated_at: string;
  /** When it is tested next by the clock; a time that is past is due. Null while it is not tested. */
  readonly next_run_at: string | null;
}
/** Whether a test was asked for. */
export interface Requeued {
  /** False while a run is open already. */
  readonly requeued: boolean;
}
export interface AdagentsQuestion2 {
  readonly domain?: string;
  /** The file: its text, whose places the report names, or its JSON. */
  readonly adagents_json?: {
    readonly [k: string]: unknown;
  };
}
export interface BrandQuestion2 {
  readonly domain?: string;
  /** The file: its text, whose places the report names, or its JSON. */
  readonly brand_json?: {
    readonly [k: string]: unknown;
  };
}
/** A file as its author sees it: the verdict in the field's words, and the whole report. */
export interface FileValidation {
  readonly success: true;
  readonly data: {
    readonly domain: string;
    readonly found: boolean;
    readonly validation: {
      readonly valid: boolean;
      readonly errors: {
        /** JSON pointer of the place; empty for the whole file. */
        readonly field: string;
        readonly message: string;
        readonly severity: 'error';
      }[];
      readonly warnings: {
        readonly field: string;
        readonly message: string;
        readonly suggestion?: string;
      }[];
      /** Empty where nobody says whose file it is. */
      readonly domain: string;
      /** Where the file is to be. */
      readonly url: string;
      readonly status_code?: number;
      readonly response_bytes?: number;
      /** Where it was found, if elsewhere. */
      readonly resolved_url?: string;
      readonly discovery_method: 'direct' | 'authoritative_location' | 'ads_txt_managerdomain';
      readonly manager_domain?: string;
    };
    readonly report: {
      readonly valid: boolean;
      /** The verdict in words, as `valid: 1 of 3 agents may sell today`. */
      readonly verdict: string;
      /** How many of the agents may sell something at the moment of the check, as strict buyers read the file. Null for a brand.json. */
      readonly may_sell_now: number | null;
      /** Errors that remain once the certain fixes are made. Absent where there is nothing to fix. */
      readonly errors_left?: number;
      readonly kind: 'adagents' | 'brand';
      readonly variant: string | null;
      readonly agents: readonly string[];
      /** Each with its place, a hint, and a fix where one is certain; as `agent-registry validate --json` has them. */
      readonly findings: {
        readonly severity: 'error' | 'warning';
        readonly code: string;
        readonly pointer: string;
        readonly message: string;
      }[];
      /** Who may sell what because of the file, as strict buyers read it. */
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
      /** The text of the file with all certain fixes, up to 32 KiB. */
      readonly fixed?: string;
      /** Something was left out, because there is too much of it. */
      readonly truncated?: true;
    };
  };
  /** When the file was looked at. */
  readonly timestamp: string;
}
/** What an adagents.json is made of. */
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
/** A file to be published. */
export interface CreatedAdagents {
  readonly success: true;
  readonly data: {
    readonly success: true;
    /** The text of the file. */
    readonly adagents_json: string;
    readonly validation: {
      readonly valid: boolean;
      readonly errors: {
        /** JSON pointer of the place; empty for the whole file. */
        readonly field: string;
        readonly message: string;
        readonly severity: 'error';
      }[];
      readonly warnings: {
        readonly field: string;
        readonly message: string;
        readonly suggestion?: string;
      }[];
      /** Empty where nobody says whose file it is. */
      readonly domain: string;
      /** Where the file is to be. */
      readonly url: string;
      readonly status_code?: number;
      readonly response_bytes?: number;
      /** Where it was found, if elsewhere. */
      readonly resolved_url?: string;
      readonly discovery_method: 'direct' | 'authoritative_location' | 'ads_txt_managerdomain';
      readonly manager_domain?: string;
    };
  };
  readonly timestamp: string;
}
/** What a publisher publishes, in short and in full. */
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
    /** The verdict in words, as `valid: 1 of 3 agents may sell today`. */
    readonly verdict: string;
    /** How many of the agents may sell something at the moment of the check, as strict buyers read the file. Null for a brand.json. */
    readonly may_sell_now: number | null;
    /** Errors that remain once the certain fixes are made. Absent where there is nothing to fix. */
    readonly errors_left?: number;
    readonly kind: 'adagents' | 'brand';
    readonly variant: string | null;
    readonly agents: readonly string[];
    /** Each with its place, a hint, and a fix where one is certain; as `agent-registry validate --json` has them. */
    readonly findings: {
      readonly severity: 'error' | 'warning';
      readonly code: string;
      readonly pointer: string;
      readonly message: string;
    }[];
    /** Who may sell what because of the file, as strict buyers read it. */
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
    /** The text of the file with all certain fixes, up to 32 KiB. */
    readonly fixed?: string;
    /** Something was left out, because there is too much of it. */
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
/** A visit that was asked for. */
export interface CrawlRequestAccepted {
  readonly message: string;
  readonly domain: string;
  readonly agent_url?: string;
  readonly crawl_request_id: string;
  readonly status: 'queued' | 'running' | 'completed' | 'invalid' | 'failed';
  readonly requested_at: string;
}
/** What became of a visit that was asked for. */
export interface CrawlRequestState {
  readonly crawl_request_id: string;
  /** Of the agent's address, where an agent was asked for. */
  readonly domain: string;
  readonly agent_url?: string;
  /** completed: a file, or the agent, could be read. Of a request that is over: what the newest visit since then has brought. */
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
/** How the registry itself is doing. */
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
    /** By how they fare in compliance tests. */
    readonly by_compliance_status: {
      readonly [k: string]: number;
    };
    /** By the countries in which they say they sell, ISO 3166-1; an agent counts in each of its own. */
    readonly by_country: {
      readonly [k: string]: number;
    };
  };
  /** What is visited, by the outcome of the last visit. */
  readonly sources: {
    readonly adagents: {
      readonly total: number;
      /** What it says counts now. */
      readonly valid: number;
      readonly by_status: {
        readonly [k: string]: number;
      };
      /** Whole minutes since they were last read, of those that were. */
      readonly freshness_minutes: {
        readonly p50: number | null;
        readonly p90: number | null;
        readonly p99: number | null;
      };
    };
    readonly brand: {
      readonly total: number;
      /** What it says counts now. */
      readonly valid: number;
      readonly by_status: {
        readonly [k: string]: number;
      };
      /** Whole minutes since they were last read, of those that were. */
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
      /** Whole minutes since they were last read, of those that were. */
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
    /** Since when the visit waits that waits longest. */
    readonly oldest_due_at: string | null;
    readonly oldest_due_seconds: number;
  };
  /** Agents by storyboard: those whose latest run had steps of it, and of these those that pass and those where it is incomplete. A storyboard with fewer than five tested agents is left out. */
  readonly storyboards: {
    readonly [k: string]: {
      readonly tested: number;
      readonly passing: number;
      /** Neither passing nor failing. */
      readonly incomplete: number;
    };
  };
  /** The generation that searches read. */
  readonly index: {
    readonly documents: number;
    /** When its build began; a rebuild begins a new one. */
    readonly built_at: string | null;
    /** Changes that it does not have yet. */
    readonly changes_waiting: number;
    readonly layout: number;
  };
  /** Files and agents whose last visit came to nothing, as the registry's own network did not work. It does not count against them. */
  readonly own_network: number;
  /** Of the program. */
  readonly version: string;
  /** The build, the schema of the records, the layout of the index and the version of Node. */
  readonly build?: string;
  readonly generated_at: string;
}
/** A page of what happened in the directory, the newest first. */
export interface ChangeList {
  readonly changes: {
    readonly at: string;
    readonly kind: 'listed' | 'changed' | 'delisted';
    readonly agent_url: string;
    /** What differs; empty for an agent that came or went. */
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
    /** How its tests stand since then; absent when this change is not of them. */
    readonly compliance_status?: 'passing' | 'degraded' | 'failing' | 'unknown' | 'opted_out';
    /** The stage that its owner gave it; absent when this change is not of that. */
    readonly lifecycle_stage?: 'development' | 'testing' | 'production' | 'deprecated';
    /** Roles that it is verified for since then. */
    readonly badges_earned?: readonly string[];
    /** Roles that it is no longer verified for. */
    readonly badges_lost?: readonly string[];
  }[];
  readonly next_cursor: string | null;
}
/** Events of the directory, in order. An event may come twice; to apply it again changes nothing. */
export interface FeedPage {
  readonly events: {
    /** The same whenever the event is read. */
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
    /** The agent, or the publisher; for an authorisation the agent and the publisher, with | between. */
    readonly entity_id: string;
    /** An agent as the search shows it, a publisher with what its file counts, or a row of the authorisations. */
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
  /** A UUID of version 7. It works for ever. */
  readonly cursor: string;
  readonly has_more: boolean;
  readonly freshness: {
    readonly generated_at: string;
    readonly latest_event_created_at: string | null;
    /** Since the last change of an agent. */
    readonly lag_seconds: number | null;
    /** Nothing is forgotten: a hundred years. */
    readonly retention_days: number;
  };
}
/** A publisher with all that answers about it are made of; a line of an export. */
export interface ExportedPublisher {
  readonly kind: 'publisher';
  readonly publisher_domain: string;
  /** Where its file was read. */
  readonly file: string;
  /** The file was last read longer ago than two intervals when the line was made. */
  readonly stale: boolean;
  readonly properties: {
    readonly property_type: string;
    readonly property_id?: string;
    readonly name?: string;
    /** JSON pointer of the entry in which it stands; absent: it is in the catalogue. */
    readonly entry?: string;
    readonly identifiers: {
      readonly type: string;
      readonly value: string;
    }[];
    readonly tags: readonly string[];
  }[];
  readonly entries: {
    readonly agent_url: string;
    /** JSON pointer of the entry in the file. */
    readonly entry: string;
    /** Absent: not read; it authorises nothing. A member that you do not know may narrow it. */
    readonly covers?: {
      readonly all?: 'inventory' | 'listed';
      readonly property_ids?: readonly string[];
      readonly property_tags?: readonly string[];
      /** A publisher selector: it means properties with an id only. */
      readonly selected?: true;
      /** The properties that stand in the entry itself. */
      readonly inline?: true;
      readonly signals?: readonly string[];
    };
    /** A member that you do not know may narrow it. */
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
  /** urn:air:publisher:namespace:name; of an agent, its host and path. */
  readonly identifier: string;
  readonly displayName: string;
  /** The media type of the artefact. */
  readonly type: string;
  /** The artefact: the agent's card, or the agent itself over MCP. */
  readonly url?: string;
  /** The artefact, where it is not at a url. */
  readonly data?: {
    readonly [k: string]: unknown;
  };
  readonly description?: string;
  readonly version?: string;
  /** Specialisms of the protocol. */
  readonly capabilities?: readonly string[];
  readonly tags?: readonly string[];
  /**
   * Questions that it serves, made of what it exposes.
   *
   * @minItems 2
   * @maxItems 5
   */
  readonly representativeQueries: readonly string[];
  /** Single values that the registry knows beside it, and its record. */
  readonly metadata?: {
    readonly [k: string]: unknown;
  };
  /** What is verified, with links to what verifies it. */
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
  /** Binds the prefix of our own terms, as in reg:channels. */
  readonly '@context'?: {
    readonly [k: string]: unknown;
  };
}
/** A page of entries. */
export interface ArdEntries {
  readonly items: readonly ArdEntry[];
  /** Present when it is exact. */
  readonly total?: number;
  readonly pageToken?: string;
}
/** The document /.well-known/ard.json. */
export interface ArdManifest {
  readonly specVersion: '1.0';
  readonly entries: readonly ArdEntry[];
}
/** A search by a sentence. */
export interface ArdSearchQuestion {
  readonly query: {
    /** What the prefixes in the keys of the filter stand for. */
    readonly '@context'?: {
      readonly [k: string]: unknown;
    };
    readonly text: string;
    /** Paths of terms, each with a value or a list of alternatives. */
    readonly filter?: {
      readonly [k: string]: string | readonly string[];
    };
  };
  readonly federation?: 'auto' | 'referrals' | 'none';
  readonly pageSize?: number;
  readonly pageToken?: string;
}
/** Entries that fit a sentence, the best first. */
export interface ArdResults {
  readonly results: {
    /** urn:air:publisher:namespace:name; of an agent, its host and path. */
    readonly identifier: string;
    readonly displayName?: string;
    /** The media type of the artefact. */
    readonly type?: string;
    /** The artefact: the agent's card, or the agent itself over MCP. */
    readonly url?: string;
    /** The artefact, where it is not at a url. */
    readonly data?: {
      readonly [k: string]: unknown;
    };
    readonly description?: string;
    readonly version?: string;
    /** Specialisms of the protocol. */
    readonly capabilities?: readonly string[];
    readonly tags?: readonly string[];
    /** What the registry knows beside it; filters and facets name its members. */
    readonly metadata?: {
      readonly [k: string]: unknown;
    };
    /** What is verified, with links to what verifies it. */
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
    /** Relevance alone: no judgement of trust or safety. */
    readonly score: number;
    /** The registry that has the whole entry. */
    readonly source: string;
    readonly '@context'?: {
      readonly [k: string]: unknown;
    };
  }[];
  /** Other registries; present when they were asked for. */
  readonly referrals?: {
    readonly [k: string]: unknown;
  }[];
  readonly pageToken?: string;
}
/** Which terms are to be counted, of which entries. */
export interface ArdExploreQuestion {
  readonly query?: {
    /** What the prefixes in the keys of the filter stand for. */
    readonly '@context'?: {
      readonly [k: string]: unknown;
    };
    readonly text?: string;
    /** Paths of terms, each with a value or a list of alternatives. */
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
/** How many entries have each value. */
export interface ArdFacets {
  readonly resultType: 'facets';
  readonly facets: {
    readonly [k: string]: {
      readonly buckets: {
        readonly value: string;
        /** Absent where counting stopped before the last entry. */
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
/** An error, as RFC 9457 says, with a stable code. */
export interface Problem {
  /** Names the kind of problem; one for each code. */
  readonly type: string;
  readonly status: number;
  /** What went wrong this time and what to do about it. */
  readonly detail: string;
  /** The same sentence, for clients that look for a plain error text. */
  readonly error: string;
  /** Stable; the list is closed. */
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
    | 'cursor_expired'
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
  /** The parameter that is wrong. */
  readonly parameter?: string;
  /** The member of an OAuth client that is wrong. */
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
  /** With a fault on our side: what to tell the operator. */
  readonly request_id?: string;
  /** With a signature that was refused: the code of the check that failed first. */
  readonly signature_error?: string;
  /** With an API key that may not do this: the scope that it lacks. */
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
      /** Of an entry, as one segment. */
      readonly identifier: string;
    };
    readonly answer: ArdEntry;
  };
  readonly ardListAgents: {
    readonly input: {
      /** Conditions on terms, joined by AND. */
      readonly filter?: string;
      /** displayName, which is the default. */
      readonly orderBy?: string;
      /** At most so many entries. */
      readonly pageSize?: number;
      /** The pageToken of the page before. */
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
      /** The member of the key; no other can be asked for. */
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
      /** The member of the key; no other can be asked for. */
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
      /** The member of the key; no other can be asked for. */
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
      /** Words of a name, or what the domain begins with. */
      readonly q: string;
      /** At most so many. */
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
      /** Nobody overrides a file here, so both are the same. */
      readonly include?: 'effective' | 'raw';
      /** Kinds of evidence with commas between: adagents_json, adagents_authoritative, agent_claim, community, override. Only adagents_json has rows here. */
      readonly evidence?: string;
      /** At most so many rows. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
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
      /** The protocol line. */
      readonly version: string;
    };
    readonly answer: string;
  };
  readonly getAgentBadgeOfLineEmbed: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
      /** The protocol line. */
      readonly version: string;
    };
    readonly answer: BadgeEmbed;
  };
  readonly getAgentBadgeToken: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      readonly role: 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'measurement' | 'rights';
      /** The protocol line; of several badges the newest without it. */
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
      /** The run; without it the latest one that counts. */
      readonly run_id?: string;
      /** At most so many steps. */
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
      /** So many days in UTC, today included; without it, 30. */
      readonly days?: number;
    };
    readonly answer: AgentHealthHistory;
  };
  readonly getAgentMonitoringRequests: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** At most so many requests. */
      readonly limit?: number;
      /** Only from this moment on, RFC 3339; a date is its midnight UTC. */
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
      /** Only this agent. */
      readonly agent_url?: string;
      /** Only the adagents.json of this publisher. */
      readonly domain?: string;
      /** As the link `next` has it; not for a publisher. */
      readonly cursor?: string;
    };
    readonly answer: string;
  };
  readonly getAuthorizationsSnapshot: {
    readonly input: {
      /** Nobody overrides a file here, so both are the same. */
      readonly include?: 'effective' | 'raw';
      /** Kinds of evidence with commas between: adagents_json, adagents_authoritative, agent_claim, community, override. Only adagents_json has rows here. */
      readonly evidence?: string;
      /** At most so many rows. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
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
      /** Where the list of revoked badges is, seen from here. */
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
      /** Where the list of revoked badges is, seen from here. */
      readonly revocations: string;
    };
  };
  readonly getBadgeRevocations: {
    readonly input: {};
    readonly answer: {
      /** The iss of the tokens that it is about. */
      readonly issuer: string;
      readonly issued_at: string;
      /** After it the list says nothing any more. */
      readonly expires_at: string;
      /** Nothing that these keys ever signed counts. */
      readonly revoked_keys: {
        readonly kid: string;
        readonly status: 'revoked';
      }[];
      /** Of the last two days, which is longer than a token lives. */
      readonly revoked_badges: {
        /** SHA-256 in base64url of the JSON list of iss, sub, role and verified_protocol_version, without blanks. */
        readonly id: string;
        readonly status: 'revoked';
        /** Tokens whose verified_at is earlier count no more. */
        readonly revoked_at: string;
      }[];
    };
  };
  readonly getBrandHistory: {
    readonly input: {
      /** Whose file it is. */
      readonly domain: string;
      /** At most so many. */
      readonly limit?: number;
      /** So many of the newest are left out. */
      readonly offset?: number;
    };
    readonly answer: FileHistory;
  };
  readonly getBrandJson: {
    readonly input: {
      /** The domain of a brand or a house. */
      readonly domain: string;
      /** A look at the site itself is not built; POST /api/brands/validate takes one. */
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
      /** The publisher. */
      readonly domain: string;
    };
    readonly answer: ExportedPublisher;
  };
  readonly getFeed: {
    readonly input: {
      /** `cursor` of the page before. It works for ever. Empty or absent: all that stands, then what changes. */
      readonly cursor?: string;
      /** Types of events with commas between; `*` stands for any text, once in each. agent.discovered, agent.removed, agent.profile_updated, agent.compliance_changed, agent.verification_earned, agent.verification_lost, publisher.adagents_discovered, publisher.adagents_changed, authorization.revoked, authorization.granted. */
      readonly types?: string;
      /** At most so many changes; one change may be told by several events. */
      readonly limit?: number;
    };
    readonly answer: FeedPage;
  };
  readonly getFileDiff: {
    readonly input: {
      /** Whose file it is. */
      readonly domain: string;
      /** Which file, by its name without .json. */
      readonly file?: 'adagents' | 'brand';
      /** The number of a version, as in the history; absent: the newest. */
      readonly revision?: number;
    };
    readonly answer: FileDiff;
  };
  readonly getFileFindings: {
    readonly input: {
      /** Whose file it is. */
      readonly domain: string;
      /** Which file, by its name without .json. */
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
      /** The member of the key; no other can be asked for. */
      readonly org?: string;
    };
    readonly answer: OwnMember;
  };
  readonly getNetwork: {
    readonly input: {
      /** The domain of the manager. */
      readonly domain: string;
      /** `orphaned`: the file authorises nobody for them. `behind`: they were read before the file changed. `missing`: see above. */
      readonly show?: 'all' | 'orphaned' | 'behind' | 'missing';
      /** Only publishers whose domain begins so. */
      readonly search?: string;
      /** At most so many. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
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
      /** Whose file it is. */
      readonly domain: string;
      /** At most so many. */
      readonly limit?: number;
      /** So many of the newest are left out. */
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
      /** A version, or what stands for one: `latest`, a major version, major.minor. */
      readonly version: string;
      /** `core` holds the shapes that the tasks share. */
      readonly area: 'account' | 'media-buy' | 'creative' | 'signals' | 'governance' | 'brand' | 'protocol' | 'core';
      /** The task with `-request.json` or `-response.json`; hyphens stand for underscores. */
      readonly file: string;
    };
    /** A JSON Schema 2020-12. */
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly getStoryboard: {
    readonly input: {
      /** The id of a storyboard. */
      readonly id: string;
      /** A version of the protocol, or what stands for one; without it what agents are tested for. */
      readonly compliance_target?: string;
    };
    readonly answer: StoryboardDetail;
  };
  readonly getStoryboardFirstStep: {
    readonly input: {
      /** The id of a storyboard. */
      readonly id: string;
      /** A version of the protocol, or what stands for one; without it what agents are tested for. */
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
      /** The member of the key; no other can be asked for. */
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
      /** At most so many records. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
      readonly cursor?: string;
    };
    readonly answer: AgentAudit;
  };
  readonly listAgentPublishers: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** Publishers that authorise it now, or that did and do no more. */
      readonly status?: readonly ('authorized' | 'revoked')[];
      /** Only publishers whose domain begins so. */
      readonly search?: string;
      /** Only what began or ended then or later. */
      readonly since?: string;
      /** Which properties of the catalogue it may sell now, by id, as far as there is room. */
      readonly include?: 'properties';
      /** At most so many publishers. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
      readonly cursor?: string;
    };
    readonly answer: AgentPublishers;
  };
  readonly listAgentPublishersLegacy: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** Publishers that authorise it now, or that did and do no more. */
      readonly status?: readonly ('authorized' | 'revoked')[];
      /** Only publishers whose domain begins so. */
      readonly search?: string;
      /** Only what began or ended then or later. */
      readonly since?: string;
      /** Which properties of the catalogue it may sell now, by id, as far as there is room. */
      readonly include?: 'properties';
      /** At most so many publishers. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
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
       * Only agents with a metric of exactly this metric_id; several values are alternatives. Implies type=measurement.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly metric_id?: readonly string[];
      /**
       * Only agents with a metric accredited by exactly this accrediting_body; several values are alternatives. Implies type=measurement.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly accreditation?: readonly string[];
      /** Only agents with a metric whose metric_id contains this text, in any case, every character taken literally. Implies type=measurement. */
      readonly q?: string;
      /** When true, one and the same metric must meet metric_id, accreditation, q and accreditation_valid, as far as they are given. Implies type=measurement. */
      readonly same_metric?: boolean;
      /** When true, at least one accreditation, of those that are asked for, must not have expired. Its last day ends in UTC. Implies type=measurement. */
      readonly accreditation_valid?: boolean;
      /** When true, only agents that hold an active verification badge. */
      readonly verified?: boolean;
      /**
       * Only agents with an active badge that covers this axis; repeated, one badge must cover all of them.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly verification_mode?: readonly ('spec' | 'live')[];
      /** Only agents that a probe has reached over this protocol. */
      readonly protocol?: 'mcp' | 'a2a';
      /** Only agents that fare so in tests. Those that were never tested are unknown. */
      readonly compliance_status?: 'passing' | 'degraded' | 'failing' | 'unknown' | 'opted_out';
      /** When true, adds the group health. */
      readonly health?: boolean;
      /** When true, adds the group capabilities. */
      readonly capabilities?: boolean;
      /** When true, adds stats, publisher_domains and property_summary. */
      readonly properties?: boolean;
      /** When true, adds the group compliance. */
      readonly compliance?: boolean;
      /** Agents in one response, 1 to 10000; without it, 10000. A response ends before 2 MiB, too. */
      readonly limit?: number;
      /** The next_cursor of the response before, under the same filters. */
      readonly cursor?: string;
      /** When true, adds total: how many agents there are under the filters. */
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
      /** At most so many events. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
      readonly cursor?: string;
    };
    readonly answer: BadgeTimeline;
  };
  readonly listBrands: {
    readonly input: {
      /** Only domains that begin so. */
      readonly search?: string;
      /** At most so many. */
      readonly limit?: number;
      /** So many are left out at the begin; for more follow `next_cursor`. */
      readonly offset?: number;
      /** The next_cursor of the page before. */
      readonly cursor?: string;
    };
    readonly answer: BrandList;
  };
  readonly listChanges: {
    readonly input: {
      /** At most so many changes. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
      readonly cursor?: string;
    };
    readonly answer: ChangeList;
  };
  readonly listComplianceRuns: {
    readonly input: {
      /** The agent's URL, percent-encoded as one segment. */
      readonly encodedUrl: string;
      /** At most so many runs. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
      readonly cursor?: string;
    };
    readonly answer: ComplianceHistory;
  };
  readonly listMembers: {
    readonly input: {
      /** At most so many members. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
      readonly cursor?: string;
    };
    readonly answer: MemberList;
  };
  readonly listMyAgents: {
    readonly input: {
      /** The member of the key; no other can be asked for. */
      readonly org?: string;
      /** At most so many agents. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
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
      /** Only domains that begin so. */
      readonly search?: string;
      /** At most so many. */
      readonly limit?: number;
      /** So many are left out at the begin; for more follow `next_cursor`. */
      readonly offset?: number;
      /** The next_cursor of the page before. */
      readonly cursor?: string;
    };
    readonly answer: PropertyList;
  };
  readonly listPublisherEntries: {
    readonly input: {
      /** The domain of a publisher. */
      readonly domain: string;
      /** Only entries of this agent, or of those with this text in their address. */
      readonly agent?: string;
      /** Only entries that count there, as in DE. */
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
      /** At most so many entries. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
      readonly cursor?: string;
    };
    readonly answer: PublisherEntries;
  };
  readonly listPublishers: {
    readonly input: {
      /** At most so many publishers. */
      readonly limit?: number;
      /** The next_cursor of the page before. */
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
      /** A version, or what stands for one: `latest`, a major version, major.minor. */
      readonly version: string;
    };
    readonly answer: {
      readonly [k: string]: unknown;
    };
  };
  readonly listStoryboards: {
    readonly input: {
      /** Only those of this category; a wrong one is told the right ones. */
      readonly category?: string;
      /** A version of the protocol, or what stands for one; without it what agents are tested for. */
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
      /** Accepted, for the field’s clients. */
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
      /** With its placements, of a file of up to 2 MiB. */
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
      /** A look at the site itself is not built; POST /api/brands/validate takes one. */
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
      readonly body?: RunRequest;
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
      /** Words of a name, or what the domain begins with. */
      readonly q: string;
    };
    readonly answer: RegistrySearch;
  };
  readonly searchAgents: {
    readonly input: {
      /** Words, of which an agent has all, or words that begin with them. They are in its name, description, tools, specialisms, metrics, accrediting bodies, domains or tags. */
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
       * Only agents with a metric of exactly this metric_id; several values are alternatives.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly metric_id?: readonly string[];
      /**
       * Only agents with a metric accredited by exactly this accrediting_body; several values are alternatives.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly accreditation?: readonly string[];
      /** When true, one and the same metric must meet metric_id, accreditation and accreditation_valid, as far as they are given. */
      readonly same_metric?: boolean;
      /** When true, at least one accreditation, of those that are asked for, must not have expired. Its last day ends in UTC. */
      readonly accreditation_valid?: boolean;
      /** When true, only agents that hold an active verification badge. */
      readonly verified?: boolean;
      /**
       * Only agents with an active badge that covers this axis; repeated, one badge must cover all of them.
       *
       * @minItems 1
       * @maxItems 20
       */
      readonly verification_mode?: readonly ('spec' | 'live')[];
      /** Only agents that a probe has reached over this protocol. */
      readonly protocol?: 'mcp' | 'a2a';
      /** Only agents that fare so in tests. Those that were never tested are unknown. */
      readonly compliance_status?: 'passing' | 'degraded' | 'failing' | 'unknown' | 'opted_out';
      /** Only agents that say they sell one of these channels. Separate alternatives by commas; case does not count. */
      readonly channels?: string;
      /** Only agents that publishers authorise for properties of one of these types. Separate alternatives by commas; case does not count. */
      readonly property_types?: string;
      /** Only agents that say they sell in one of these countries. Separate alternatives by commas; case does not count. */
      readonly markets?: string;
      /** Only agents with properties tagged with one of these codes of the IAB content taxonomy. Separate alternatives by commas; case does not count. */
      readonly categories?: string;
      /** Only agents with properties that have one of these tags. Separate alternatives by commas; case does not count. */
      readonly tags?: string;
      /** Only agents whose specialisms say that they sell so: guaranteed, non_guaranteed. Separate alternatives by commas; case does not count. */
      readonly delivery_types?: string;
      /** Only agents with creative formats of one of these kinds. Separate alternatives by commas; case does not count. */
      readonly format_kinds?: string;
      /** Only agents that name one of these specialisms. Separate alternatives by commas; case does not count. */
      readonly specialisms?: string;
      /** Only agents that offer one of these tasks or name one of these specialisms. Separate alternatives by commas; case does not count. */
      readonly capability?: string;
      /** The same as channels; give one of the two. Separate alternatives by commas; case does not count. */
      readonly channel?: string;
      /** Only agents that take part in trusted match, or only others. */
      readonly has_tmp?: boolean;
      /** Only agents that publishers authorise for at least so many properties. */
      readonly min_properties?: number;
      /** What comes first: what fits best (default), names in order, most properties, most publishers. */
      readonly sort?: 'relevance' | 'name' | 'properties' | 'publishers';
      /** When true, adds facets: how many of the agents have each value of each filter. */
      readonly facets?: boolean;
      /** Agents in one response, 1 to 200; without it, 50. */
      readonly limit?: number;
      /** The cursor of the response before, of the same search. */
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
      /** Whose property it is; several may list an app. */
      readonly publisher_domain?: string;
      /** Where, two letters (ISO 3166-1). */
      readonly country?: string;
      /** As of this moment, RFC 3339, as in 2026-11-22T12:00:00Z; a date is its midnight UTC. Default: now. */
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
