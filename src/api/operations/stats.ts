import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { AGENT_TYPES, PROTOCOLS } from '../../domain/agent-type.ts';
import { COMPLIANCE_STATUSES } from '../../domain/compliance.ts';
import type { SourceKind, VisitKind } from '../../domain/source.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { entityTag, sendPublic } from '../answers.ts';
import { queryText, refuseParameters } from '../parameters.ts';
import {
  answer,
  CACHE_CONTROL,
  describedBy,
  ETAG,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problems,
} from './description.ts';

const STATS = {
  operationId: 'getRegistryStats',
  summary: 'See how the registry itself is doing',
  description: 'Counted at most once a minute, piece by piece; `generated_at` says when.',
  parameters: [IF_NONE_MATCH],
  responses: {
    200: answer('The figures.', 'RegistryStats', { ETag: ETAG, 'Cache-Control': CACHE_CONTROL }),
    304: NOT_MODIFIED,
    ...problems(400, 401, 429, 500, 503),
  },
};

/** Figures are kept for so long, milliseconds. */
const KEPT_MS = 60_000;
/** Sources that are counted before others get their turn. */
const PIECE = 5_000;
const KINDS: readonly SourceKind[] = ['adagents', 'brand', 'agent'];
const VISITS: readonly VisitKind[] = ['domain', 'agent'];
/** Whatever agents call their markets; countries are two letters of them. */
const MOST_MARKETS = 2_000;

export interface StatsParts {
  readonly records: Pick<Records, 'sources' | 'runs'>;
  readonly index: Pick<AgentIndex, 'count' | 'facet'>;
  readonly clock: Clock;
}

/** GET /api/registry/stats: one count for all who ask; while a newer one is made, the last one is given. */
export function statsOperation(server: FastifyInstance, parts: StatsParts): void {
  let last: { readonly at: number; readonly body: Buffer } | undefined;
  let counting: Promise<Buffer> | undefined;
  const count = (now: number): Promise<Buffer> => {
    counting ??= countAll(parts, now)
      .then((figures) => {
        last = { at: now, body: Buffer.from(JSON.stringify(figures)) };
        return last.body;
      })
      .finally(() => {
        counting = undefined;
      });
    return counting;
  };
  server.get('/api/registry/stats', describedBy(STATS), async (request, reply) => {
    refuseParameters(queryText(request), 'the figures of the registry');
    const now = parts.clock.now();
    const isOld = last === undefined || Math.abs(now - last.at) >= KEPT_MS;
    const made = isOld ? count(now) : undefined;
    if (last !== undefined)
      made?.catch((err: unknown) => request.log.warn({ err }, 'the figures were not counted'));
    const body = last?.body ?? (await made) ?? Buffer.from('');
    reply.header('cache-control', 'public, no-cache');
    return sendPublic(request, reply, { body, etag: entityTag(body) });
  });
}

async function countAll({ records, index, clock }: StatsParts, now: number): Promise<object> {
  const [total, markets, statuses, verified, ...counts] = await Promise.all([
    index.count({}),
    index.facet('markets', MOST_MARKETS),
    index.facet('compliance_status', COMPLIANCE_STATUSES.length),
    index.count({ verified: true }),
    ...AGENT_TYPES.map((type) => index.count({ type })),
    ...PROTOCOLS.map((protocol) => index.count({ protocol })),
  ]);
  const named = (names: readonly string[], from: number) =>
    Object.fromEntries(names.map((name, at) => [name, counts[from + at] ?? 0]));
  const sources = await countSources(records.sources, now);
  const due = await records.sources.countDue(now);
  const oldest = await Promise.all(VISITS.map((kind) => records.sources.due(kind, 1, now)));
  const dueAt = oldest.flat().map((one) => one.dueAt);
  const at = dueAt.length === 0 ? undefined : Math.min(...dueAt);
  const runs = await records.runs.countDue(now);
  return {
    agents: {
      total,
      verified,
      by_type: named(AGENT_TYPES, 0),
      by_protocol: named(PROTOCOLS, AGENT_TYPES.length),
      by_compliance_status: Object.fromEntries(
        COMPLIANCE_STATUSES.map((status) => [
          status,
          statuses.find(({ value }) => value === status)?.count ?? 0,
        ]),
      ),
      // an agent that sells in several is counted in each
      by_country: Object.fromEntries(
        markets
          .filter(({ value }) => /^[a-z]{2}$/.test(value))
          .map(({ value, count }) => [value.toUpperCase(), count])
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      ),
    },
    sources,
    due: {
      domains: due.domains,
      agents: due.agents,
      tests: runs.due + runs.asked,
      // a scheduler that starves shows here: what waits longest for its visit
      oldest_due_at: at === undefined ? null : new Date(at).toISOString(),
      oldest_due_seconds: at === undefined ? 0 : Math.max(0, Math.round((now - at) / 1_000)),
    },
    generated_at: new Date(clock.now()).toISOString(),
  };
}

interface Figures {
  total: number;
  /** What it says counts now; of files only. */
  valid: number;
  readonly outcomes: Map<string, number>;
  readonly ages: Map<number, number>;
}

async function countSources(sources: Pick<Records['sources'], 'tally'>, now: number): Promise<object> {
  const all = new Map<SourceKind, Figures>(
    KINDS.map((kind) => [kind, { total: 0, valid: 0, outcomes: new Map(), ages: new Map() }]),
  );
  for (let after = 0; ; ) {
    const rows = await sources.tally(after, PIECE, now);
    if (rows.length === 0) break;
    for (const { kind, outcome, counts, minutes, n, last } of rows) {
      const figures = all.get(kind);
      after = Math.max(after, last);
      if (figures === undefined) continue;
      figures.total += n;
      figures.valid += counts ? n : 0;
      const name = outcome ?? 'never_visited';
      figures.outcomes.set(name, (figures.outcomes.get(name) ?? 0) + n);
      if (minutes !== null) figures.ages.set(minutes, (figures.ages.get(minutes) ?? 0) + n);
    }
    await setImmediate(); // others have their turn
  }
  return Object.fromEntries(
    [...all].map(([kind, { total, valid, outcomes, ages }]) => [
      kind,
      {
        total,
        ...(kind !== 'agent' && { valid }),
        by_status: Object.fromEntries([...outcomes].sort()),
        freshness_minutes: percentiles(ages),
      },
    ]),
  );
}

/** Of what was read at all: null where nothing was. */
function percentiles(ages: ReadonlyMap<number, number>): object {
  const sorted = [...ages].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, n]) => sum + n, 0);
  const at = (part: number): number | null => {
    let left = Math.ceil(total * part);
    for (const [minutes, n] of sorted) {
      left -= n;
      if (left <= 0) return minutes;
    }
    return null;
  };
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
