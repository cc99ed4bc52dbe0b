import type { ComplianceRun } from '../../../compliance/run-result.ts';
import type { CheckResult, StepResult } from '../../../compliance/step-result.ts';
import { againCommand, saysWanted } from '../../output/failed-steps.ts';
import { counted, paint } from '../../output/print.ts';
import { shownText } from '../../output/show-value.ts';
import { againAsHere } from './again.ts';
import type { CheckFlags } from './flags.ts';

/** What made steps fail, or kept them from being run: the same in all of them. */
interface Cause {
  readonly words: string;
  readonly steps: StepResult[];
  readonly check?: CheckResult;
}

const WIDTH = 80;
const MAX_CAUSES = 5;
const MAX_SKIPS = 3;
const MAX_WORDS = 110;

/** The failures of a run by their cause, those with the most steps first, each with one step and what repeats it. */
export function failureLines(run: ComplianceRun, flags: CheckFlags): readonly string[] {
  const failed = run.steps.filter(({ result }) => result === 'fail');
  const causes = grouped(failed, (step) => {
    const check = step.checks.find(({ result }) => result === 'fail');
    return { words: check === undefined ? 'it failed' : wordsOf(check), ...(check && { check }) };
  });
  if (causes.length === 0) return [];
  const rest = causes.slice(MAX_CAUSES).reduce((sum, { steps }) => sum + steps.length, 0);
  return [
    '',
    `${counted(failed.length, 'step')} failed, for ${counted(causes.length, 'reason')}:`,
    ...causes.slice(0, MAX_CAUSES).flatMap((cause) => causeLines(cause)),
    ...(rest === 0 ? [] : [`  … and ${counted(rest, 'step')} for other reasons`]),
    '--verbose shows each step. The first again:',
    ...continued(wrapped(again(run, causes[0], flags), '  ', '    ', WIDTH - 2)),
  ];
}

/** A command on several lines, as a shell reads it. */
function continued(lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line} \\`));
}

function again(run: ComplianceRun, cause: Cause | undefined, flags: CheckFlags): string {
  const storyboard = cause?.steps[0]?.storyboard_id ?? '';
  return storyboard === '' ? againCommand(run.agent_url, '') : againAsHere(run.agent_url, storyboard, flags);
}

function causeLines({ words, steps, check }: Cause): readonly string[] {
  const [first] = steps;
  if (first === undefined) return [];
  const { storyboard_id: storyboard, phase_id: phase, step_id: step, task } = first;
  const more = steps.length === 1 ? '' : `, and ${counted(steps.length - 1, 'more step')}`;
  const said = check === undefined || saysWanted(check.check);
  const values = [
    ...(said || check.expected === undefined ? [] : [`expected ${json(check.expected)}`]),
    ...(said || check.actual === undefined ? [] : [`came ${json(check.actual)}`]),
  ].join(', ');
  return [
    ...wrapped(
      `${paint('red', '✗')} ${counted(steps.length, 'step')}: ${shownText(words, MAX_WORDS)}`,
      '  ',
      '      ',
    ),
    ...wrapped(shownText(`${task} in ${storyboard}/${phase}/${step}${more}`, 300), '      ', '        '),
    ...(values === '' ? [] : wrapped(shownText(values, 150), '      ', '        ')),
  ];
}

/** Why steps were not run, with their number. */
export function skipLines({ steps, storyboards }: ComplianceRun): readonly string[] {
  const causes = grouped(
    steps.filter(({ result, tried }) => result === 'skipped' && tried !== true),
    ({ skip_reason: reason, skip_detail: detail }) => ({ words: `${reason}: ${detail}` }),
  );
  const whole = storyboards.filter(({ skip_reason: reason }) => reason !== undefined).length;
  if (causes.length + whole === 0) return [];
  const rest = causes.slice(MAX_SKIPS).reduce((sum, one) => sum + one.steps.length, 0);
  const skipped = causes.reduce((sum, one) => sum + one.steps.length, 0);
  return [
    '',
    `not run: ${counted(skipped, 'step')}${whole === 0 ? '' : `, and all of ${counted(whole, 'storyboard')}`}`,
    ...causes
      .slice(0, MAX_SKIPS)
      .flatMap(({ words, steps: all }) =>
        wrapped(`– ${counted(all.length, 'step')}: ${shownText(words, 130)}`, '  ', '      '),
      ),
    ...(rest === 0 ? [] : [`  … and ${counted(rest, 'step')} for other reasons`]),
  ];
}

function grouped(
  steps: readonly StepResult[],
  causeOf: (step: StepResult) => Omit<Cause, 'steps'>,
): readonly Cause[] {
  const causes = new Map<string, Cause>();
  for (const step of steps) {
    const cause = causeOf(step);
    const known = causes.get(cause.words);
    if (known === undefined) causes.set(cause.words, { ...cause, steps: [step] });
    else known.steps.push(step);
  }
  return [...causes.values()].toSorted((a, b) => b.steps.length - a.steps.length);
}

/** The same words for the same fault: items of a list are one place, and what the author says of the check is left out. */
function wordsOf({ check, message, actual }: CheckResult): string {
  const plain = message.replace(/ \([^()]*(?:\([^()]*\)[^()]*)*\)$/, '').replaceAll(/\/\d+(?=\/| |$)/g, '/*');
  const code =
    typeof actual === 'object' && actual !== null && 'code' in actual ? `: ${String(actual.code)}` : '';
  return `${plain}${check.startsWith('expect_') ? code : ` (${check})`}`;
}

function json(value: unknown): string {
  return shownText(JSON.stringify(value) ?? 'nothing', 70);
}

/** Words on lines of at most 80 columns; what is longer than a line stands on its own. */
export function wrapped(text: string, first = '', other = first, width = WIDTH): readonly string[] {
  const lines: string[] = [];
  let line = first;
  for (const word of text.split(' ')) {
    const next = line.trim() === '' ? `${line}${word}` : `${line} ${word}`;
    if (plainLength(next) <= width || line.trim() === '') line = next;
    else {
      lines.push(line.trimEnd());
      line = `${other}${word}`;
    }
  }
  return [...lines, line];
}

/** Without the colours. */
function plainLength(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours are what is left out
  return text.replaceAll(/\u001b\[\d+m/g, '').length;
}
