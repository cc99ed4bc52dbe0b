import { textWidth } from '../../../base/text-width.ts';
import type { ComplianceRun, StoryboardResult } from '../../../compliance/run-result.ts';
import type { StepResult } from '../../../compliance/step-result.ts';
import {
  type Result,
  type StoryboardOutcome,
  shownOutcome,
  type Verdict,
} from '../../../domain/judged-run.ts';
import { failedStepLines, saysWanted } from '../../output/failed-steps.ts';
import { counted, duration, paint, table } from '../../output/print.ts';
import { failureHint } from '../../output/probe-answer.ts';
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
import type { CheckFlags } from './flags.ts';
import type { RecordedRun } from './record.ts';

const WIDTH = 80;
/** So many causes are shown with their steps, and so many more by their name alone. */
const MAX_CAUSES = 5;
const MAX_NAMED_CAUSES = 10;
const MAX_INCOMPLETE = 5;
const MAX_LIMITATIONS = 5;
const MAX_SKIPS = 6;
const MAX_WORDS_LINE = 240;
const MAX_FAILED_STEPS = 200;

const MARKS: Readonly<Record<StoryboardOutcome, string>> = {
  pass: '✓',
  fail: '✗',
  incomplete: '◐',
  skipped: '–',
};
const COLOURS = { pass: 'green', fail: 'red', incomplete: 'yellow', skipped: 'dim' } as const;

/** A run with what else its report shows. */
export interface CheckReport {
  readonly run: ComplianceRun;
  readonly verdict: Verdict;
  readonly flags: CheckFlags;
  readonly recorded?: RecordedRun;
}

/** The report for people: what decides comes first, so that the first screen names each failure and its cause. */
export function textLines({ run, verdict, flags, recorded }: CheckReport): readonly string[] {
  const isVerbose = flags.verbose === true;
  const causes = { unanswered: unansweredCauses(run), failures: failureCauses(run) };
  return [
    ...headLines(run, verdict),
    ...summaryLines(run, verdict),
    ...blockedLines(run, flags),
    ...unclearLines(run),
    ...unreachableLines(run),
    ...whatToDoLines(run, flags),
    ...unansweredLines(run, causes.unanswered, flags),
    ...failureLines(run, causes.failures, flags),
    ...slowLines(run),
    ...incompleteLines(run, isVerbose),
    ...(isVerbose ? failedSteps(run, flags) : []),
    ...skipLines(run, isVerbose),
    ...(isVerbose ? storyboardLines(run) : trackLines(run)),
    ...limitationLines(run, isVerbose),
    ...remarkLines(run),
    ...(recorded === undefined
      ? []
      : [`recorded as ${run.run_id}; status of the agent: GET ${recorded.compliance_path}`]),
  ];
}

function headLines(
  { agent_url: url, agent, outcome, dry_run: dry, duration_ms: ms, ...run }: ComplianceRun,
  { specialism_status: came }: Verdict,
): readonly string[] {
  const at = agent === null || agent.endpoint === url ? '' : ` at ${visible(agent.endpoint)}`;
  const how = agent === null ? [] : [`${agent.protocol.toUpperCase()}${at}`];
  const bundle = run.proto_version === null ? [] : [`bundle ${run.proto_version}`];
  if (run.schemas) bundle.push(`schemas ${shownText(run.schemas.version ?? run.schemas.digest, 32)}`);
  const marks = [
    ...(dry ? ['dry run'] : []),
    ...(run.partial === true ? ['partial run'] : []),
    ...(outcome === 'complete' ? [] : [outcome]),
  ];
  const head = wrapped(
    [paint('bold', visible(url)), ...how, ...bundle, duration(ms), ...marks].join('  '),
    '',
    '  ',
  );
  if (agent === null) return head;
  const declared = [
    ...(agent.supported_protocols.length > 0 ? [`protocols ${agent.supported_protocols.join(', ')}`] : []),
    ...(agent.specialisms.length > 0
      ? [
          `specialisms ${agent.specialisms.map((name) => withStatus(name, run.partial === true ? undefined : came[name])).join(', ')}`,
        ]
      : []),
    `sandbox ${agent.sandbox ? 'yes' : 'no'}`,
    `test controller ${agent.test_controller ? 'yes' : 'no'}`,
  ];
  return [...head, ...wrapped(shownText(declared.join('; '), 600), '  ')];
}

/** A specialism that passes needs no word. */
function withStatus(name: string, status: string | undefined): string {
  return status === undefined || status === 'pass' ? name : `${name} (${status})`;
}

function summaryLines(run: ComplianceRun, { status, headline }: Verdict): readonly string[] {
  const { storyboards, steps } = run.totals;
  const is = run.dry_run || run.partial === true ? 'The agent would be' : 'The agent is';
  return [
    ...(run.outcome === 'inconclusive'
      ? inconclusiveLines(run)
      : wrapped(`${is} ${paint('bold', status)}: ${shownText(headline, 600)}`, '', '  ')),
    ...(run.agent === null
      ? []
      : [
          `${counted(storyboards.total, 'storyboard')}: ${storyboards.passed} passed, ${storyboards.failed} failed, ${storyboards.incomplete} incomplete, ${storyboards.skipped} skipped`,
          `${counted(steps.total, 'step')}: ${steps.passed} passed, ${steps.failed} failed, ${steps.skipped} skipped; ${counted(run.requests, 'request')}`,
        ]),
  ];
}

function blockedLines({ blocked_by: by }: ComplianceRun, flags: CheckFlags): readonly string[] {
  if (by === undefined) return [];
  const code = by.code === undefined ? '' : ` (${by.code})`;
  const as = `as ${flags.as}, operator ${flags.operator ?? new URL(flags.as).hostname}, brand ${flags.brand}${flags.account === undefined ? '' : `, account ${flags.account}`}`;
  const signed = flags.sign === undefined ? 'unsigned' : 'signed';
  const token = flags.auth === undefined && flags.authEnv === undefined ? 'without a token' : 'with a token';
  const help = [
    '--brand DOMAIN, --operator DOMAIN (a buyer that the agent accepts)',
    ...(token === 'with a token'
      ? ['--auth-env NAME (the token of that buyer)']
      : ['--auth-env NAME (a token)']),
    ...(flags.sign === undefined ? ['--sign KEY (signed requests)'] : []),
  ];
  return paragraph(
    wrapped(
      shownText(
        `Blocked: ${by.task} was refused${code} in ${by.step}; ${counted(by.steps_skipped, 'later step')} could not run`,
        400,
      ),
      '',
      '  ',
    ),
    [
      ...(by.message === '' ? [] : quoted(by.message)),
      ...wrapped(shownText(`this run acted ${as}, ${token}, ${signed}`, 400), '  ', '    '),
      ...wrapped(`try: ${help.join(', ')}`, '  ', '    '),
    ],
  );
}

/** What the agent declares and could not be read: storyboards for it are missing from the run. */
function unclearLines({ unclear_declarations: found = [] }: ComplianceRun): readonly string[] {
  return found.flatMap(({ severity, pointer, message }) =>
    wrapped(shownText(`${severity}: ${pointer}: ${message}`, 500), '', '  '),
  );
}

function unreachableLines({ unreachable, inconclusive, agent_url: url }: ComplianceRun): readonly string[] {
  if (unreachable === undefined) return [];
  const { error_class: errorClass, message, http_status: status, words } = unreachable;
  // an inconclusive run says itself what to do
  const seen = { ...(words !== undefined && { words }), ...(status !== undefined && { status }) };
  const hint = inconclusive === undefined ? failureHint(errorClass, url, seen) : undefined;
  const http = status === undefined || message.includes(String(status)) ? '' : ` (HTTP ${status})`;
  return [
    ...wrapped(`${paint('red', errorClass)}: ${shownText(message)}${http}`, '  ', '    '),
    ...(words === undefined ? [] : quoted(words)),
    ...(hint === undefined ? [] : wrapped(`hint: ${hint}`, '  ', '    ')),
  ];
}

function inconclusiveLines({ inconclusive }: ComplianceRun): readonly string[] {
  const why = inconclusive === undefined ? '' : `: ${shownText(inconclusive.detail)}`;
  return wrapped(`${paint('yellow', 'Inconclusive')}${why}. The status of the agent is unchanged.`, '', '  ');
}

function whatToDoLines(run: ComplianceRun, flags: CheckFlags): readonly string[] {
  const { inconclusive, unread } = run;
  if (inconclusive === undefined) return [];
  return [
    ...(unread === undefined ? [] : unreadLines(unread)),
    ...wrapped(`what to do: ${todoOf(run, flags)}`, '  ', '    '),
  ];
}

function unreadLines(unread: NonNullable<ComplianceRun['unread']>): readonly string[] {
  const { request, http_status: status, content_type: type, message, words, retried } = unread;
  const http = status === undefined ? message : `HTTP ${status}${type === undefined ? '' : ` ${type}`}`;
  const again = retried === true ? ', and again after a retry' : '';
  return [
    ...wrapped(shownText(`${request}: ${http}${again}`), '  ', '    '),
    ...(words === undefined ? [] : quoted(words)),
  ];
}

function todoOf({ inconclusive, agent_url: url }: ComplianceRun, flags: CheckFlags): string {
  const agent = shownText(url, 300);
  switch (inconclusive?.reason) {
    case 'auth_required':
      return inconclusive.lacks === 'signing_key'
        ? 'sign the requests with a key that the agent accepts: --sign KEY'
        : 'pass a token with --auth-env NAME';
    case 'declaration_unread':
      return `see the answers of the agent with agent-registry probe ${agent}, then run the check again`;
    case 'own_deadline':
      return `increase the time limit: --deadline ${Math.min(flags.deadline * 3, 7_200)}`;
    case 'own_network':
      return 'check the network of this machine, then run the check again';
    case 'request_budget':
      return 'select fewer storyboards with --only or --track';
    case 'own_fault':
      return flags.replay === undefined
        ? 'run the check again; if the error persists, report it with the lines above'
        : 'the saved run has no answer to a step of these storyboards; save a new run with --save';
    default:
      return 'run the check again';
  }
}

function unansweredLines(run: ComplianceRun, causes: readonly Cause[], flags: CheckFlags): readonly string[] {
  const steps = causes.reduce((sum, cause) => sum + cause.steps.length, 0);
  if (steps === 0) return [];
  return paragraph([`No valid answer in ${counted(steps, 'step')}:`], shownCauses(run, causes, flags));
}

function failureLines(run: ComplianceRun, causes: readonly Cause[], flags: CheckFlags): readonly string[] {
  const steps = causes.reduce((sum, cause) => sum + cause.steps.length, 0);
  if (steps === 0) return [];
  return paragraph(
    [`${counted(steps, 'step')} failed, for ${counted(causes.length, 'reason')}:`],
    shownCauses(run, causes, flags),
  );
}

function shownCauses(run: ComplianceRun, causes: readonly Cause[], flags: CheckFlags): readonly string[] {
  const shown = flags.verbose === true ? causes.length : MAX_CAUSES + MAX_NAMED_CAUSES;
  const named = causes.slice(MAX_CAUSES, shown);
  const rest = causes.slice(shown);
  const steps = rest.reduce((sum, cause) => sum + cause.steps.length, 0);
  return [
    ...causes.slice(0, MAX_CAUSES).flatMap((cause) => causeLines(run, cause, flags)),
    ...named.flatMap(causeHead),
    ...(rest.length === 0
      ? []
      : [
          `  … and ${counted(steps, 'step')} for ${counted(rest.length, 'other reason')}: --verbose shows them`,
        ]),
  ];
}

function causeHead({ tasks, words, steps }: Cause): readonly string[] {
  const named =
    tasks.length > 3 ? `${tasks.slice(0, 3).join(', ')} and ${tasks.length - 3} more` : tasks.join(', ');
  return wrapped(
    `${paint('red', '✗')} ${shownText(`${named}: ${words}`, MAX_WORDS_LINE)} (${counted(steps.length, 'step')})`,
    '  ',
    '      ',
  );
}

function causeLines(run: ComplianceRun, cause: Cause, flags: CheckFlags): readonly string[] {
  const { steps, check, agentWords } = cause;
  const [{ storyboard_id: storyboard, phase_id: phase, step_id: step, doc_ref: docs, no_answer: none }] =
    steps;
  const more = steps.length === 1 ? '' : `, and ${counted(steps.length - 1, 'more step')}`;
  const inWords = none !== undefined || check === undefined || saysWanted(check.check);
  const values = [
    ...(inWords || check.expected === undefined ? [] : [`expected ${json(check.expected)}`]),
    ...(inWords || check.actual === undefined ? [] : [`received ${json(check.actual)}`]),
  ].join(', ');
  return [
    ...causeHead(cause),
    ...wrapped(shownText(`in ${storyboard}/${phase}/${step}${more}`, 300), '      ', '        '),
    ...(values === '' ? [] : wrapped(shownText(values, 150), '      ', '        ')),
    ...(agentWords === undefined ? [] : quoted(agentWords, '      ')),
    ...(docs === undefined ? [] : [`      docs: ${shownText(docs)}`]),
    ...command(`repeat: ${againAsHere(run.agent_url, steps[0], flags)}`, '      '),
  ];
}

/** The agent's own words, so that nobody takes them for ours. */
function quoted(words: string, indent = '  '): readonly string[] {
  return wrapped(`message of the agent: “${shownText(words)}”`, indent, `${indent}  `);
}

/** A command on several lines, as a shell reads it; each flag stays on one line with its value. */
function command(text: string, indent: string): readonly string[] {
  const parts = text.includes("\\'") ? [text] : text.split(/ (?=--[a-z])/);
  const lines = joined(parts, indent, `${indent}  `, WIDTH - 2);
  return lines.map((line, index) => (index === lines.length - 1 ? line : `${line} \\`));
}

function slowLines(run: ComplianceRun): readonly string[] {
  const slow = slowCalls(run);
  if (slow.length === 0) return [];
  return paragraph(wrapped(shownText(`Slow: ${slow.join('; ')}`, 600), '', '  '), []);
}

function incompleteLines(run: ComplianceRun, isVerbose: boolean): readonly string[] {
  const all = incompleteStoryboards(run);
  if (all.length === 0) return [];
  const shown = all.slice(0, isVerbose ? all.length : MAX_INCOMPLETE);
  return paragraph(
    [`Incomplete: ${counted(all.length, 'storyboard')}`],
    [
      ...shown.flatMap(({ storyboard, reason, state }) =>
        wrapped(
          `${paint('yellow', MARKS[shownOutcome(storyboard)])} ${shownText(`${storyboard.storyboard_id}: ${state}: ${reason}`, 300)}`,
          '  ',
          '      ',
        ),
      ),
      ...moreLine(all.length - shown.length, 'other storyboard'),
    ],
  );
}

function skipLines(run: ComplianceRun, isVerbose: boolean): readonly string[] {
  const reasons = skipReasons(run);
  if (reasons.length === 0) return [];
  const shown = reasons.slice(0, isVerbose ? reasons.length : MAX_SKIPS);
  return paragraph(
    ['Skipped:'],
    [
      ...shown.flatMap((text) => wrapped(`– ${shownText(text, 300)}`, '  ', '      ')),
      ...moreLine(reasons.length - shown.length, 'other reason'),
    ],
  );
}

function limitationLines(run: ComplianceRun, isVerbose: boolean): readonly string[] {
  const all = limitationTexts(run);
  if (all.length === 0) return [];
  const shown = all.slice(0, isVerbose ? all.length : MAX_LIMITATIONS);
  return paragraph(
    wrapped(
      `This runner cannot evaluate ${counted(all.length, 'part')} of the storyboards, which does not count against the agent:`,
      '',
      '  ',
    ),
    [
      ...shown.flatMap((text) => wrapped(shownText(text, 200), '  ', '    ')),
      ...moreLine(all.length - shown.length, 'other part'),
    ],
  );
}

function moreLine(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [`  … and ${counted(count, noun)}: --verbose shows them`];
}

/** A line for each track; `--verbose` has its storyboards. */
function trackLines({ storyboards }: ComplianceRun): readonly string[] {
  const byTrack = Map.groupBy(storyboards, ({ track }) => track);
  const rows = [...byTrack].map(([track, own]) => {
    const of = (result: StoryboardOutcome) => own.filter((one) => shownOutcome(one) === result).length;
    const counts = (['pass', 'fail', 'incomplete', 'skipped'] as const).flatMap((one) =>
      of(one) > 0 ? [`${of(one)} ${one}`] : [],
    );
    const result = resultOf(own);
    return [`${paint(COLOURS[result], MARKS[result])} ${shownText(track, 32)}`, counts.join(', ')];
  });
  return rows.length === 0
    ? []
    : paragraph(
        ['Tracks:'],
        table(rows)
          .split('\n')
          .map((line) => `  ${line}`),
      );
}

function resultOf(storyboards: readonly StoryboardResult[]): Result | 'incomplete' {
  const has = (result: StoryboardOutcome) => storyboards.some((one) => shownOutcome(one) === result);
  if (has('fail')) return 'fail';
  if (has('incomplete')) return 'incomplete';
  return has('pass') ? 'pass' : 'skipped';
}

function storyboardLines({ storyboards, steps }: ComplianceRun): readonly string[] {
  const tracks = [...new Set(storyboards.map(({ track }) => track))];
  return paragraph(
    [],
    tracks.flatMap((track) => {
      const own = storyboards.filter((storyboard) => storyboard.track === track);
      const result = resultOf(own);
      const lines = table(own.map((one) => [one.storyboard_id, outcomeOf(one, steps)])).split('\n');
      return [
        `${paint(COLOURS[result], MARKS[result])} ${paint('bold', shownText(track, 64))}`,
        ...lines.map((line, index) => {
          const one = own[index];
          const mark = one === undefined ? 'skipped' : shownOutcome(one);
          return `    ${paint(COLOURS[mark], MARKS[mark])}  ${line}`;
        }),
      ];
    }),
  );
}

function outcomeOf({ title, ...storyboard }: StoryboardResult, steps: readonly StepResult[]): string {
  const {
    steps_passed: passed,
    steps_failed: failed,
    steps_skipped: skipped,
    skip_detail: detail,
    coverage_gap: gap,
  } = storyboard;
  const gapText = gap ? ' (coverage gap)' : '';
  if (detail !== undefined) return shownText(detail, 160) + gapText;
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  const why = storyboard.result === 'skipped' ? whySkipped(storyboard.storyboard_id, steps) : '';
  return `${shownText(title, 80)}: ${counts.join(', ')}${gapText}${why}`;
}

/** Of the first step, which is usually the reason of the others too. */
function whySkipped(storyboard: string, steps: readonly StepResult[]): string {
  const first = steps.find(({ storyboard_id: id }) => id === storyboard);
  return first?.skip_detail === undefined ? '' : `: ${shownText(first.skip_detail, 160)}`;
}

/** Each failed step with its checks, the exchanged messages and the command that repeats it. */
function failedSteps(run: ComplianceRun, flags: CheckFlags): readonly string[] {
  const failed = run.steps.filter(({ result }) => result === 'fail');
  return [
    ...failed
      .slice(0, MAX_FAILED_STEPS)
      .flatMap((step) => [
        '',
        ...failedStepLines(step, againAsHere(run.agent_url, step, flags), 'beginning'),
      ]),
    ...(failed.length > MAX_FAILED_STEPS
      ? [`… and ${counted(failed.length - MAX_FAILED_STEPS, 'more failed step')}: --json shows all`]
      : []),
  ];
}

/** Notices and observations that no other part of the report shows. */
const SHOWN_ELSEWHERE: readonly string[] = [
  'dry_run',
  'credential_missing',
  'declaration_unclear',
  'runner_limitations',
  'storyboard_unusable',
];
const COVERED: readonly string[] = ['performance', 'coverage'];

function remarkLines({ notices, observations }: ComplianceRun): readonly string[] {
  const lines = [
    ...notices.filter(({ code }) => !SHOWN_ELSEWHERE.includes(code)),
    ...observations.filter(({ category }) => !COVERED.includes(category)),
  ].flatMap(({ severity, message }) =>
    wrapped(`${shownText(severity, 32)}: ${shownText(message)}`, '', '  '),
  );
  return lines.length === 0 ? [] : paragraph([], lines);
}

function paragraph(head: readonly string[], lines: readonly string[]): readonly string[] {
  return ['', ...head, ...lines];
}

function json(value: unknown): string {
  return shownText(JSON.stringify(value) ?? 'nothing', 70);
}

/** Words on lines of at most 80 columns; a longer word has a line of its own. */
function wrapped(text: string, first = '', other = first): readonly string[] {
  return joined(text.split(' '), first, other, WIDTH);
}

function joined(parts: readonly string[], first: string, other: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = first;
  for (const part of parts) {
    const next = line.trim() === '' ? `${line}${part}` : `${line} ${part}`;
    if (textWidth(next) <= width || line.trim() === '') line = next;
    else {
      lines.push(line.trimEnd());
      line = `${other}${part}`;
    }
  }
  return [...lines, line];
}
