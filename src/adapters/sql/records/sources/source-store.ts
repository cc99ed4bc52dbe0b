import type { SourceKind, VisitKind } from '../../../../domain/source.ts';
import type { SourceStore } from '../../../../ports/source-store.ts';
import type { CommitResult } from '../../../../ports/visit-commits.ts';
import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

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
  function* countOf(visit: VisitKind, now: number): SqlTask<number> {
    return (yield* selectCounts.first({ visit, now }))?.due ?? 0;
  }
  return {
    ...createCrawlRuns(store),
    ...createRederivations(store),
    ...createLeases(store),
    async get({ kind, key }) {
      const row = await store.read(() => selectSource.first({ kind, key }));
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
      return (await store.read(() => selectBody.first({ hash })))?.bytes;
    },
    async declaration({ kind, key }) {
      const row = await store.read(() => selectDeclaration.first({ kind, key }));
      return row && storedDeclaration(row);
    },
    journey: ({ kind, key }, limit) =>
      store.read(function* () {
        const row = yield* selectSource.first({ kind, key });
        return row && (yield* readJourney(store, row, limit));
      }),
  };
}

function sourceByKey(param: Param<{ kind: SourceKind; key: string }>) {
  return sql
    .selectFrom('source')
    .selectAll()
    .where('kind', '=', param('kind'))
    .where('key', '=', param('key'));
}

function dueCounts(param: Param<{ visit: VisitKind; now: number }>) {
  return sql
    .selectFrom('source')
    .select((row) => row.fn.count<number>('key').distinct().as('due'))
    .where('visit', '=', param('visit'))
    .where('next_visit_at', '<=', param('now'));
}

function bodyByHash(param: Param<{ hash: string }>) {
  return sql.selectFrom('body').select('bytes').where('hash', '=', param('hash'));
}

function liveDeclaration(param: Param<{ kind: SourceKind; key: string }>) {
  return selectDeclarations()
    .whereRef('source.declaration', '=', 'declaration.id')
    .where('source.kind', '=', param('kind'))
    .where('source.key', '=', param('key'));
}
