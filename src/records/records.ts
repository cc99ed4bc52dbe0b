import type { BodyStore } from '../ports/body-store.ts';
import type { Records } from '../ports/records.ts';
import { createAgentStore } from './agents/agents.ts';
import { createAuthorisationStore } from './agents/authorisations.ts';
import { createBrands } from './agents/brands.ts';
import { createCopies } from './agents/copies.ts';
import { createEdgeLog } from './agents/edge-log.ts';
import { createGraph } from './agents/graph.ts';
import { createApiKeyStore } from './owners/api-key-store.ts';
import { createAuditChain } from './owners/audit-chain.ts';
import { createInvitations } from './owners/invitations.ts';
import { createMemberStore } from './owners/member-store.ts';
import { createOwnerStore } from './owners/owner-store.ts';
import { createPendingRegistrations } from './owners/pending.ts';
import { createRegistration } from './owners/registrations.ts';
import { createSessionStore } from './owners/session-store.ts';
import { createShownMembers } from './owners/shown-members.ts';
import { createSubscriptions } from './owners/subscriptions.ts';
import { createComplianceStore } from './runs/compliance-store.ts';
import { createInstalledBundles } from './runs/installed-bundles.ts';
import { createRunSchedule } from './runs/run-schedule.ts';
import { createCrawlRequests } from './sources/crawl-requests.ts';
import { createLabReports } from './sources/lab-reports.ts';
import { createPoliteness } from './sources/politeness.ts';
import { createRobotsStore } from './sources/robots-store.ts';
import { createSourceStore } from './sources/source-store.ts';
import type { SqlStore } from './sql-tasks.ts';
import { createKeptValues, createNonces, createProxyNotes, createSelfChecks } from './upkeep/kept-values.ts';
import { moveBodies } from './upkeep/move-bodies.ts';
import { createNamedLeases } from './upkeep/named-leases.ts';
import { pruneRecords } from './upkeep/prune.ts';
import { recountRecords } from './upkeep/recount.ts';
import { createGroupCommit } from './visits/group-commit.ts';
import { createVisitWriter } from './visits/visit-writer.ts';

/**
 * Visits that come one after the other share a transaction. In SQLite fifty cost half of what twelve cost each, as they change
 * the same pages and agents; in PostgreSQL a set of fifty is one statement. A visit waits in its slot, so a kill loses no more
 * of them.
 */
const VISIT_GROUPS = { quietMs: 15, longestMs: 150, maxJobs: 200 };

/** What an engine adds by itself. */
export interface EngineParts
  extends Pick<Records, 'version' | 'check' | 'checkRoom' | 'clock' | 'budgetStore'> {
  close(): Promise<void>;
}

export interface RecordsOptions {
  /**
   * Whether the change log survives a loss of power with everything that was read from it. Default false: what it loses,
   * an index in the same file loses too.
   */
  readonly durableLog?: boolean;
  /** Where bodies are kept beside the records; absent: they stay in them. */
  readonly bodies?: BodyStore;
}

/** The records on one store; the same on every engine. */
export function createRecords(store: SqlStore, engine: EngineParts, options: RecordsOptions = {}): Records {
  const commits = createGroupCommit(createVisitWriter(store), VISIT_GROUPS);
  const robots = createRobotsStore(store);
  return {
    sources: createSourceStore(store, commits, options.bodies),
    // seldom asked for, so nothing of it is kept
    requests: {
      ask: (wanted, now) => createCrawlRequests(store).ask(wanted, now),
      mayAsk: (wanted, now) => createCrawlRequests(store).mayAsk(wanted, now),
      request: (id, now) => createCrawlRequests(store).request(id, now),
    },
    lab: createLabReports(store),
    agents: createAgentStore(store, options.durableLog ?? false),
    authorisations: createAuthorisationStore(store),
    graph: createGraph(store),
    edgeLog: createEdgeLog(store),
    copies: createCopies(store),
    brands: createBrands(store),
    members: {
      ...createMemberStore(store),
      ...createShownMembers(store),
      ...createRegistration(store),
      ...createPendingRegistrations(store),
      ...createInvitations(store),
    },
    keys: createApiKeyStore(store),
    sessions: createSessionStore(store),
    subscriptions: createSubscriptions(store),
    owners: createOwnerStore(store),
    audit: createAuditChain(store),
    compliance: createComplianceStore(store),
    bundles: createInstalledBundles(store),
    runs: createRunSchedule(store),
    politeness: createPoliteness(store),
    leases: createNamedLeases(store),
    nonces: createNonces(store),
    ...createKeptValues(store),
    clock: engine.clock,
    ...(engine.budgetStore && { budgetStore: engine.budgetStore }),
    robots,
    version: engine.version,
    check: engine.check,
    checkRoom: engine.checkRoom,
    prune: (now) => pruneRecords(store, now),
    moveBodies: async (now, stillOurs) => options.bodies && moveBodies(store, options.bodies, now, stillOurs),
    recount: (sample, derive) => recountRecords(store, { sample, derive, now: engine.clock.now() }),
    ...createSelfChecks(store),
    ...createProxyNotes(store),
    async close() {
      try {
        await commits.flush();
        await robots.close();
      } finally {
        await engine.close();
      }
    },
  };
}
