import type { Recount, Rederive, SelfCheck } from '../domain/self-check.ts';
import type { AgentStore } from '../records/agents/agents.ts';
import type { AuthorisationStore } from '../records/agents/authorisations.ts';
import type { Brands } from '../records/agents/brands.ts';
import type { Copies } from '../records/agents/copies.ts';
import type { EdgeLog } from '../records/agents/edge-log.ts';
import type { Graph } from '../records/agents/graph.ts';
import type { Nonces } from '../records/counted-nonces.ts';
import type { AuditTrail } from '../records/owners/audit.ts';
import type { ApiKeyStore, SessionStore } from '../records/owners/keys.ts';
import type { Invitations, MemberStore } from '../records/owners/members.ts';
import type { OwnerStore } from '../records/owners/owner-store.ts';
import type { SubscriptionStore } from '../records/owners/subscriptions.ts';
import type { PostgresStore } from '../records/postgres/postgres-store.ts';
import type { ComplianceStore } from '../records/runs/compliance-store.ts';
import type { InstalledBundles } from '../records/runs/installed-bundles.ts';
import type { RunSchedule } from '../records/runs/run-schedule.ts';
import type { CrawlRequests } from '../records/sources/crawl-requests.ts';
import type { LabReports } from '../records/sources/lab-reports.ts';
import type { Politeness } from '../records/sources/politeness.ts';
import type { SourceStore } from '../records/sources/source-store.ts';
import type { NamedLeases } from '../records/upkeep/named-leases.ts';
import type { MovedBodies } from './body-store.ts';
import type { RecordsClock } from './clock.ts';
import type { RobotsCache } from './robots-cache.ts';

/** The exact data, in SQLite or PostgreSQL. A write is acknowledged once it is durable. Times are epoch milliseconds. */
export interface Records {
  readonly sources: SourceStore;
  /** Requests to visit a domain or an agent now. */
  readonly requests: CrawlRequests;
  readonly lab: LabReports;
  readonly agents: AgentStore;
  readonly authorisations: AuthorisationStore;
  readonly graph: Graph;
  readonly edgeLog: EdgeLog;
  readonly copies: Copies;
  readonly brands: Brands;
  readonly members: MemberStore & Invitations;
  readonly keys: ApiKeyStore;
  readonly sessions: SessionStore;
  readonly subscriptions: SubscriptionStore;
  readonly owners: OwnerStore;
  /** The audit log as a hash chain; `owners.auditLog` reads its entries. */
  readonly audit: AuditTrail;
  readonly compliance: ComplianceStore;
  readonly bundles: InstalledBundles;
  readonly runs: RunSchedule;
  /** robots.txt rules, kept for a day. */
  readonly robots: RobotsCache;
  /** The turns of registrable domains, across all processes on these records. */
  readonly politeness: Politeness;
  /** Leases on work that one process at a time does: stitching, a rebuild. */
  readonly leases: NamedLeases;
  /** Nonces of signed requests, across all processes on these records. They are closed with the records. */
  readonly nonces: Nonces;
  /** The clock of all processes on these records: for leases, turns, due times and stored times. */
  readonly clock: RecordsClock;
  /** The database in which all processes count the budgets of callers; if absent, each process counts by itself. */
  readonly budgetStore?: Pick<PostgresStore, 'query'>;
  /** The id of these records, which stays when they are moved: it shows whether an index was built from them. */
  id(): Promise<string>;
  /**
   * A short text that changes whenever a list answer may change, health included, in this or another process; cheap
   * enough to read for each request.
   */
  version(): Promise<string>;
  /** A secret of `bytes` random bytes with this name, created on first use (cursor signing). */
  secret(name: string, bytes: number): Promise<Uint8Array>;
  /** Rejects with a RegistryError if the store cannot be read. Writes nothing, and waits for no writer. */
  check(): Promise<void>;
  /**
   * Rejects if the store cannot be written, also in a process without anything to write: with `store_unwritable` if the
   * disk is full or not writable, as far as this is visible without a write; with the error of the last write if the
   * disk belongs to another machine.
   */
  checkRoom(): Promise<void>;
  /**
   * Deletes captures older than 30 days, observations older than 90, tombstones older than 30, orphaned bodies,
   * compliance runs older than 90, and the evidence of passing runs older than 30.
   */
  prune(now: number): Promise<PruneCounts>;
  /**
   * Moves bodies to the store beside the records, and deletes bodies there that had no reference for 30 days; undefined
   * without such a store. Rejects with `store_unavailable` if that store does not answer, and with the error that
   * `stillOurs` throws.
   */
  moveBodies(now: number, stillOurs: () => void): Promise<MovedBodies | undefined>;
  /**
   * Recomputes the values derived from facts, for a random sample of agents and some of their publishers. Writes
   * nothing.
   */
  recount(sample: number, derive: Rederive): Promise<Recount>;
  /** Stores the result of a self-check in place of the last one. */
  keepSelfCheck(found: SelfCheck): Promise<void>;
  /** The result of the last self-check, if any. */
  selfCheck(): Promise<SelfCheck | undefined>;
  /** Stores that a server got requests through a proxy that it does not trust, in place of the last one. */
  noteUntrustedProxy(seen: SeenProxy): Promise<void>;
  /** The last untrusted proxy, if any. */
  untrustedProxy(): Promise<SeenProxy | undefined>;
  close(): Promise<void>;
}

/** A proxy through which requests came. */
export interface SeenProxy {
  readonly address: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface PruneCounts {
  readonly captures: number;
  readonly observations: number;
  readonly tombstones: number;
  readonly bodies: number;
  /** Compliance runs. */
  readonly runs: number;
  /** The evidence of passing runs. */
  readonly evidence: number;
  /** Rows of the edge log that newer rows replace. */
  readonly edgeChanges: number;
}
