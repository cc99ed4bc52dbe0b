import type { CommitResult, DomainVisit, ProbeVisit } from '../../domain/visit.ts';
import { RegistryError } from '../../errors.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { lockShared } from '../locks.ts';
import { commitDomainVisit, packLargeBodies } from './domain-visit.ts';
import { commitProbeVisit } from './probe-visit.ts';
import { type VisitChanges, writeChanges } from './visit-changes.ts';

/** Writes the rows of one visit; undefined: its lease was lost. */
type Write = (db: Db) => Promise<VisitChanges | undefined>;

interface Batch {
  readonly writes: Write[];
  readonly results: Promise<readonly PromiseSettledResult<CommitResult>[]>;
  readonly timer: NodeJS.Timeout;
  readonly openedAt: number;
}

/** A batch is written when no visit has come for this long, milliseconds. */
const QUIET_MS = 15;
/** While visits keep coming, it is written this long after the first one, milliseconds. */
const LONGEST_MS = 150;
/** Visits of one transaction at most: the event loop waits until it ends. */
const BATCH_VISITS = 100;

export type VisitCommits = ReturnType<typeof createVisitCommits>;

/**
 * Commits visits: on PostgreSQL each in a transaction of its own. SQLite writes every page that a transaction changed, and
 * visits change mostly the same pages: there the visits of some milliseconds share a transaction. This takes an eighth of the
 * CPU of a commit for each, which would take as much as all of its queries.
 */
export function createVisitCommits(database: RecordsDatabase) {
  let batch: Batch | undefined;
  const underWay = new Set<Promise<unknown>>();

  async function commit(write: Write): Promise<CommitResult> {
    if (database.dialect === 'postgres') return writeAlone(database, write);
    if (batch === undefined || batch.writes.length >= BATCH_VISITS) batch = openBatch();
    const { writes, results, timer, openedAt } = batch;
    if (performance.now() - openedAt < LONGEST_MS) timer.refresh();
    const place = writes.push(write) - 1;
    const result = (await results)[place] as PromiseSettledResult<CommitResult>;
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  }
  function openBatch(): Batch {
    const writes: Write[] = [];
    const { promise: results, resolve } = Promise.withResolvers<Awaited<Batch['results']>>();
    const timer = setTimeout(() => {
      if (batch?.writes === writes) batch = undefined;
      resolve(writeTogether(database, writes));
    }, QUIET_MS);
    return { writes, results, timer, openedAt: performance.now() };
  }
  async function tracked(committed: Promise<CommitResult>): Promise<CommitResult> {
    underWay.add(committed);
    try {
      return await committed;
    } finally {
      underWay.delete(committed);
    }
  }
  async function commitDomain(visit: DomainVisit): Promise<CommitResult> {
    const packed = await packLargeBodies(visit);
    return commit((db) => commitDomainVisit(db, visit, packed));
  }
  return {
    domain: (visit: DomainVisit) => tracked(commitDomain(visit)),
    probe: (visit: ProbeVisit) => tracked(commit((db) => commitProbeVisit(db, visit))),
    /** Resolves when every commit that was begun has ended. */
    async settled(): Promise<void> {
      await Promise.allSettled([...underWay]);
    },
  };
}

/** If one of the visits cannot be written, the others are: then each has a transaction of its own. */
async function writeTogether(
  database: RecordsDatabase,
  writes: readonly Write[],
): Promise<readonly PromiseSettledResult<CommitResult>[]> {
  try {
    const results = await database.transaction((db) => writeAll(db, writes));
    return results.map((value) => ({ status: 'fulfilled', value }));
  } catch (reason) {
    // a store that cannot be written refuses all of them
    if (reason instanceof RegistryError) return writes.map(() => ({ status: 'rejected', reason }));
    return Promise.allSettled(writes.map((write) => writeAlone(database, write)));
  }
}

async function writeAlone(database: RecordsDatabase, write: Write): Promise<CommitResult> {
  const [result] = await database.transaction((db) => writeAll(db, [write]));
  return result ?? LEASE_LOST;
}

const LEASE_LOST: CommitResult = { accepted: false, newAgents: 0 };

/** Writes the rows of each visit, then those that the visits change together. */
async function writeAll(db: Db, writes: readonly Write[]): Promise<readonly CommitResult[]> {
  await lockShared(db, 'contents');
  const visits: (VisitChanges | undefined)[] = [];
  for (const write of writes) visits.push(await write(db));
  const newAgents = await writeChanges(
    db,
    visits.filter((visit) => visit !== undefined),
  );
  return visits.map((visit) =>
    visit === undefined ? LEASE_LOST : { accepted: true, newAgents: newAgents.get(visit) ?? 0 },
  );
}
