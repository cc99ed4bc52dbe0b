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
import { HttpProblem } from '../../problem.ts';
import { busy, createBoundedLooks, type SeenAt } from '../bounded-looks.ts';

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
const WORDS = { one: 'a file', many: 'files', done: 'checked' };

/** Checks of files for strangers, within the bounds of `createBoundedLooks`; a domain is looked at once a minute. */
export function createBoundedChecks({ checks, clock, metrics }: CheckParts): BoundedChecks {
  const look = createBoundedLooks<FileReport>({ clock, atOnce: AT_ONCE, words: WORDS });

  /** Each check is counted once, with whatever came of it. */
  async function count(kind: FileKind, asked: Promise<SeenAt<FileReport>>): Promise<SeenAt<FileReport>> {
    try {
      const seen = await asked;
      metrics.fileCheck(seen.value.kind, seen.value.valid ? 'valid' : 'invalid');
      return seen;
    } catch (error) {
      metrics.fileCheck(kind, resultOf(error));
      throw error;
    }
  }

  return {
    async ask(caller, question) {
      const { kind = 'adagents', domain, text } = question;
      const isShared = domain !== undefined && text === undefined;
      const asked = isShared ? { ...question, withLines: true } : question;
      const seen = look({
        caller,
        ...(isShared && { key: `${kind} ${domain}`, site: registrableDomain(domain) }),
        see: () => checks.check(asked).catch(reported(question.kind)),
        repeated: () => metrics.fileCheck(kind, 'repeated'),
        begun: (begun) => count(kind, begun),
      });
      const { at, value: report } = await seen.catch(explained);
      return { at, report };
    },
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
