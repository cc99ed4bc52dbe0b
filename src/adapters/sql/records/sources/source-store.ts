import type { SourceKind, VisitKind } from '../../../../domain/source.ts';
import type { SourceStore } from '../../../../ports/source-store.ts';
import type { CommitResult } from '../../../../ports/visit-commits.ts';
import { type Place, prepare, sql } from '../../prepared.ts';
import type { SqlStore } from '../../sql-store.ts';
import { together, type Work } from '../../work.ts';
import { selectDeclarations, storedDeclaration } from '../visits/declaration-rows.ts';
import type { GroupCommit } from '../visits/group-commit.ts';
import type { VisitJob } from '../visits/visit-writer.ts';
import { createCrawlRuns } from './crawl-runs.ts';
import { readJourney } from './journey.ts';
import { createLeases } from './leases.ts';
import { createProbeBudget } from './probe-budget.ts';
import { createRederivations } from './rederivations.ts';
import { sourceState } from './source-state.ts';

/** The sources of a store; `commits` gathers the visits. */
export function createSourceStore(
  store: SqlStore,
  commits: GroupCommit<VisitJob, CommitResult>,
): SourceStore {
  const selectSource = prepare(store, sourceByKey);
  const selectCounts = prepare(store, dueCounts);
  const selectBody = prepare(store, bodyByHash);
  const selectDeclaration = prepare(store, liveDeclaration);
  function* countOf(visit: VisitKind, now: number): Work<number> {
    return (yield* selectCounts.get({ visit, now }))?.due ?? 0;
  }
  return {
    ...createCrawlRuns(store),
    ...createRederivations(store),
    ...createLeases(store),
    async get({ kind, key }) {
      const row = await store.read(() => selectSource.get({ kind, key }));
      return row && sourceState(row);
    },
    async countDue(now) {
      const counts = await store.read(() => together([countOf('domain', now), countOf('agent', now)]));
      const [domains = 0, agents = 0] = counts;
      return { domains, agents };
    },
    commitDomainVisit: (visit) => commits.add({ kind: 'domain', visit }),
    commitProbe: (visit) => commits.add({ kind: 'agent', visit }),
    spendProbe: createProbeBudget(store),
    async body(hash) {
      return (await store.read(() => selectBody.get({ hash })))?.bytes;
    },
    async declaration({ kind, key }) {
      const row = await store.read(() => selectDeclaration.get({ kind, key }));
      return row && storedDeclaration(row);
    },
    journey: ({ kind, key }, limit) =>
      store.read(function* () {
        const row = yield* selectSource.get({ kind, key });
        return row && (yield* readJourney(store, row, limit));
      }),
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
