import { sql as rawSql, type Selectable } from 'kysely';
import type { AgentDocument } from '../../domain/agent-document.ts';
import { type Change, withoutResults } from '../../domain/change.ts';
import type { AgentStore, SavedDocument } from '../../ports/agent-store.ts';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../schema.ts';
import { call, type SqlStore } from '../sql-tasks.ts';
import { type Param, parsed, prepare, sql } from '../statements.ts';

type LogViews = Pick<
  AgentStore,
  'changes' | 'lastChanges' | 'lastSeq' | 'optOuts' | 'optedOutSince' | 'saved'
>;

/** Reads of the change log, and of the documents that it tells of. */
export function createLogViews(store: SqlStore): LogViews {
  const selectChanges = prepare(store, changesAfter);
  const selectLastChanges = prepare(store, changesBefore);
  const selectChangesOf = prepare(store, (param: Param<Before & { agent: string }>) =>
    changesBefore(param).where('change_log.agent', '=', param('agent')),
  );
  const selectLastSeq = prepare(store, lastSeq);
  const selectOptOuts = prepare(store, optOuts);
  const selectOptedOut = prepare(store, optedOutSince);
  const selectDocuments = prepare(store, documentsOf);
  return {
    changes: async (after, limit) =>
      (await store.read(() => selectChanges.all({ after, limit }))).map(change),
    async lastChanges({ agent, before = Number.MAX_SAFE_INTEGER, limit }) {
      const page = { before, limit };
      const rows = await store.read(() =>
        agent === undefined ? selectLastChanges.all(page) : selectChangesOf.all({ ...page, agent }),
      );
      return rows.map(change);
    },
    lastSeq: async () => (await store.read(() => selectLastSeq.first({})))?.seq ?? 0,
    async optOuts() {
      const found = await store.read(() => selectOptOuts.first({}));
      return `${found?.count} ${found?.latest}`;
    },
    async optedOutSince(at) {
      const rows = await store.read(() => selectOptedOut.all({ at }));
      return rows.map(({ agent }) => agent);
    },
    saved: async (agents) => (await store.read(() => selectDocuments.all({ agents }))).map(savedDocument),
  };
}

export function savedDocument(row: Selectable<Tables['document']>): SavedDocument {
  const document = parsed<AgentDocument>(row.value);
  return { agent: row.agent, version: row.version, ...(document && { document }) };
}

type ChangeRow = Selectable<Tables['change_log']> & { readonly opted_out: number | null };

function change(row: ChangeRow): Change {
  const told: Change = {
    seq: row.seq as number,
    version: row.version,
    agent: row.agent,
    kind: row.kind,
    before: parsed<Record<string, unknown>>(row.before) ?? null,
    after: parsed<Record<string, unknown>>(row.after) ?? null,
    at: row.at,
    ...(row.trace !== null && { trace: row.trace }),
  };
  return row.opted_out === 1 ? withoutResults(told) : told;
}

/** Rows with the opt-out of their agent's owner, which counts for every reader of the log. */
function rows() {
  return sql
    .selectFrom('change_log')
    .leftJoin('agent_settings as chosen', 'chosen.agent', 'change_log.agent')
    .selectAll('change_log')
    .select('chosen.opted_out');
}

function changesAfter(param: Param<{ after: number; limit: number }>) {
  return rows().where('seq', '>', param('after')).orderBy('seq').limit(param('limit'));
}

interface Before {
  readonly before: number;
  readonly limit: number;
}

function changesBefore(param: Param<Before>) {
  return rows().where('seq', '<', param('before')).orderBy('seq', 'desc').limit(param('limit'));
}

function lastSeq(_place: Param<object>) {
  return sql.selectFrom('change_log').select((row) => row.fn.max('seq').as('seq'));
}

/** A literal, as the index is of these rows alone. */
const OPTED_OUT = rawSql.lit(1);

function optOuts(_place: Param<object>) {
  return sql
    .selectFrom('agent_settings')
    .select(({ fn }) => [fn.countAll<number | string>().as('count'), fn.max('updated_at').as('latest')])
    .where('opted_out', '=', OPTED_OUT);
}

function optedOutSince(param: Param<{ at: number }>) {
  return sql
    .selectFrom('agent_settings')
    .select('agent')
    .where('opted_out', '=', OPTED_OUT)
    .where('updated_at', '>=', param('at'));
}

function documentsOf(param: Param<{ agents: readonly string[] }>) {
  return sql.selectFrom('document').selectAll().where('agent', 'in', param.list('agents'));
}

/** Rows numbered in one transaction: others who number wait for it. */
const AT_ONCE = 5_000;

/**
 * Gives the changes that were committed since the last time their numbers in the log, without gaps. Returns how many got
 * one.
 *
 * Writers append in their own transactions and wait for nobody. Only who numbers holds the lock, in a transaction of its
 * own: a reader that has seen a number has seen all below it. Nobody numbers from what he remembers, so one who comes back
 * late does no harm: he goes on behind the last number. Of one agent the changes keep their order, since whoever writes
 * the second one has waited for the first.
 */
export function createSequencer(store: SqlStore, commit: SqlStore['transaction']): () => Promise<number> {
  const selectWaiting = prepare(store, firstWaiting);
  const selectLast = prepare(store, lastSeq);
  const number = prepare(store, numbered);
  return async () => {
    for (let total = 0; ; ) {
      // nearly always there is none, and a look locks nothing
      if ((await store.read(() => selectWaiting.first({}))) === undefined) return total;
      total += await commit(function* () {
        yield* call((db) => lockAlone(db, 'changeLog'));
        const last = (yield* selectLast.first({}))?.seq ?? 0;
        return yield* number.run({ last, limit: AT_ONCE });
      });
    }
  };
}

function firstWaiting(_place: Param<object>) {
  return sql.selectFrom('change_log').select('version').where('seq', 'is', null).orderBy('version').limit(1);
}

function numbered(param: Param<{ last: number; limit: number }>) {
  const waiting = sql
    .selectFrom('change_log')
    .select(['version', rawSql<number>`row_number() over (order by version)`.as('place')])
    .where('seq', 'is', null)
    .orderBy('version')
    .limit(param('limit'));
  return sql
    .updateTable('change_log')
    .from(waiting.as('waiting'))
    .set((row) => ({ seq: row('waiting.place', '+', param('last')) }))
    .whereRef('change_log.version', '=', 'waiting.version');
}
