import type { Generated } from 'kysely';
import type { AgentType, Protocol } from '../domain/agent-type.ts';
import type { BadgeEventKind, BadgeRole } from '../domain/badge.ts';
import type { BundleStage, BundleVocabulary } from '../domain/bundle.ts';
import type { ChangeKind } from '../domain/change.ts';
import type { LifecycleStage } from '../domain/compliance.ts';
import type { AuthorisationVia, DeclarationKind, ReferenceReason } from '../domain/declared-facts.ts';
import type { RunTrigger } from '../domain/judged-run.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { CredentialKind, ProofWay } from '../domain/ownership.ts';
import type { SourceKind, VisitKind } from '../domain/source.ts';

type Text = string | null;
type Integer = number | null;
/** How the bytes of a body are kept; null: uncompressed; `moved`: stored outside the records, `bytes` is empty. */
export type Packing = 'zstd' | 'moved' | null;

/** Every table of the records with its columns, as queries see them. The words are those of docs/architecture.md. */
export interface Tables {
  meta: { name: string; value: Uint8Array };
  source: SourceTable;
  body: { hash: string; bytes: Uint8Array; packing: Packing };
  /** Moved bodies that nothing refers to any more. */
  body_unused: { hash: string; at: number };
  capture: CaptureTable;
  declared_value: { hash: string; value: string; findings: string };
  declaration: DeclarationTable;
  declaration_body: { declaration: number; hash: string };
  authorisation: AuthorisationTable;
  edge_log: EdgeLogTable;
  /** Rows that the edge log does not have yet. */
  edge_log_pending: { event: number; id: number };
  mention: MentionTable;
  property: PropertyTable;
  property_name: { name: string; publisher: string; property: number };
  reference_to: { declarer: string; file: DeclarationKind; domain: string; reason: ReferenceReason };
  operator: { house: string; operator: string };
  brand_word: { domain: string; word: string };
  robots: { origin: string; rules: Text; expires_at: number };
  agent: AgentTable;
  agent_property_count: { agent: string; property_type: string; n: number };
  agent_tag: { agent: string; tag: string; n: number };
  document: { agent: string; version: number; hash: Text; value: Text };
  change_log: {
    seq: number;
    agent: string;
    kind: ChangeKind;
    before: Text;
    after: Text;
    at: number;
    trace: Text;
  };
  exposed: { hash: string; value: string };
  probe_today: { agent: string; day: number; found: string; probes: Uint8Array };
  probe_day: { day: number; agent: string; health: Integer; probes: Uint8Array };
  probe_change: { id: Generated<number>; agent: string; at: number; value: string; exposed: Text };
  crawl_request: CrawlRequestTable;
  lab_report: { id: string; agent: string; asked_at: number; value: Text };
  probe_budget: { registrable_domain: string; hour: number; spent: number };
  crawl_run: CrawlRunTable;
  crawl_frontier: CrawlFrontierTable;
  domain_turn: {
    registrable_domain: string;
    holder: string;
    until: number;
    yields: 0 | 1;
    wanted_until: number;
  };
  budget_use: { key: string; points: number; expire: number | null };
  named_lease: { name: string; holder: string; token: string; fence: number; until: number };
  member: MemberTable;
  registration: RegistrationTable;
  pending_registration: PendingRegistrationTable;
  invitation: InvitationTable;
  api_key: ApiKeyTable;
  session: { hash: string; key: string; opened_at: number; ends_at: number };
  ownership_challenge: { agent: string; member: string; token: string; expires_at: number };
  agent_settings: AgentSettingsTable;
  compliance_run: ComplianceRunTable;
  compliance_standing: ComplianceStandingTable;
  bundle: BundleTable;
  bundle_standing: { agent: string; version: string; standing: string };
  run_schedule: RunScheduleTable;
  test_credential: TestCredentialTable;
  feed_subscription: FeedSubscriptionTable;
  owner_statement: { agent: string; member: string; text: string; stated_at: number };
  signature_nonce: { key: string; nonce: string; until: number };
  badge: BadgeTable;
  badge_event: BadgeEventTable;
  audit: {
    id: Generated<number>;
    at: number;
    actor: string;
    action: string;
    subject: string;
    details: string;
    prev: Text;
    hash: Text;
  };
  audit_head: { kind: 'head' | 'checkpoint'; record: number; hash: string; at: number; token: Text };
}

export interface SourceTable {
  id: Generated<number>;
  kind: SourceKind;
  key: string;
  visit: VisitKind;
  registrable_domain: string;
  url: Text;
  found_via: string;
  first_seen_at: number;
  next_visit_at: number;
  last_visit_at: Integer;
  last_success_at: Integer;
  last_outcome: Outcome | null;
  last_error: Text;
  failures: Generated<number>;
  validators: Generated<string>;
  content_hash: Text;
  absent_since: Integer;
  absent_visits: Generated<number>;
  /** What counts of earlier readings, JSON. */
  memory: Text;
  /** Null: those of the live declaration. */
  findings: Text;
  declaration: Integer;
  rederive_at: Integer;
  fence: Generated<number>;
  lease_until: Generated<number>;
  /** A visit was requested: 1 = the next one, 2 = the one after the running one. */
  asked: Integer;
  /** When the visit that was asked for would have come. */
  planned_at: Integer;
  /** Of the visit that found it; null once it was visited. */
  trace: Text;
}

export interface CaptureTable {
  id: Generated<number>;
  source: number;
  at: number;
  requested_url: string;
  /** Null: the requested one. */
  final_url: Text;
  trail: Text;
  status: Integer;
  body_hash: Text;
  bytes: Integer;
  duration_ms: number;
  error_code: Text;
  error_detail: Text;
  /** When a visit got this answer last. */
  last_seen_at: number;
  /** How many visits in a row got it. */
  times: Generated<number>;
}

export interface DeclarationTable {
  id: Generated<number>;
  source: number;
  value_hash: string;
  via: AuthorisationVia;
  manager: Text;
  url: string;
  content_hash: string;
  /** Of a publisher's file now: agents that it authorises for something that it has, properties in its catalogue. */
  agents: Generated<number>;
  properties: Generated<number>;
  seen_from: number;
  seen_until: Integer;
}

export interface CrawlRequestTable {
  id: string;
  visit: VisitKind;
  key: string;
  asked_at: number;
}

export interface CrawlRunTable {
  id: Generated<number>;
  fingerprint: string;
  started_at: number;
  /** When an item was last done. */
  progressed_at: number;
  finished_at: Integer;
  pending_domains: Generated<number>;
  worker: string;
  pending_agents: Generated<number>;
  agents_found: Generated<number>;
  done: Generated<number>;
}

export interface CrawlFrontierTable {
  id: Generated<number>;
  run: number;
  kind: VisitKind;
  key: string;
  depth: number;
  done: Generated<number>;
}

export interface AuthorisationTable {
  id: Generated<number>;
  publisher: string;
  agent: string;
  entry: string;
  declared_url: string;
  via: AuthorisationVia;
  authorized_for: Text;
  claimed_protocol: Text;
  claimed_capabilities: Text;
  scope: string;
  count_by_type: string;
  tags: string;
  covers: string;
  limits: Text;
  signing_keys: Text;
  /** 0: no property is covered, so the publisher is not one of the agent's. */
  sells: number;
  seen_from: number;
  seen_until: Integer;
}

/** A row says that an entry of a file began or ended, or that the file of a publisher did. */
export interface EdgeLogTable {
  seq: Generated<number>;
  /** 0: the row is of a file. */
  authorisation: number;
  agent: string;
  publisher: string;
  scope: string;
  /** Null: it began. */
  ended_at: Integer;
  at: number;
  /** Of the publisher's file; null: the row is of an entry. */
  declaration: Generated<Integer>;
}

export interface MentionTable {
  id: Generated<number>;
  declarer: string;
  file: DeclarationKind;
  agent: string;
  entry: string;
  declared_url: string;
  own: number;
  details: string;
  seen_from: number;
  seen_until: Integer;
}

export interface PropertyTable {
  id: Generated<number>;
  publisher: string;
  /** Null: it is in the file's catalogue. */
  entry: Text;
  property_id: Text;
  property_type: string;
  name: Text;
  identifiers: string;
  tags: string;
}

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

export interface RegistrationTable extends PendingRegistrationTable {
  /** Null: the member has not proven to control the domain, so it is not the owner. Then the next two are null as well. */
  proven_at: Integer;
  via: ProofWay | null;
  asked_again_at: Integer;
}

export interface PendingRegistrationTable {
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
  created_at: number;
  updated_at: number;
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
  hidden: number;
  imported: number;
  passing: number;
  judged: string;
  evidence: Uint8Array | null;
}

export interface ComplianceStandingTable {
  agent: string;
  standing: string;
  latest_run: Text;
  history_pruned: number;
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
  progress: Text;
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
  delivered_at: number | null;
  last_error: string | null;
  dead_at: number | null;
  fence: number;
  created_at: number;
}
