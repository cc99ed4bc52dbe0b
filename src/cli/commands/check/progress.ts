import type { Progress } from '../../../compliance/run/run-state.ts';
import type { ComplianceRun, StoryboardResult } from '../../../compliance/run-result.ts';
import type { Bundle } from '../../../compliance/storyboards/bundle.ts';
import { type Finding, hasErrors } from '../../../domain/finding.ts';
import { shownOutcome } from '../../../domain/judged-run.ts';
import { counted, note } from '../../output/print.ts';
import { shownText } from '../../output/show-value.ts';

interface CheckProgress {
  readonly show: (progress: Progress) => void;
  /** Removes the live line; may be called twice. */
  stop(): void;
}

/** Goes to the start of the line and clears it. */
const CLEAR = '\r\u001b[2K';

/** Shows the progress of a run on stderr: one line that changes on a terminal, a line for each storyboard elsewhere. */
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

function inWords(storyboard: StoryboardResult): string {
  const { steps_passed: passed, steps_failed: failed, steps_total: total, skip_detail: detail } = storyboard;
  const result = shownOutcome(storyboard);
  if (result === 'fail') return `fail, ${failed} of ${counted(passed + failed, 'step')}`;
  if (result === 'pass') return `pass, ${counted(passed, 'step')}`;
  if (result === 'incomplete') return `incomplete, ${passed} of ${counted(total, 'step')} passed`;
  return detail === undefined ? 'skipped' : `skipped: ${shownText(detail)}`;
}

const MAX_FINDINGS = 5;

/** Names that this runner does not know: the report lists those of the selected storyboards as its limitations. */
const UNKNOWN_NAMES: readonly string[] = [
  'member_unknown',
  'check_unknown',
  'invariant_unknown',
  'skip_if_unknown',
];

/** What is wrong in the files of a bundle, on stderr, each message once; five of them unless `all` are asked for. */
export function printBundleFindings({ findings }: Bundle, all: boolean): void {
  const lines = findingLines({ findings }, ({ code }) => !UNKNOWN_NAMES.includes(code));
  const shown = all ? lines : lines.slice(0, MAX_FINDINGS);
  for (const line of shown) note(line);
  const rest = lines.length - shown.length;
  if (rest > 0) note(`… and ${counted(rest, 'more finding')}: --verbose shows all`);
  const unusable = findings.filter((one) => hasErrors(one.findings)).length;
  if (unusable > 0) note(`${counted(unusable, 'file')} of the bundle cannot be used`);
}

/** The unknown names that no limitation of the run names, because no selected storyboard has them. */
export function printUnknownNames(bundle: Bundle, { limitations = [] }: ComplianceRun): void {
  const names = limitations.map(({ name }) => name.split(': ').at(-1) ?? name);
  const lines = findingLines(
    bundle,
    ({ code, message }) => UNKNOWN_NAMES.includes(code) && !names.some((name) => message.includes(name)),
  );
  for (const line of lines) note(line);
}

function findingLines(
  { findings }: Pick<Bundle, 'findings'>,
  isShown: (finding: Finding) => boolean,
): readonly string[] {
  const all = findings.flatMap(({ file, findings: found }) =>
    found.filter(isShown).map((finding) => ({ file, ...finding })),
  );
  const weight = ({ severity }: Finding) => (severity === 'error' ? 0 : 1);
  // a message that many files have is shown at its first place
  return [...Map.groupBy(all, ({ message }) => message).values()]
    .toSorted(([one], [other]) => (one && other ? weight(one) - weight(other) : 0))
    .flatMap(([first, ...more]) => {
      if (first === undefined) return [];
      const { file, severity, line = 1, column = 1, message, hint } = first;
      const many = more.length === 0 ? '' : ` (and ${counted(more.length, 'more place')})`;
      return `${shownText(file)}:${line}:${column}  ${severity}: ${shownText(message)}${hint === undefined ? '' : `; ${shownText(hint, 160)}`}${many}`;
    });
}
