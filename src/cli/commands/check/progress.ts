import type { Progress } from '../../../compliance/run/run-state.ts';
import type { StoryboardResult } from '../../../compliance/run-result.ts';
import type { Bundle } from '../../../compliance/storyboards/bundle.ts';
import { hasErrors } from '../../../domain/finding.ts';
import { counted, note } from '../../output/print.ts';
import { shownText } from '../../output/show-value.ts';

interface CheckProgress {
  readonly show: (progress: Progress) => void;
  /** Takes the live line away; may be called twice. */
  stop(): void;
}

/** Goes to the start of the line and clears it. */
const CLEAR = '\r\u001b[2K';

/** Shows how far a run is, on stderr: one line that changes on a terminal, a line for each storyboard elsewhere. */
export function showCheckProgress(kind: 'auto' | 'plain' | 'none'): CheckProgress {
  if (kind === 'none') return { show: () => undefined, stop: () => undefined };
  return kind === 'auto' && process.stderr.isTTY ? liveLine() : plainLines();
}

function liveLine(): CheckProgress {
  let storyboards = 0;
  let at = '';
  let steps = 0;
  let shown = false;
  const write = (text: string) => {
    const width = (process.stderr.columns ?? 80) - 1;
    process.stderr.write(`${CLEAR}${text.slice(0, width)}`);
    shown = true;
  };
  return {
    show(progress) {
      if (progress.kind === 'agent') storyboards = progress.storyboards;
      if (progress.kind === 'storyboard')
        at = `[${progress.index + 1}/${storyboards}] ${shownText(progress.id, 60)}`;
      if (progress.kind === 'step') steps += 1;
      const step = progress.kind === 'step' ? `  ${shownText(progress.step.title, 60)}` : '';
      write(`${at}${step}  (${counted(steps, 'step')})`);
    },
    stop() {
      if (shown) process.stderr.write(CLEAR);
      shown = false;
    },
  };
}

function plainLines(): CheckProgress {
  let storyboards = 0;
  let done = 0;
  return {
    show(progress) {
      if (progress.kind === 'agent') storyboards = progress.storyboards;
      if (progress.kind !== 'result') return;
      done += 1;
      note(`[${done}/${storyboards}] ${progress.result.storyboard_id}: ${inWords(progress.result)}`);
    },
    stop: () => undefined,
  };
}

function inWords({
  result,
  steps_passed: passed,
  steps_failed: failed,
  skip_detail: detail,
}: StoryboardResult): string {
  if (result === 'fail') return `fail, ${failed} of ${counted(passed + failed, 'step')}`;
  if (result === 'pass') return `pass, ${counted(passed, 'step')}`;
  return detail === undefined ? 'skipped' : `skipped: ${shownText(detail)}`;
}

const MAX_FINDINGS = 40;

/** What is wrong in the files of a bundle, on stderr: a file with errors is not run. */
export function printBundleFindings({ findings }: Bundle): void {
  const all = findings.flatMap(({ file, findings: found }) => found.map((finding) => ({ file, ...finding })));
  // what many files have is told where it stands first
  const lines = [...Map.groupBy(all, ({ message }) => message).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    const { file, severity, line = 1, column = 1, message, hint } = first;
    const many = more.length === 0 ? '' : ` (and ${counted(more.length, 'more place')})`;
    return `${shownText(file)}:${line}:${column}  ${severity}: ${shownText(message)}${hint === undefined ? '' : `; ${shownText(hint)}`}${many}`;
  });
  for (const line of lines.slice(0, MAX_FINDINGS)) note(line);
  if (lines.length > MAX_FINDINGS) note(`… and ${lines.length - MAX_FINDINGS} more findings`);
  const left = findings.filter((one) => hasErrors(one.findings)).length;
  if (left > 0) note(`${left} of the files cannot be run`);
}
