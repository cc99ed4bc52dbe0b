import type { SourceKey, SourceKind, VisitKind } from '../../../domain/source.ts';
import type { SourceStore } from '../../../ports/source-store.ts';
import type { CommitResult } from '../../../ports/visit-commits.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import { createCrawlRuns } from './crawl-runs.ts';
import { selectDeclarations, storedDeclaration } from './declaration-rows.ts';
import type { GroupCommit } from './group-commit.ts';
import { readJourney } from './journey.ts';
import { createLeases } from './leases.ts';
import { createProbeBudget } from './probe-budget.ts';
import { createRederivations } from './rederivations.ts';
import { sourceState } from './source-state.ts';
import type { VisitJob } from './visit-writer.ts';

/** The sources of a store; `commits` gathers the visits. */
export function createSourceStore(
  database: SqliteDatabase,
  commits: GroupCommit<VisitJob, CommitResult>,
): SourceStore {
  const leases = createLeases(database);
  const spendProbe = createProbeBudget(database);
  const selectSource = prepare(database, sourceByKey);
  const selectCounts = prepare(database, dueCounts);
  const selectBody = prepare(database, bodyByHash);
  const selectDeclaration = prepare(database, liveDeclaration);
  const find = ({ kind, key }: SourceKey) => database.guard(() => selectSource.get({ kind, key }));
  return {
    ...createCrawlRuns(database),
    ...createRederivations(database),
    async get(key) {
      const row = find(key);
      return row && sourceState(row);
    },
    takeRun: async (...wanted) => leases.takeRun(...wanted),
    takeDue: async (...wanted) => leases.takeDue(...wanted),
    async countDue(now) {
      const count = (visit: VisitKind) => database.guard(() => selectCounts.get({ visit, now }))?.due ?? 0;
      return { domains: count('domain'), agents: count('agent') };
    },
    release: async (held) => leases.release(held),
    commitDomainVisit: (visit) => commits.add({ kind: 'domain', visit }),
    commitProbe: (visit) => commits.add({ kind: 'agent', visit }),
    spendProbe: async (domain, now, perHour) => spendProbe(domain, now, perHour),
    body: async (hash) => database.guard(() => selectBody.get({ hash }))?.bytes,
    async declaration({ kind, key }) {
      const row = database.guard(() => selectDeclaration.get({ kind, key }));
      return row && storedDeclaration(row);
    },
    async journey(key, limit) {
      const row = find(key);
      return row && readJourney(database, row, limit);
    },
  };
}

function sourceByKey(place: Place<{ kind: SourceKind; key: string }>) {
  return sql
    .selectFrom('source')
    .selectAll()
    .where('kind', '=', place('kind'))
    .where('key', '=', place('key'));
}

function dueCounts(place: Place<{ visit: VisitKind; now: number }>) {
  return sql
    .selectFrom('source')
    .select((row) => row.fn.count<number>('key').distinct().as('due'))
    .where('visit', '=', place('visit'))
    .where('next_visit_at', '<=', place('now'));
}

function bodyByHash(place: Place<{ hash: string }>) {
  return sql.selectFrom('body').select('bytes').where('hash', '=', place('hash'));
}

function liveDeclaration(place: Place<{ kind: SourceKind; key: string }>) {
  return selectDeclarations()
    .whereRef('source.declaration', '=', 'declaration.id')
    .where('source.kind', '=', place('kind'))
    .where('source.key', '=', place('key'));
}
