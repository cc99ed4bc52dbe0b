import type { Generated } from 'kysely';
import type { AgentType, Protocol } from '../../domain/agent-type.ts';
import type { ComplianceStatus, LifecycleStage } from '../../domain/compliance.ts';

type Text = string | null;
type Integer = number | null;

export interface AgentTable {
  agent: string;
  first_seen_at: number;
  revision: number;
  stitched_revision: Generated<number>;
  dirty_since: Integer;
  restitch_at: Integer;
  authorisation_count: Generated<number>;
  mention_count: Generated<number>;
  publisher_count: Generated<number>;
  property_count: Generated<number>;
  authorised_from: Integer;
  declaration_ended_at: Integer;
  last_seen_at: Integer;
  last_checked_at: Integer;
  health: Text;
  protocol: Protocol | null;
  endpoint: Text;
  good_at: Integer;
  good_protocol: Protocol | null;
  good_endpoint: Text;
  good_exposed: Text;
  /** Of the visit that last changed its facts. */
  trace: Text;
}

export interface MemberTable {
  slug: string;
  display_name: string;
  tier: Text;
  tier_label: Text;
  founding_member: number;
  subscription_status: Text;
  contact: Text;
}

export interface RegistrationTable {
  agent: string;
  url: string;
  member: string;
  type: AgentType | null;
  name: Text;
  description: Text;
  contact: Text;
  added_at: number;
}

export interface AgentSettingsTable {
  agent: string;
  opted_out: number;
  monitoring_paused: number;
  check_interval_hours: number;
  lifecycle_stage: LifecycleStage;
}

export interface ComplianceRunTable {
  id: Generated<number>;
  agent: string;
  triggered_by: string;
  dry_run: number;
  state: string;
  started_at: number;
  finished_at: Integer;
  requested_compliance_target: Text;
  proto_version: Text;
  status: ComplianceStatus | null;
  tracks: Generated<string>;
  track_details: Generated<string>;
  streak_days: Generated<number>;
  headline: Text;
}

export interface BadgeTable {
  id: Generated<number>;
  agent: string;
  role: string;
  protocol_line: string;
  axes: string;
  verified_at: number;
  grace_since: Integer;
  revoked_at: Integer;
}
