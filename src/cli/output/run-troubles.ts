import type { BlockingRefusal, ComplianceRun, UnreadDeclaration } from '../../compliance/run-result.ts';
import type { StepResult } from '../../compliance/step-result.ts';
import { outcomeOf, type StoryboardStatus, shownOutcome } from '../../domain/judged-run.ts';
import type { EvidencedRun } from '../../records/runs/compliance-runs.ts';
import { shownText } from './show-value.ts';

/** Of what an agent wrote. */
const MAX_WORDS = 300;

/** What the report of a kept run says of why it judged nothing, or only a part. */
export interface RunTroubles {
  readonly unread: UnreadDeclaration | null;
  readonly blocked_by: BlockingRefusal | null;
}

/** Null where nothing of the kind happened, or the report is no longer kept. */
export function troublesOf({ report }: Pick<EvidencedRun, 'report'>): RunTroubles {
  const { unread, blocked_by } = (report ?? {}) as Partial<ComplianceRun>;
  return { unread: unread ?? null, blocked_by: blocked_by ?? null };
}

/** The same for people. The agent's words are escaped and cut. */
export function troubleLines(run: Pick<EvidencedRun, 'report'>): readonly string[] {
  const { unread, blocked_by: blocked } = troublesOf(run);
  return [
    ...(unread === null ? [] : unreadLines(unread)),
    ...(blocked === null ? [] : blockedLines(blocked)),
  ];
}

function unreadLines({ request, http_status, content_type, error_class, words }: UnreadDeclaration) {
  const came = [http_status === undefined ? error_class : `HTTP ${http_status}`, content_type ?? []].flat();
  return [`could not read ${shownText(request, 80)}: ${shownText(came.join(' '), 100)}`, ...wordsOf(words)];
}

function blockedLines({ step, task, code, message, steps_skipped: skipped }: BlockingRefusal) {
  const refused = `the agent refused ${shownText(task, 80)}${code === undefined ? '' : ` (${shownText(code, 80)})`}`;
  return [
    `${refused}, so ${skipped} later ${skipped === 1 ? 'step was' : 'steps were'} skipped`,
    `  at ${shownText(step)}`,
    ...wordsOf(message),
  ];
}

function wordsOf(message = ''): readonly string[] {
  return message === '' ? [] : [`  message of the agent: ${shownText(message, MAX_WORDS)}`];
}

/** The incomplete storyboards of a run, each with its counts and, where the steps are kept, the first reason. */
export function incompleteLines(
  statuses: readonly StoryboardStatus[],
  steps: readonly StepResult[],
): readonly string[] {
  return statuses
    .filter((one) => shownOutcome(one) === 'incomplete')
    .map((one) => {
      const { storyboard_id: id, steps_total: ran, steps_skipped: skipped = 0 } = one;
      const counts = outcomeOf(one) === 'pass' ? ', counts as passing' : '';
      const own = steps.filter((step) => step.storyboard_id === id && step.result === 'skipped');
      const gap = own.find((step) => step.coverage_gap === true) ?? own[0];
      const why = gap?.skip_detail === undefined ? '' : `: ${shownText(gap.skip_detail)}`;
      return `incomplete: ${shownText(id, 120)}, ${ran} of ${ran + skipped} steps ran${counts}${why}`;
    });
}

/** The steps of a kept run; empty where they are not kept. */
export function keptSteps({ report }: Pick<EvidencedRun, 'report'>): readonly StepResult[] {
  return Array.isArray(report?.steps) ? (report.steps as readonly StepResult[]) : [];
}
