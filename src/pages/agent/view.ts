import type { BaseRecord } from '../../domain/agent-document.ts';
import type { Capabilities } from '../../domain/capabilities.ts';
import type { ComplianceSummary } from '../../domain/compliance.ts';
import type { ShownStatement } from '../statement.ts';

/** An agent in full, as far as its page shows it; times are RFC 3339. Lists show `most` items at most. */
export interface AgentView {
  readonly agent: FullAgent;
  readonly history?: HealthDays;
  /** Newest first. */
  readonly badgeEvents: readonly BadgeMoment[];
  /** The storyboards of which everybody may know that they fail. */
  readonly failed: readonly ShownStoryboard[];
  /** The storyboards that the public counts show to be incomplete. */
  readonly incomplete: readonly ShownStoryboard[];
  /** What the owner says beside the results. */
  readonly statement?: ShownStatement;
  readonly most: number;
}

interface ShownStoryboard {
  readonly storyboard_id: string;
  readonly title: string;
  readonly track: string;
}

/** Why a badge came, changed or went. */
export interface BadgeMoment {
  readonly at: string;
  readonly kind: string;
  readonly role: string;
  readonly line: string;
  readonly reason: string;
  readonly run_id: string | null;
}

export interface FullAgent extends BaseRecord {
  readonly listed: boolean;
  readonly freshness: {
    readonly first_seen_at?: string;
    readonly last_seen_at?: string;
    readonly stale: boolean;
  };
  readonly health?: { readonly online: boolean; readonly response_time_ms?: number };
  readonly stats?: { readonly property_count: number; readonly publisher_count: number };
  readonly capabilities?: Capabilities;
  readonly compliance?: ComplianceSummary;
  readonly verified_badges: readonly ShownBadge[];
  readonly provenance: {
    readonly identity: { readonly name: Sayer; readonly type: Sayer };
    readonly probe: Looked;
    readonly declared_by: readonly FilePlace[];
    readonly authorized_by: readonly FilePlace[];
    readonly authorized_by_total: number;
    readonly findings: readonly { readonly code: string; readonly message: string; readonly hint?: string }[];
    readonly run: { readonly id: string; readonly last_good_at: string } | null;
  };
}

export interface ShownBadge {
  readonly role: string;
  readonly verified_at: string;
  readonly verified_specialisms: readonly string[];
  readonly verification_modes: readonly string[];
  readonly verified_protocol_version: string;
}

interface Sayer {
  readonly by: string;
  readonly domain?: string;
}

/** How fresh what is known is, and when somebody looks again. */
export interface Looked {
  readonly state: string;
  readonly last_good_at: string | null;
  readonly last_tried_at: string | null;
  readonly why: string | null;
  readonly next_at: string | null;
}

/** An entry of a file. */
export interface FilePlace extends Looked {
  readonly domain: string;
  readonly file: string;
  readonly url?: string;
  readonly line?: number;
  readonly entry: string;
  readonly since: string | null;
  readonly has_authority?: boolean;
  readonly scope?: string;
  readonly authorized_for?: string;
}

export interface HealthDays {
  readonly uptime: number | null;
  readonly latency_ms: { readonly p50: number; readonly p95: number } | null;
  readonly probes: number;
  readonly days: readonly {
    readonly date: string;
    readonly uptime: number | null;
    readonly probes: number;
  }[];
  readonly incidents: readonly {
    readonly from: string;
    readonly until: string | null;
    readonly message: string | null;
  }[];
}
