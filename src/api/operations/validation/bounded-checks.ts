import { createAllowance } from '../../../base/allowance.ts';
import {
  CheckRefused,
  type FileChecks,
  type FileQuestion,
  type FileReport,
  tooCostly,
} from '../../../discovery/file-checks.ts';
import type { FileKind } from '../../../domain/declaration.ts';
import { registrableDomain } from '../../../domain/domain-name.ts';
import type { FileCheckResult, Metrics } from '../../../ops/metrics.ts';
import type { Clock } from '../../../ports/clock.ts';
import { refuseWhile } from '../../callers.ts';
import { HttpProblem } from '../../problem.ts';

/** A report, and when the file was looked at, epoch milliseconds. */
export interface KeptReport {
  readonly at: number;
  readonly report: FileReport;
}

export interface BoundedChecks {
  /** Throws HttpProblems. */
  ask(caller: string, question: FileQuestion): Promise<KeptReport>;
}

interface CheckParts {
  readonly checks: FileChecks;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'fileCheck'>;
}

/** Checks under way at once, of all callers together. */
const AT_ONCE = 8;
/** A domain's report is told again for so long, whoever asks. */
const FRESH_MS = 60_000;
const MAX_KEPT = 200;
/** Domains of one site that are looked at in a minute, whoever asks. */
const OF_SITE = 5;
/** The field's clients wait 10 s. */
const ANSWER_MS = 9_000;

/**
 * Checks of files for strangers: one at a time for a caller, a few at once for all, and a domain once a minute
 * whoever asks. What takes longer than a caller waits goes on, and is told to whoever asks again.
 */
export function createBoundedChecks({ checks, clock, metrics }: CheckParts): BoundedChecks {
  const siteWaitMs = createAllowance({ clock, max: OF_SITE, windowMs: 60_000 });
  const kept = new Map<string, KeptReport>();
  const underWay = new Map<string, Promise<KeptReport>>();
  const callers = new Set<string>();
  let running = 0;

  function find(key: string): KeptReport | undefined {
    const known = kept.get(key);
    if (known === undefined) return undefined;
    const age = clock.now() - known.at;
    return age >= 0 && age < FRESH_MS ? known : undefined; // less is of a clock that was put back
  }

  function keep(key: string, report: KeptReport): void {
    kept.delete(key);
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, report);
  }

  /** `site`: whose domain is looked at. */
  async function run(caller: string, question: FileQuestion, site?: string): Promise<KeptReport> {
    if (callers.has(caller))
      throw busy('rate_limited', 'a file is being checked for you; one is checked at a time', 2);
    if (running >= AT_ONCE)
      throw busy('overloaded', 'many files are being checked; try again in a few seconds', 5);
    if (site !== undefined) refuseWhile(siteWaitMs(site), `${OF_SITE} checks of domains of this site`);
    callers.add(caller);
    running += 1;
    try {
      return { at: clock.now(), report: await checks.check(question).catch(reported(question.kind)) };
    } finally {
      callers.delete(caller);
      running -= 1;
    }
  }

  /** Each check is counted once, with whatever came of it. */
  async function count(kind: FileKind, asked: Promise<KeptReport>): Promise<KeptReport> {
    try {
      const kept = await asked;
      metrics.fileCheck(kept.report.kind, kept.report.valid ? 'valid' : 'invalid');
      return kept;
    } catch (error) {
      metrics.fileCheck(kind, resultOf(error));
      throw error;
    }
  }

  function begin(caller: string, question: FileQuestion): Promise<KeptReport> {
    const { kind = 'adagents', domain, text } = question;
    if (domain === undefined || text !== undefined) return count(kind, run(caller, question));
    const key = `${kind} ${domain}`;
    const known = find(key);
    const same = known === undefined ? underWay.get(key) : Promise.resolve(known);
    if (same !== undefined) {
      metrics.fileCheck(kind, 'repeated');
      return same;
    }
    const asked = count(
      kind,
      run(caller, { ...question, withLines: true }, registrableDomain(domain)),
    ).finally(() => underWay.delete(key));
    underWay.set(key, asked);
    asked.then(
      (report) => keep(key, report),
      () => {}, // told to those who wait
    );
    return asked;
  }

  return {
    ask: (caller, question) => inTime(begin(caller, question)).catch(explained),
  };
}

function reported(kind: FileQuestion['kind']) {
  return (error: unknown): FileReport => {
    if (error instanceof CheckRefused && error.reason === 'too_costly') return tooCostly(kind);
    throw error;
  };
}

function resultOf(error: unknown): FileCheckResult {
  const isRefused =
    error instanceof HttpProblem || (error instanceof CheckRefused && error.reason === 'visited_now');
  return isRefused ? 'refused' : 'failed';
}

function explained(error: unknown): never {
  if (!(error instanceof CheckRefused)) throw error;
  if (error.reason === 'visited_now')
    throw busy('unavailable', 'this site is being visited; try again in a few seconds', 5);
  throw busy('unavailable', 'the check was ended; try again', 1);
}

async function inTime(work: Promise<KeptReport>): Promise<KeptReport> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(busy('unavailable', 'the file is still being checked; ask again in a few seconds', 5)),
    ANSWER_MS,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function busy(
  code: 'rate_limited' | 'overloaded' | 'unavailable',
  detail: string,
  seconds: number,
): HttpProblem {
  return new HttpProblem(code, detail, {}, { 'retry-after': String(seconds) });
}
