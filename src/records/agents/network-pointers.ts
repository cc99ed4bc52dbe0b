import { sql as rawSql } from 'kysely';
import type { Graph } from '../../ports/graph.ts';
import { isSeen, pointerBack } from '../sources/pointers.ts';
import type { SqlStore } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** Reads who leads to a domain's file and whom it names, page by page, by index alone: a network has 100,000 of either. */
export function createNetworkReader(
  store: SqlStore,
): Pick<Graph, 'pointingTo' | 'countPointingTo' | 'namedBy'> {
  const selectPointing = prepare(store, pointingTo);
  const selectCount = prepare(store, countPointing);
  const selectNamed = prepare(store, namedBy);
  return {
    pointingTo: async (domain, page) =>
      (await store.read(() => selectPointing.all({ domain, ...page }))).map(({ declarer }) => declarer),
    countPointingTo: async (domain, most) =>
      Number((await store.read(() => selectCount.first({ domain, after: '', limit: most })))?.n ?? 0),
    namedBy: async (domain, page) =>
      (await store.read(() => selectNamed.all({ declarer: domain, below: `%.${domain}`, ...page }))).map(
        (row) => ({
          ...{ domain: row.domain, isVisited: row.seen === 1, leadsBack: row.back === 1 },
        }),
      ),
  };
}

interface Pointing {
  readonly domain: string;
  readonly after: string;
  readonly limit: number;
}

/** The text shows which partial index is meant. */
function pointingTo(param: Param<Pointing>) {
  return sql
    .selectFrom('reference_to')
    .select('declarer')
    .distinct()
    .where('domain', '=', param('domain'))
    .where('file', '=', 'adagents')
    .where('reason', '<>', 'publisher_selector')
    .where((row) => row.or([row('reason', '=', 'manager'), row('reason', '=', 'authoritative_location')]))
    .where('declarer', '>', param('after'))
    .orderBy('declarer')
    .limit(param('limit'));
}

function countPointing(param: Param<Pointing>) {
  return sql.selectFrom(pointingTo(param).as('pointer')).select((row) => row.fn.countAll<number>().as('n'));
}

interface Named {
  readonly declarer: string;
  /** Matches the names below it. */
  readonly below: string;
  readonly after: string;
  readonly limit: number;
}

function namedBy(param: Param<Named>) {
  return sql
    .selectFrom('reference_to as named')
    .leftJoin('source', (join) =>
      join.onRef('source.key', '=', 'named.domain').on('source.kind', '=', 'adagents'),
    )
    .select('named.domain')
    .select(rawSql<number>`CASE WHEN ${isSeen} THEN 1 ELSE 0 END`.as('seen'))
    .select((row) =>
      row
        .case()
        .when(row.exists(pointerBack(row, param('declarer'), param('below'))))
        .then(1)
        .else(0)
        .end()
        .as('back'),
    )
    .where('named.declarer', '=', param('declarer'))
    .where('named.file', '=', 'adagents')
    .where('named.reason', '=', 'publisher_selector')
    .where('named.domain', '>', param('after'))
    .orderBy('named.domain')
    .limit(param('limit'));
}
