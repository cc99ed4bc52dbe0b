import type { Generated } from 'kysely';
import type { AgentType, Protocol } from '../domain/agent-type.ts';
import type { BadgeEventKind, BadgeRole } from '../domain/badge.ts';
import type { LifecycleStage } from '../domain/compliance.ts';
import type { RunTrigger } from '../domain/judged-run.ts';
import type { BundleStage, BundleVocabulary } from '../ports/bundles.ts';
import type { CredentialKind } from '../ports/owners.ts';

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
  joined_id: Text;
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

export interface InvitationTable {
  hash: string;
  member: Text;
  created_at: number;
  expires_at: number;
  used_at: Integer;
  used_by: Text;
}

export interface ApiKeyTable {
  id: string;
  hash: string;
  member: string;
  label: Text;
  created_at: number;
  last_used_at: Integer;
  revoked_at: Integer;
  /** JSON; null: every scope. */
  scopes: Text;
  expires_at: Integer;
  renewed_by: Text;
  made_by: Text;
}

export interface AgentSettingsTable {
  agent: string;
  opted_out: number;
  monitoring_paused: number;
  check_interval_hours: number;
  lifecycle_stage: LifecycleStage;
  created_at: Integer;
  updated_at: Integer;
  paused_at: Integer;
  compliance_target: Text;
  /** JSON. */
  test_setup: Text;
}

export interface ComplianceRunTable {
  agent: string;
  id: string;
  started_at: number;
  finished_at: number;
  triggered_by: RunTrigger | null;
  aside: number;
  imported: number;
  judged: string;
}

export interface ComplianceEvidenceTable {
  agent: string;
  run: string;
  at: number;
  passing: number;
  bytes: Uint8Array;
}

export interface ComplianceStandingTable {
  agent: string;
  standing: string;
  latest_run: Text;
  forgotten: number;
}

export interface BundleTable {
  version: string;
  line: string;
  vocabulary: BundleVocabulary;
  digest: string;
  stage: BundleStage;
  /** JSON. */
  aliases: string;
  added_at: number;
}

export interface RunScheduleTable {
  agent: string;
  registrable_domain: string;
  next_run_at: Integer;
  reconsider_at: Integer;
  asked_run: Text;
  asked_as: RunTrigger | null;
  asked_at: Integer;
  asked_storyboard: Text;
  asked_target: Text;
  leased_run: Text;
  fence: number;
  lease_until: number;
  lease_holder: Text;
  so_far: Text;
}

export interface TestCredentialTable {
  agent: string;
  member: string;
  sealed: string;
  kind: CredentialKind;
  set_at: number;
}

export interface BadgeTable {
  agent: string;
  place: number;
  role: BadgeRole;
  protocol_line: string;
  axes: string;
  specialisms: string;
  proto_version: string;
  verified_at: number;
  grace_since: Integer;
  revoked_at: Integer;
}

export interface BadgeEventTable {
  id: Generated<number>;
  agent: string;
  at: number;
  kind: BadgeEventKind;
  role: BadgeRole;
  protocol_line: string;
  reason: string;
  run: Text;
}

export interface FeedSubscriptionTable {
  id: string;
  member: string;
  url: string;
  types: string;
  agents: number;
  edges: number;
  first_change_at: number | null;
  since: number | null;
  due_at: number | null;
  verified_at: number | null;
  attempts: number;
  refusals: number;
  told_at: number | null;
  last_error: string | null;
  dead_at: number | null;
  fence: number;
  created_at: number;
}
