import type { Generated } from 'kysely';
import type { ChangeKind } from '../domain/change.ts';
import type { AuthorisationVia, DeclarationKind, ReferenceReason } from '../domain/declared-facts.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { ProofWay } from '../domain/ownership.ts';
import type { SourceKind, VisitKind } from '../domain/source.ts';
import type {
  AgentSettingsTable,
  AgentTable,
  ApiKeyTable,
  BadgeEventTable,
  BadgeTable,
  BundleTable,
  ComplianceEvidenceTable,
  ComplianceRunTable,
  ComplianceStandingTable,
  FeedSubscriptionTable,
  InvitationTable,
  MemberTable,
  RegistrationTable,
  RunScheduleTable,
  TestCredentialTable,
} from './schema-agents.ts';
import type {
  AuthorisationTable,
  CrawlFrontierTable,
  CrawlRequestTable,
  CrawlRunTable,
  EdgeLogTable,
  MentionTable,
  PropertyTable,
} from './schema-crawl.ts';

type Text = string | null;
type Integer = number | null;
/** How the bytes of a body are kept; null: as they came; `moved`: beside the records, and the row has none. */
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
  /** Of what the edge log does not tell yet. */
  untold: { what: number; id: number };
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
    version: Generated<number>;
    /** Null: the sequencer has not come to it yet, and readers do not see it. */
    seq: Generated<Integer>;
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
  pending_registration: RegistrationTable;
  invitation: InvitationTable;
  api_key: ApiKeyTable;
  session: { hash: string; key: string; opened_at: number; ends_at: number };
  ownership: {
    agent: string;
    member: string;
    proven_at: number;
    via: ProofWay | null;
    asked_again_at: number | null;
  };
  ownership_challenge: { agent: string; member: string; token: string; expires_at: number };
  agent_settings: AgentSettingsTable;
  compliance_run: ComplianceRunTable;
  compliance_evidence: ComplianceEvidenceTable;
  compliance_standing: ComplianceStandingTable;
  bundle: BundleTable;
  bundle_standing: { agent: string; version: string; standing: string };
  run_schedule: RunScheduleTable;
  test_credential: TestCredentialTable;
  feed_subscription: FeedSubscriptionTable;
  owner_statement: { agent: string; member: string; text: string; said_at: number };
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
  /** Somebody asked for a visit: 1 for the next one, 2 for the one after that which goes on. */
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
  /** When a visit got this answer last; null: written by an earlier version, once. */
  last_seen_at: Integer;
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
