/** The state of a file and its crawls; times are RFC 3339. */
export interface ShownVisit {
  readonly state: string;
  readonly last_good_at: string | null;
  readonly last_tried_at: string | null;
  /** The error code of the last crawl. */
  readonly why: string | null;
  /** The same as sentences: what happened, and what to do. */
  readonly reason?: string;
  readonly hint?: string;
  readonly next_at: string | null;
  /** The next crawl is due. */
  readonly is_due?: boolean;
  /** When a crawl can be requested; absent: now. */
  readonly check_from?: string;
}

/** One entry of a publisher's file, as its operation shows it. */
export interface ShownEntry {
  readonly agent_url: string;
  readonly entry: string;
  readonly line?: number;
  readonly authorized_for?: string;
  readonly authorization_type: string;
  readonly sells: boolean;
  readonly pins_keys: boolean;
  readonly since: string;
  readonly covers: {
    readonly all?: string;
    readonly property_ids?: readonly string[];
    readonly property_tags?: readonly string[];
    readonly signals?: readonly string[];
    readonly inline?: true;
  } | null;
  readonly limits: {
    readonly countries?: readonly string[];
    readonly placement_ids?: readonly string[];
    readonly placement_tags?: readonly string[];
    readonly collections?: readonly {
      readonly publisher_domain: string;
      readonly collection_ids?: readonly string[];
    }[];
    readonly delegation_type?: string;
    readonly exclusive?: boolean;
    readonly effective_from?: string;
    readonly effective_until?: string;
  } | null;
}

export interface ShownFindings {
  readonly counts: boolean;
  readonly url?: string;
  readonly bytes?: number;
  readonly total: number;
  readonly findings: readonly ShownFinding[];
}

export interface ShownFinding {
  readonly severity: string;
  readonly code: string;
  readonly pointer: string;
  readonly line?: number;
  readonly message: string;
  readonly hint?: string;
  readonly did_you_mean?: string;
  readonly allowed?: readonly string[];
  readonly fix?: string;
  readonly excerpt?: readonly {
    readonly line: number;
    readonly text: string;
    readonly from?: number;
    readonly to?: number;
  }[];
}

export interface ShownHistory {
  readonly total: number;
  readonly total_truncated?: boolean;
  readonly revisions: readonly {
    readonly revision_number: number;
    readonly editor_name: string;
    readonly edit_summary: string;
    readonly is_rollback: boolean;
    readonly rolled_back_to?: number;
    readonly created_at: string;
  }[];
}

export interface ShownDiff {
  readonly revision: number;
  readonly hunks?: readonly {
    readonly before_line: number;
    readonly after_line: number;
    readonly before_column?: number;
    readonly after_column?: number;
    readonly lines: readonly { readonly change: string; readonly text: string }[];
  }[];
  readonly truncated?: boolean;
  readonly laid_out?: boolean;
  readonly only_form?: boolean;
  readonly not_shown?: string;
}

/** The part that the pages of both files share. Lists show at most `most` items. */
export interface FileView {
  readonly domain: string;
  readonly visit: ShownVisit;
  readonly findings: ShownFindings;
  readonly history: ShownHistory;
  readonly diff?: ShownDiff;
  readonly most: number;
}
