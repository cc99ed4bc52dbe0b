import { KINDS_OF_VISIT, type NewVisit, type VisitKind } from '../../domain/source.ts';
import type {
  AskVisitOutcome,
  CrawlRequest,
  CrawlRequests,
  WantedVisit,
} from '../../ports/crawl-requests.ts';
import { lockAlone, lockShared } from '../locks.ts';
import type { Tables } from '../schema.ts';
import { call, type SqlStore, type SqlTask } from '../sql-tasks.ts';
import { all, first, type Param, prepare, run, sql } from '../statements.ts';
import { createDueSources } from './due-sources.ts';
import { createKnownSources } from './known-sources.ts';
import { type SourceRow, sourceState } from './source-rows.ts';

type RequestRow = Tables['crawl_request'];
type Refused = Extract<AskVisitOutcome, { ok: false }>;

/** What is asked for again, one after the other: of two who ask at once for the same, the second gets the first's request. */
export function createCrawlRequests(store: SqlStore): CrawlRequests {
  const known = createKnownSources(store);
  const due = createDueSources(store);

  const selectSources = prepare(store, (param: Param<SourcesOf>) => sourcesInOrder(param).forUpdate());

  const sourcesOf = (kind: VisitKind, key: string) => selectSources.all({ kinds: KINDS_OF_VISIT[kind], key });
  function* judge({ id, visit, cooldownMs }: WantedVisit, now: number): SqlTask<AskVisitOutcome> {
    const { kind, key } = visit;
    const sources = yield* sourcesOf(kind, key);
    const isNewDomain = sources.length === 0;
    if (isNewDomain && kind === 'agent') return { ok: false, reason: 'unknown_agent' };
    const open = sources.some(({ asked }) => asked !== null) ? yield* latest(store, kind, key) : undefined;
    if (open !== undefined)
      return { ok: true, request: requestOf(open, sources, now), isNew: false, isNewDomain };
    const row = { id, visit: kind, key, asked_at: now };
    const refusal = tooSoon(sources, cooldownMs, now);
    return refusal ?? { ok: true, request: requestOf(row, sources, now), isNew: true, isNewDomain };
  }
  function* ask(wanted: WantedVisit, now: number): SqlTask<AskVisitOutcome> {
    yield* call((db) => lockShared(db, 'contents')); // or the agent may be pruned meanwhile
    yield* call((db) => lockAlone(db, 'crawlRequest'));
    const { id, visit } = wanted;
    const { kind, key } = visit;
    const outcome = yield* judge(wanted, now);
    if (!outcome.ok || !outcome.isNew) return outcome;
    const before = yield* sourcesOf(kind, key);
    if (outcome.isNewDomain) yield* known.add([{ visit, at: now }]);
    yield* moveForward(store, visit, now);
    const after = yield* sourcesOf(kind, key);
    if (
      kind === 'agent' &&
      !after.some((one) => isLeased(one, now)) &&
      (yield* due.among(kind, [key], now)).size === 0
    ) {
      yield* takeBack(store, before);
      return { ok: false, reason: 'unknown_agent' };
    }
    const row = { id, visit: kind, key, asked_at: now };
    yield* run(store, sql.insertInto('crawl_request').values(row));
    return { ...outcome, request: requestOf(row, after, now) };
  }
  return {
    ask: (wanted, now) => store.transaction(() => ask(wanted, now)),
    mayAsk: (wanted, now) => store.transaction(() => judge(wanted, now)),
    request: (id, now) =>
      store.read(function* () {
        const row = yield* first(store, sql.selectFrom('crawl_request').selectAll().where('id', '=', id));
        if (row === undefined) return undefined;
        const kinds = KINDS_OF_VISIT[row.visit];
        const rows = sql
          .selectFrom('source')
          .selectAll()
          .where('kind', 'in', kinds)
          .where('key', '=', row.key);
        const sources = yield* all(store, rows.orderBy('kind'));
        const newer = yield* latest(store, row.visit, row.key);
        return requestOf(
          row,
          newer?.id === id ? sources : sources.map((one) => ({ ...one, asked: null })),
          now,
        );
      }),
  };
}

interface SourcesOf {
  readonly kinds: readonly string[];
  readonly key: string;
}

function sourcesInOrder(param: Param<SourcesOf>) {
  return sql
    .selectFrom('source')
    .selectAll()
    .where('kind', 'in', param.list('kinds') as never)
    .where('key', '=', param('key'))
    .orderBy('kind');
}

function latest(store: SqlStore, visit: VisitKind, key: string): SqlTask<RequestRow | undefined> {
  const rows = sql.selectFrom('crawl_request').selectAll().where('visit', '=', visit).where('key', '=', key);
  return first(store, rows.orderBy('asked_at', 'desc').limit(1));
}

function requestOf(row: RequestRow, sources: readonly SourceRow[], now: number): CrawlRequest {
  const open = sources.filter(({ asked }) => asked !== null);
  const isRunning = open.some((one) => one.asked === 1 && isLeased(one, now));
  const state = open.length === 0 ? 'over' : isRunning ? 'running' : 'open';
  const { id, visit: kind, key, asked_at: askedAt } = row;
  return { id, kind, key, askedAt, state, sources: sources.map(sourceState) };
}

function isLeased({ lease_until }: Pick<SourceRow, 'lease_until'>, now: number): boolean {
  return lease_until > now;
}

/** What was looked at a moment ago, and what asked us to come later. A time ahead of now is of a clock that was put back. */
function tooSoon(sources: readonly SourceRow[], cooldownMs: number, now: number): Refused | undefined {
  const waits = sources.map(({ last_visit_at: at }) => (at === null || at > now ? 0 : at + cooldownMs - now));
  const waitMs = Math.max(0, ...waits);
  const held = sources.filter((one) => one.last_outcome === 'throttled' && one.next_visit_at > now);
  const longest = Math.max(0, ...held.map((one) => one.next_visit_at - now));
  if (longest > waitMs) return { ok: false, reason: 'throttled', waitMs: longest };
  return waitMs > 0 ? { ok: false, reason: 'visited', waitMs } : undefined;
}

/** Due now, and remembers when it would have been. What is being visited now is visited again afterwards. */
function* moveForward(store: SqlStore, { kind, key }: NewVisit, now: number): SqlTask<void> {
  const these = sql.updateTable('source').where('kind', 'in', KINDS_OF_VISIT[kind]).where('key', '=', key);
  yield* run(store, these.where('lease_until', '>', now).set({ asked: 2 }));
  yield* run(
    store,
    these.where('lease_until', '<=', now).set((row) => ({
      asked: 1,
      planned_at: row.ref('next_visit_at'),
      next_visit_at: row
        .case()
        .when('next_visit_at', '>', now)
        .then(now)
        .else(row.ref('next_visit_at'))
        .end(),
    })),
  );
}

function* takeBack(store: SqlStore, before: readonly SourceRow[]): SqlTask<void> {
  for (const { id, asked, planned_at, next_visit_at } of before)
    yield* run(
      store,
      sql.updateTable('source').set({ asked, planned_at, next_visit_at }).where('id', '=', id),
    );
}
