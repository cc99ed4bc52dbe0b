import type { BodyStore } from '../ports/body-store.ts';
import type { Records } from '../ports/records.ts';
import { createAgentStore } from './agents/agents.ts';
import { createAuthorisationStore } from './agents/authorisations.ts';
import { createBrands } from './agents/brands.ts';
import { createCopies } from './agents/copies.ts';
import { createEdgeLog } from './agents/edge-log.ts';
import { createGraph } from './agents/graph.ts';
import { createNonces } from './counted-nonces.ts';
import type { RecordsDatabase } from './database.ts';
import { createAuditChain } from './owners/audit.ts';
import { createApiKeyStore, createSessionStore } from './owners/keys.ts';
import { createInvitations, createMemberStore } from './owners/members.ts';
import { createOwnerStore } from './owners/owner-store.ts';
import { createSubscriptions } from './owners/subscriptions.ts';
import { createComplianceStore } from './runs/compliance-store.ts';
import { createInstalledBundles } from './runs/installed-bundles.ts';
import { createRunSchedule } from './runs/run-schedule.ts';
import { createCrawlRequests } from './sources/crawl-requests.ts';
import { createLabReports } from './sources/lab-reports.ts';
import { createPoliteness } from './sources/politeness.ts';
import { createRobotsStore } from './sources/robots-store.ts';
import { createSourceStore } from './sources/source-store.ts';
import { createKeptValues, createLastResults } from './upkeep/kept-values.ts';
import { moveBodies } from './upkeep/move-bodies.ts';
import { createNamedLeases } from './upkeep/named-leases.ts';
import { pruneRecords } from './upkeep/prune.ts';
import { recountRecords } from './upkeep/recount.ts';
import { createVisitCommits } from './visits/visit-commits.ts';

/** The parts of the records that differ between the databases. */
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
export function createRecords(
  store: RecordsDatabase,
  engine: EngineParts,
  options: RecordsOptions = {},
): Records {
  const visits = createVisitCommits(store);
  const robots = createRobotsStore(store);
  return {
    sources: createSourceStore(store, visits, options.bodies),
    requests: createCrawlRequests(store),
    lab: createLabReports(store),
    agents: createAgentStore(store, options.durableLog ?? false),
    authorisations: createAuthorisationStore(store),
    graph: createGraph(store),
    edgeLog: createEdgeLog(store),
    copies: createCopies(store),
    brands: createBrands(store),
    members: {
      ...createMemberStore(store),
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
    ...createLastResults(store),
    async close() {
      try {
        await visits.settled();
        await robots.close();
      } finally {
        await engine.close();
      }
    },
  };
}
