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

/** What must be exact. Everything is acknowledged only once it is durable. Times are epoch milliseconds. */
export interface Records {
  readonly sources: SourceStore;
  /** Visits that somebody asks for. */
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
  /** The audit log as a chain; its entries are read by `owners.auditLog`. */
  readonly audit: AuditTrail;
  readonly compliance: ComplianceStore;
  readonly bundles: InstalledBundles;
  readonly runs: RunSchedule;
  /** robots.txt rules, for a day. */
  readonly robots: RobotsCache;
  /** Whose turn a registrable domain is, across all processes on these records. */
  readonly politeness: Politeness;
  /** Work that one process at a time does: stitching, a rebuild. */
  readonly leases: NamedLeases;
  /** Nonces of signed requests, across all processes on these records. They are closed with the records. */
  readonly nonces: Nonces;
  /** The time that all processes on these records go by: leases, turns, what is due and whatever is kept. */
  readonly clock: RecordsClock;
  /** Where budgets of callers are counted for all processes; absent: each process counts by itself. */
  readonly budgetStore?: Pick<PostgresStore, 'query'>;
  /** Names these records wherever they are moved to: an index of other records is not ours. */
  id(): Promise<string>;
  /**
   * A short text that differs whenever anything that a list answer may show has changed, in this or another
   * process, health included; cheap enough to ask for each request.
   */
  version(): Promise<string>;
  /** A secret of `bytes` random bytes kept under `name`, made on first use (cursor signing). */
  secret(name: string, bytes: number): Promise<Uint8Array>;
  /** Rejects with a RegistryError when the store cannot be read. Writes nothing, and waits for no writer. */
  check(): Promise<void>;
  /**
   * Rejects when the store could not be written, also for a process that has nothing to write at the moment: with
   * store_unwritable when the disk is full or closed to us, as far as that is seen without a write; with the fault of the
   * last write where the disk is another machine's.
   */
  checkRoom(): Promise<void>;
  /**
   * Deletes captures older than 30 days, observations older than 90, tombstones older than 30, orphaned bodies, compliance
   * runs older than 90 and the evidence of passing ones older than 30.
   */
  prune(now: number): Promise<PruneCounts>;
  /**
   * Moves bodies to the store that is beside the records, and deletes there what nothing has referred to for 30 days;
   * undefined where there is none. Rejects with `store_unavailable` when that store is away, and with what `stillOurs` throws.
   */
  moveBodies(now: number, stillOurs: () => void): Promise<MovedBodies | undefined>;
  /** Recomputes what is kept beside facts, for so many agents chosen at random and some of their publishers. Writes nothing. */
  recount(sample: number, derive: Rederive): Promise<Recount>;
  /** Keeps what the last self-check found, in the place of the one before. */
  keepSelfCheck(found: SelfCheck): Promise<void>;
  /** Undefined: there was none. */
  selfCheck(): Promise<SelfCheck | undefined>;
  /** Keeps that a server got requests through a proxy that it does not trust, in the place of the one before. */
  noteUntrustedProxy(seen: SeenProxy): Promise<void>;
  /** Undefined: none was seen. */
  untrustedProxy(): Promise<SeenProxy | undefined>;
  close(): Promise<void>;
}

/** A proxy that requests came through. */
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
  /** Compliance runs, and what was kept of runs beside their verdict. */
  readonly runs: number;
  readonly evidence: number;
  /** Rows of the edge log that later ones have made needless. */
  readonly edgeChanges: number;
}
