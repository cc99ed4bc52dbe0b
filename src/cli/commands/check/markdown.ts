import type { StoryboardResult } from '../../../compliance/run-result.ts';
import { type StoryboardOutcome, shownOutcome } from '../../../domain/judged-run.ts';
import { failedStepLines } from '../../output/failed-steps.ts';
import { counted, duration, plainText } from '../../output/print.ts';
import { shownText } from '../../output/show-value.ts';
import { visible } from '../../output/visible.ts';
import { againAsHere } from './again.ts';
import {
  type Cause,
  failureCauses,
  incompleteStoryboards,
  limitationTexts,
  skipReasons,
  slowCalls,
  unansweredCauses,
} from './causes.ts';
import type { CheckReport } from './text.ts';

/** The step summary of GitHub takes 1 MiB. */
const MAX_STEPS = 100;
const MAX_ITEMS = 20;
const MAX_STEP_LINES = 60;
const MAX_TEXT = 300;

const MARKS: Readonly<Record<StoryboardOutcome, string>> = {
  pass: '✅',
  fail: '❌',
  incomplete: '⚠️',
  skipped: '➖',
};
const STATUS_MARKS = { passing: '✅', degraded: '⚠️', failing: '❌', unknown: '❔' } as const;

/**
 * The run as Markdown, for the step summary of GitHub. Texts of strangers are in code spans and code blocks only, where
 * Markdown, HTML, links and mentions have no effect.
 */
export function markdownReport(report: CheckReport): string {
  const { run, verdict } = report;
  const { agent, inconclusive, unread, blocked_by: blocked } = run;
  const kind = [
    ...(run.partial === true ? ['partial run'] : []),
    ...(run.dry_run ? ['dry run'] : []),
    ...(run.outcome === 'complete' ? [] : [run.outcome]),
  ];
  return [
    `## ${STATUS_MARKS[verdict.status]} ${verdict.status}`,
    '',
    `${code(run.agent_url)}${agent === null ? '' : `, ${agent.protocol.toUpperCase()}`}, bundle ${code(run.proto_version ?? 'without a version')}, ${duration(run.duration_ms)}${kind.length === 0 ? '' : ` (${kind.join(', ')})`}`,
    '',
    plain(verdict.headline),
    '',
    ...(blocked === undefined
      ? []
      : [
          `**Blocked:** ${code(blocked.task)} was refused${blocked.code === undefined ? '' : ` (${code(blocked.code)})`} in ${code(blocked.step)}, so ${counted(blocked.steps_skipped, 'step')} could not run.${blocked.message === '' ? '' : ` Message of the agent: ${code(blocked.message)}`}`,
          '',
        ]),
    ...(inconclusive === undefined ? [] : [`**Inconclusive:** ${code(inconclusive.detail)}`, '']),
    ...(unread === undefined
      ? []
      : [
          `${code(unread.request)}: ${code(unread.message)}${unread.words === undefined ? '' : `. Message of the agent: ${code(unread.words)}`}`,
          '',
        ]),
    ...(run.unreachable === undefined
      ? []
      : [`**Unreachable:** ${code(run.unreachable.error_class)}: ${code(run.unreachable.message)}`, '']),
    ...list('No valid answer', unansweredCauses(run).map(causeText)),
    ...list('Failures', failureCauses(run).map(causeText)),
    ...list('Slow', slowCalls(run).map(code)),
    ...list(
      'Incomplete storyboards',
      incompleteStoryboards(run).map(
        ({ storyboard, reason, state }) => `${code(storyboard.storyboard_id)}: ${state}: ${code(reason)}`,
      ),
    ),
    ...storyboardTable(run.storyboards),
    ...failedSteps(report),
    ...details('Skipped', skipReasons(run).map(code)),
    ...details(
      'Not evaluated by this runner (does not count against the agent)',
      limitationTexts(run).map(code),
    ),
    '',
  ].join('\n');
}

function causeText({ tasks, words, steps, agentWords }: Cause): string {
  const said = agentWords === undefined ? '' : `. Message of the agent: ${code(agentWords)}`;
  return `${code(tasks.join(', '))}: ${code(words)} (${counted(steps.length, 'step')})${said}`;
}

function list(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  return [`### ${title}`, '', ...bullets(items), ''];
}

function details(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  return [`<details><summary>${title}</summary>`, '', ...bullets(items), '', '</details>', ''];
}

function bullets(items: readonly string[]): readonly string[] {
  const rest = items.length - MAX_ITEMS;
  return [
    ...items.slice(0, MAX_ITEMS).map((item) => `- ${item}`),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ];
}

function storyboardTable(storyboards: readonly StoryboardResult[]): readonly string[] {
  const ran = storyboards.filter(({ result }) => result !== 'skipped');
  if (ran.length === 0) return [];
  return [
    '### Storyboards',
    '',
    '| | storyboard | track | passed | failed | skipped | time |',
    '|---|---|---|--:|--:|--:|--:|',
    ...ran.map(
      (one) =>
        `| ${MARKS[shownOutcome(one)]} | ${cell(one.storyboard_id)} | ${cell(one.track)} | ${one.steps_passed} | ${one.steps_failed} | ${one.steps_skipped} | ${duration(one.duration_ms)} |`,
    ),
    '',
    ...(ran.length === storyboards.length
      ? []
      : [`${counted(storyboards.length - ran.length, 'storyboard')} skipped.`, '']),
  ];
}

function failedSteps({ run, flags }: CheckReport): readonly string[] {
  const failed = run.steps.filter(({ result }) => result === 'fail');
  const rest = failed.length - MAX_STEPS;
  if (failed.length === 0) return [];
  return [
    '### Failed steps',
    '',
    ...failed.slice(0, MAX_STEPS).flatMap((step) => {
      const { storyboard_id: storyboard, phase_id: phase, step_id: id, task } = step;
      const lines = failedStepLines(step, againAsHere(run.agent_url, step, flags), 'beginning');
      // the command is in the last line
      const shown =
        lines.length > MAX_STEP_LINES ? [...lines.slice(0, MAX_STEP_LINES - 1), ...lines.slice(-1)] : lines;
      return [
        `<details><summary><code>${html(`${storyboard}/${phase}/${id} (${task})`)}</code></summary>`,
        '',
        ...block(plainText(shown)),
        '',
        '</details>',
        '',
      ];
    }),
    ...(rest > 0 ? [`and ${counted(rest, 'more failed step')}`, ''] : []),
  ];
}

/** A code span (CommonMark 6.1) that ends where it should, whatever is in the text. */
function code(text: string): string {
  const line = shownText(text, MAX_TEXT).trim() || ' ';
  const fence = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A code span in a cell of a table, where GitHub reads `\|` as a bar. */
function cell(text: string): string {
  return code(text).replaceAll('|', '\\|');
}

/** A fenced code block that no line of the text can end. */
function block(text: string): readonly string[] {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return [`${fence}text`, text, fence];
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** A sentence of ours that may name a storyboard: marks of Markdown are escaped (CommonMark 2.4), and URLs make no links. */
function plain(text: string): string {
  return visible(text)
    .replaceAll(/[\\`*_{}[\]<>#|~&@]/g, (mark) => `\\${mark}`)
    .replaceAll('://', ':\\//');
}

/** Inside of an HTML element, where Markdown is not read. */
function html(text: string): string {
  return visible(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
