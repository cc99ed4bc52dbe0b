import { BudgetExceeded, type Budgets, type Job, type Party } from '../../../budgets/budgets.ts';
import { BUDGETS } from '../../../budgets/table.ts';
import {
  CheckRefused,
  type FileChecks,
  type FileQuestion,
  type FileReport,
  tooCostly,
} from '../../../discovery/file-checks.ts';
import { registrableDomain } from '../../../domain/domain-name.ts';
import type { Metrics } from '../../../ops/metrics.ts';
import type { Clock } from '../../../ports/clock.ts';
import { createSharedAnswers } from '../shared-answers.ts';

/** A report, and when the file was looked at, epoch milliseconds. */
export interface KeptReport {
  readonly at: number;
  readonly report: FileReport;
}

export interface BoundedChecks {
  /** Throws HttpProblems, BudgetExceeded and CheckRefused. */
  ask(party: Party, question: FileQuestion): Promise<KeptReport>;
}

interface CheckParts {
  readonly checks: FileChecks;
  readonly clock: Clock;
  readonly budgets: Budgets;
  readonly metrics: Pick<Metrics, 'fileCheck'>;
}

const TEXT: Job = { running: 'fileChecks', counted: [] };
/** All sites that a check asks have 20 s together. */
const DOMAIN: Job = { running: 'fileChecks', counted: ['siteChecks'], seconds: 20 };

/** Of the file of a domain, whose size is not known before; most are smaller. */
const USUAL_KIB = 64;

/** Checks of files for callers, within their budgets; a domain is looked at once a minute, whoever asks. */
export function createBoundedChecks({ checks, clock, budgets, metrics }: CheckParts): BoundedChecks {
  const answerOf = createSharedAnswers<FileReport>(clock, 'the check is still running');

  /** Each check is counted once, with whatever came of it. */
  async function check(question: FileQuestion): Promise<FileReport> {
    const report = await checks.check(question).catch((error: unknown) => {
      if (error instanceof CheckRefused && error.reason === 'too_costly') return tooCostly(question.kind);
      throw error;
    });
    metrics.fileCheck(report.kind, report.valid ? 'valid' : 'invalid');
    return report;
  }

  /** All files are read on one thread, and reading takes time by their size. */
  async function readWithin(party: Party, question: FileQuestion): Promise<FileReport> {
    const { text } = question;
    const amount = text === undefined ? USUAL_KIB : kibOf(Buffer.byteLength(text));
    const takeBack = await budgets.spend('checkedKib', { party, amount });
    try {
      const report = await check(question);
      if (text === undefined) await takeBack(amount - kibOf(report.source?.bytes ?? 0));
      return report;
    } catch (error) {
      await takeBack();
      throw error;
    }
  }

  return {
    async ask(party, question) {
      const { kind = 'adagents', domain, text } = question;
      const ofDomain = text === undefined ? domain : undefined;
      const onFailed = (error: unknown): never => {
        const isRefused =
          error instanceof BudgetExceeded || (error instanceof CheckRefused && error.reason !== 'closed');
        metrics.fileCheck(kind, isRefused ? 'refused' : 'failed');
        throw error;
      };
      const { at, value: report } = await answerOf(
        ofDomain === undefined
          ? { answer: () => budgets.run(TEXT, { party }, () => readWithin(party, question)).catch(onFailed) }
          : {
              key: `${kind} ${ofDomain}`,
              answer: () =>
                budgets
                  .run(DOMAIN, { party, site: registrableDomain(ofDomain) }, () =>
                    readWithin(party, { ...question, withLines: true }),
                  )
                  .catch(onFailed),
              onRepeated: () => metrics.fileCheck(kind, 'repeated'),
            },
      );
      return { at, report };
    },
  };
}

/** At most what anybody has in a minute, so that no file is refused for its size alone. */
function kibOf(bytes: number): number {
  return Math.min(BUDGETS.checkedKib.perAddress, Math.max(1, Math.ceil(bytes / 1_024)));
}
