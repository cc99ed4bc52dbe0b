import { setImmediate } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import { present } from '../../base/json.ts';
import { RegistryError } from '../../errors.ts';
import type { AuditTrail, AuditVerdict, KeptHead, LogHead } from '../../ports/audit.ts';
import { lockAlone } from '../locks.ts';
import type { Tables } from '../schema.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { all, first, run, sql } from '../statements.ts';
import { AUDIT_PAGE, auditDeed, BEGINNING, chainHead, OPERATOR, recordHash, recordsAfter } from './audit.ts';

type Row = Selectable<Tables['audit']>;
type Broken = Extract<AuditVerdict, { whole: false }>;

/** The audit log as a hash chain: its heads, its verification, and pruning of old records. */
export function createAuditChain(store: SqlStore): AuditTrail {
  const keptHeads = () => store.read(() => heads(store));

  async function* records(): AsyncGenerator<Row> {
    for (let after = 0; ; ) {
      const page = await store.read(() => all(store, recordsAfter(after)));
      yield* page;
      after = page.at(-1)?.id ?? 0;
      if (page.length < AUDIT_PAGE) return;
      await setImmediate();
    }
  }
  return {
    head: () => store.read(() => chainHead(store)),
    keptHeads,
    async keepHead(head) {
      await store.durably(() => keep(store, head));
    },
    async verify(outside = []) {
      const kept = await keptHeads();
      return verified(records(), kept, outside);
    },
    async olderThan(moment) {
      const head = await store.read(() => chainHead(store));
      const next = sql.selectFrom('audit').select('id').where('at', '>=', moment).orderBy('id').limit(1);
      const end = (await store.read(() => first(store, next)))?.id ?? head.record;
      const last = sql.selectFrom('audit').select(['id as record', 'hash']).where('id', '<', end);
      const found = await store.read(() => first(store, last.orderBy('id', 'desc').limit(1)));
      return found?.hash == null ? undefined : { record: found.record, hash: found.hash };
    },
    prune: (checkpoint, now) => store.durably(() => prune(store, checkpoint, now)),
  };
}

function* heads(store: SqlStore): SqlTask<readonly KeptHead[]> {
  const rows = yield* all(store, sql.selectFrom('audit_head').selectAll().orderBy('record').orderBy('kind'));
  return rows.map(({ kind, record, hash, at, token }) => ({ kind, record, hash, at, ...present({ token }) }));
}

function* keep(store: SqlStore, { kind, record, hash, at, token }: KeptHead): SqlTask<void> {
  const put = sql.insertInto('audit_head').values({ kind, record, hash, at, token: token ?? null });
  yield* run(
    store,
    put.onConflict((same) => same.columns(['kind', 'record']).doNothing()),
  );
}

function* prune(store: SqlStore, checkpoint: KeptHead, now: number): SqlTask<number> {
  const { record, hash } = checkpoint;
  yield* call((db) => lockAlone(db, 'audit'));
  const its = sql.selectFrom('audit').select('hash').where('id', '=', record);
  if ((yield* first(store, its))?.hash !== hash || record >= (yield* chainHead(store)).record)
    throw new RegistryError(
      'input_invalid',
      `record ${record} of the audit log differs from its checkpoint`,
      {
        hint: 'find the difference with agent-registry audit verify',
      },
    );
  yield* keep(store, checkpoint);
  const gone = yield* run(store, sql.deleteFrom('audit').where('id', '<=', record));
  const deed = { action: 'audit.prune', subject: 'audit', details: { through: record, records: gone } };
  yield* auditDeed(store, { at: now, actor: OPERATOR, ...deed });
  return gone;
}

/** Streams the log once, in constant memory. */
async function verified(
  records: AsyncIterable<Row>,
  kept: readonly KeptHead[],
  outside: readonly LogHead[],
): Promise<AuditVerdict> {
  const claimed = Map.groupBy([...kept, ...outside], ({ record }) => record);
  const isDenied = ({ record, hash }: LogHead) => claimed.get(record)?.some((other) => other.hash !== hash);
  let head: LogHead = BEGINNING;
  let checkpoint: KeptHead | undefined;
  let [count, unchained] = [0, 0];
  let start: number | undefined;
  for await (const row of records) {
    if (start === undefined) {
      start = row.id;
      checkpoint = kept.find(({ kind, record }) => kind === 'checkpoint' && record === row.id - 1);
      head = checkpoint ?? BEGINNING;
      if (isDenied(head))
        return broken(head.record, 'its checkpoint differs from the record in a signed head');
    }
    const fault = faultOf(row, head, count === unchained);
    if (fault !== undefined) return fault;
    if (row.hash === null) unchained += 1;
    count += 1;
    head = { record: row.id, hash: row.hash ?? recordHash({ ...row, prev: head.hash }) };
    if (isDenied(head)) return broken(row.id, 'it differs from the record in a signed head');
  }
  const beyond = [...claimed.keys()].find((record) => record > head.record);
  if (beyond !== undefined)
    return broken(head.record + 1, `it is missing: a signed head refers to record ${beyond}`);
  return { whole: true, records: count, unchained, head, ...present({ first: start, checkpoint }) };
}

/** `mayBeUnchained`: no record before it has a hash of its own. */
function faultOf(row: Row, before: LogHead, mayBeUnchained: boolean): Broken | undefined {
  const { id, hash, prev } = row;
  if (hash === null || prev === null)
    return mayBeUnchained && hash === prev ? undefined : broken(id, 'it has no hash');
  if (recordHash({ ...row, prev }) !== hash) return broken(id, 'it was changed after it was written');
  if (before.record > 0 && id !== before.record + 1) return broken(before.record + 1, 'it is missing');
  const isAfter = prev === before.hash && (before.record > 0 || id === 1);
  if (isAfter) return undefined;
  return before.record === 0
    ? broken(id - 1, 'it is missing, and no checkpoint covers it')
    : broken(before.record, `it is not the predecessor of record ${id}`);
}

function broken(record: number, reason: string): Broken {
  return { whole: false, record, reason };
}
