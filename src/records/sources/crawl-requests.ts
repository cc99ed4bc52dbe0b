import { KINDS_OF_VISIT, type NewVisit, type SourceState, type VisitKind } from '../../domain/source.ts';
import type { Db, RecordsDatabase } from '../database.ts';
import { isLeased, lockAlone, lockShared } from '../locks.ts';
import type { Tables } from '../tables.ts';
import { findDueSources } from './due-sources.ts';
import { addSources } from './known-sources.ts';
import { isFree, type SourceRow, sourceState } from './source-rows.ts';

/** A requested visit. Times are epoch milliseconds. */
export interface CrawlRequest {
  readonly id: string;
  readonly kind: VisitKind;
  /** A domain or a canonical agent URL. */
  readonly key: string;
  readonly askedAt: number;
  /** `open`: no visit that began after the request is finished. */
  readonly state: 'open' | 'running' | 'over';
  /** The sources of the visit, in their current state. */
  readonly sources: readonly SourceState[];
}

export type AskVisitOutcome =
  /** `isNew`: it was not requested before. `isNewDomain`: the domain was unknown. */
  | {
      readonly ok: true;
      readonly request: CrawlRequest;
      readonly isNew: boolean;
      readonly isNewDomain: boolean;
    }
  /** `visited`: the last visit was too recent. `throttled`: the site asked us to wait. */
  | { readonly ok: false; readonly reason: 'visited' | 'throttled'; readonly waitMs: number }
  | { readonly ok: false; readonly reason: 'unknown_agent' };

/** A visit to request. */
interface WantedVisit {
  readonly id: string;
  readonly visit: NewVisit;
  /** Between the end of a visit and the next one on demand, milliseconds. */
  readonly cooldownMs: number;
}

type RequestRow = Tables['crawl_request'];
type Refused = Extract<AskVisitOutcome, { ok: false }>;

/**
 * Requests to visit a domain or an agent now. A second request for the same gets the first one while that is open.
 *
 * A request only moves the time of the next visit forward; a worker that takes due visits makes it. It does not change
 * the schedule: the following visit comes when it would have come, a failure delays nothing, and a probe counts for no
 * badge.
 */
export function createCrawlRequests(database: RecordsDatabase) {
  return {
    /**
     * Requests a visit of a domain, known or new, or of a listed agent. While a request is open, the same request gets
     * that one. A request during a scheduled visit is another visit, as that one may have read the file before it changed.
     */
    ask: (wanted: WantedVisit, now: number) => database.transaction((db) => requestVisit(db, wanted, now)),
    /** The outcome that `ask` would have. Changes nothing. */
    mayAsk: (wanted: WantedVisit, now: number) =>
      database.read(async (db) => {
        const { kind, key } = wanted.visit;
        return judge(db, await sourcesOf(db, kind, key).execute(), wanted, now);
      }),
    /** Undefined for one that was never made, or more than 7 days ago. */
    request: (id: string, now: number) => database.read((db) => findRequest(db, id, now)),
  };
}

export type CrawlRequests = ReturnType<typeof createCrawlRequests>;

/** Whether a visit of these sources may be requested; nothing is written. */
async function judge(
  db: Db,
  sources: readonly SourceRow[],
  { id, visit, cooldownMs }: WantedVisit,
  now: number,
): Promise<AskVisitOutcome> {
  const { kind, key } = visit;
  const isNewDomain = sources.length === 0;
  if (isNewDomain && kind === 'agent') return { ok: false, reason: 'unknown_agent' };
  const isOpen = sources.some(({ asked }) => asked !== null);
  const open = isOpen ? await latestRequest(db, kind, key) : undefined;
  if (open !== undefined)
    return { ok: true, request: requestOf(open, sources, now), isNew: false, isNewDomain };
  const row = { id, visit: kind, key, asked_at: now };
  const refusal = tooSoon(sources, cooldownMs, now);
  return refusal ?? { ok: true, request: requestOf(row, sources, now), isNew: true, isNewDomain };
}

async function requestVisit(db: Db, wanted: WantedVisit, now: number): Promise<AskVisitOutcome> {
  await lockShared(db, 'contents'); // or the agent may be pruned meanwhile
  await lockAlone(db, 'crawlRequest');
  const { id, visit } = wanted;
  const { kind, key } = visit;
  const before = await sourcesOf(db, kind, key).forUpdate().execute();
  const outcome = await judge(db, before, wanted, now);
  if (!outcome.ok || !outcome.isNew) return outcome;
  if (outcome.isNewDomain) await addSources(db, [{ ...visit, at: now }]);
  await makeDue(db, visit, now);
  const after = await sourcesOf(db, kind, key).execute();
  const isVisitedNow = after.some((one) => isLeased(one.lease_until, now));
  if (kind === 'agent' && !isVisitedNow && (await findDueSources(db, kind, [key], now)).size === 0) {
    await restorePlans(db, before);
    return { ok: false, reason: 'unknown_agent' };
  }
  const row = { id, visit: kind, key, asked_at: now };
  await db.insertInto('crawl_request').values(row).execute();
  return { ...outcome, request: requestOf(row, after, now) };
}

async function findRequest(db: Db, id: string, now: number): Promise<CrawlRequest | undefined> {
  const row = await db.selectFrom('crawl_request').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const sources = await sourcesOf(db, row.visit, row.key).execute();
  const newest = await latestRequest(db, row.visit, row.key);
  const isNewest = newest?.id === id;
  return requestOf(row, isNewest ? sources : sources.map((one) => ({ ...one, asked: null })), now);
}

/** The sources that a visit covers. */
function sourcesOf(db: Db, kind: VisitKind, key: string) {
  return db
    .selectFrom('source')
    .selectAll()
    .where('kind', 'in', KINDS_OF_VISIT[kind])
    .where('key', '=', key)
    .orderBy('kind');
}

async function latestRequest(db: Db, visit: VisitKind, key: string): Promise<RequestRow | undefined> {
  return db
    .selectFrom('crawl_request')
    .selectAll()
    .where('visit', '=', visit)
    .where('key', '=', key)
    .orderBy('asked_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

function requestOf(row: RequestRow, sources: readonly SourceRow[], now: number): CrawlRequest {
  const open = sources.filter(({ asked }) => asked !== null);
  const isRunning = open.some((one) => one.asked === 1 && isLeased(one.lease_until, now));
  const state = open.length === 0 ? 'over' : isRunning ? 'running' : 'open';
  const { id, visit: kind, key, asked_at: askedAt } = row;
  return { id, kind, key, askedAt, state, sources: sources.map(sourceState) };
}

/** Refuses a visit shortly after another one, or of a site that throttles us. A last visit ahead of now is of a clock that was put back. */
function tooSoon(sources: readonly SourceRow[], cooldownMs: number, now: number): Refused | undefined {
  const waits = sources.map(({ last_visit_at: at }) => (at === null || at > now ? 0 : at + cooldownMs - now));
  const waitMs = Math.max(0, ...waits);
  const throttled = sources.filter((one) => one.last_outcome === 'throttled' && one.next_visit_at > now);
  const longest = Math.max(0, ...throttled.map((one) => one.next_visit_at - now));
  if (longest > waitMs) return { ok: false, reason: 'throttled', waitMs: longest };
  return waitMs > 0 ? { ok: false, reason: 'visited', waitMs } : undefined;
}

/** Makes the sources due now, and keeps the time that was planned. A source under lease is visited again afterwards. */
async function makeDue(db: Db, { kind, key }: NewVisit, now: number): Promise<void> {
  const sources = db.updateTable('source').where('kind', 'in', KINDS_OF_VISIT[kind]).where('key', '=', key);
  await sources
    .where((row) => row.not(isFree(now)))
    .set({ asked: 2 })
    .execute();
  await sources
    .where(isFree(now))
    .set((row) => ({
      asked: 1,
      planned_at: row.ref('next_visit_at'),
      next_visit_at: row
        .case()
        .when('next_visit_at', '>', now)
        .then(now)
        .else(row.ref('next_visit_at'))
        .end(),
    }))
    .execute();
}

async function restorePlans(db: Db, before: readonly SourceRow[]): Promise<void> {
  for (const { id, asked, planned_at, next_visit_at } of before)
    await db.updateTable('source').set({ asked, planned_at, next_visit_at }).where('id', '=', id).execute();
}
