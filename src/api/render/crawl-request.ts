import type { CrawlRequest } from '../../records/sources/crawl-requests.ts';
import { type VisitState, visitState } from './visit-state.ts';

/** Results, best first: one readable file is a success. */
const RESULTS = ['completed', 'invalid', 'failed'] as const;
type Result = (typeof RESULTS)[number];

/** A crawl request with its progress and its result, in the names of the wire. */
export interface CrawlRequestBody {
  readonly crawl_request_id: string;
  /** The requested domain, or the host of the requested agent. */
  readonly domain: string;
  readonly agent_url?: string;
  readonly status: 'queued' | 'running' | Result;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly requested_at: string;
  readonly started_at: string | null;
  readonly last_attempted_at: string | null;
  readonly completed_at: string | null;
  readonly next_attempt_at: string | null;
  readonly last_error_code: string | null;
  readonly visits: readonly VisitState[];
}

/** The current state of a request; when it is over, with the result of the newest visit. */
export function crawlRequest(
  { id, kind, key, askedAt, state, sources }: CrawlRequest,
  now: number,
): CrawlRequestBody {
  const isOver = state === 'over';
  const last = Math.max(0, ...sources.map(({ lastVisitAt = 0 }) => lastVisitAt));
  const triedAt = isOver && last > 0 ? new Date(last).toISOString() : null;
  const results = sources.map(({ lastOutcome }) => resultOf(lastOutcome));
  const result = RESULTS.find((one) => results.includes(one)) ?? 'failed';
  const visits = sources.map((source) => visitState(source.kind, source, now));
  const worst = sources.find(({ lastError }) => lastError !== undefined)?.lastError;
  const nextAt = Math.min(...sources.map(({ nextVisitAt }) => nextVisitAt));
  return {
    crawl_request_id: id,
    domain: kind === 'agent' ? new URL(key).hostname : key,
    ...(kind === 'agent' && { agent_url: key }),
    status: isOver ? result : state === 'running' ? 'running' : 'queued',
    attempts: isOver ? 1 : 0,
    max_attempts: 1,
    requested_at: new Date(askedAt).toISOString(),
    started_at: triedAt,
    last_attempted_at: triedAt,
    completed_at: triedAt,
    next_attempt_at: Number.isFinite(nextAt) ? new Date(nextAt).toISOString() : null,
    last_error_code: isOver && result !== 'completed' ? (worst?.code ?? null) : null,
    visits,
  };
}

function resultOf(outcome: CrawlRequest['sources'][number]['lastOutcome']): Result {
  if (outcome === 'indexed' || outcome === 'unchanged') return 'completed';
  return outcome === 'invalid' ? 'invalid' : 'failed';
}
