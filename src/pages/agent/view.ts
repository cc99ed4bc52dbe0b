import type { BaseRecord } from '../../domain/agent-document.ts';
import type { Capabilities } from '../../domain/capabilities.ts';
import type { ComplianceSummary } from '../../domain/compliance.ts';
import type { ProtocolLines } from '../protocol-lines.ts';
import type { ShownStatement } from '../statement.ts';

/** The part of an agent in full that its page shows; times are RFC 3339. Lists show at most `most` items. */
export interface AgentView {
  readonly agent: FullAgent;
  readonly history?: HealthDays;
  /** Newest first. */
  readonly badgeEvents: readonly BadgeMoment[];
  /** The storyboards that fail publicly. */
  readonly failed: readonly ShownStoryboard[];
  /** The storyboards that the public counts show to be incomplete. */
  readonly incomplete: readonly ShownStoryboard[];
  /** The owner's statement. */
  readonly statement?: ShownStatement;
  /** Absent for an agent that opted out of tests. */
  readonly protocol?: ProtocolLines;
  /** When a probe can be requested, RFC 3339; absent: now. */
  readonly checkFrom?: string;
  readonly most: number;
}

interface ShownStoryboard {
  readonly storyboard_id: string;
  readonly title: string;
  readonly track: string;
}

/** A change of a badge. */
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
  readonly health?: { readonly online: boolean; readonly response_time_ms?: number; readonly error?: string };
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

/** When something was checked, with what result, and when it is checked next. */
export interface Looked {
  readonly state: string;
  readonly last_good_at: string | null;
  readonly last_tried_at: string | null;
  /** The error code of the last visit. */
  readonly why: string | null;
  /** The same as a sentence; absent for a code without one. */
  readonly reason?: string;
  /** The next check is due. */
  readonly is_due?: boolean;
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
