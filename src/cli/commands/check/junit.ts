import type { StoryboardResult } from '../../../compliance/run-result.ts';
import type { StepResult } from '../../../compliance/step-result.ts';
import { failedStepLines } from '../../output/failed-steps.ts';
import { plainText } from '../../output/print.ts';
import { againAsHere } from './again.ts';
import type { CheckReport } from './text.ts';

/**
 * The run as JUnit XML, as CI systems read it: a test suite for each storyboard and a test case for each step. What keeps the
 * agent from passing without a failed step is an error of its own, so that no reader takes the run for a success.
 */
export function junitReport(report: CheckReport): string {
  const { run } = report;
  const suites = run.storyboards.map((storyboard) => suiteOf(storyboard, report));
  const verdict = verdictSuite(report);
  const all = [...(verdict === undefined ? [] : [verdict]), ...suites];
  const sum = (count: (suite: Suite) => number) => all.reduce((total, suite) => total + count(suite), 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({
      name: `agent-registry check ${run.agent_url}`,
      tests: sum(({ cases }) => cases.length),
      failures: sum((suite) => countOf(suite, 'failure')),
      errors: sum((suite) => countOf(suite, 'error')),
      skipped: sum((suite) => countOf(suite, 'skipped')),
      time: seconds(run.duration_ms),
      timestamp: run.started_at.slice(0, 19),
    })}>`,
    ...all.flatMap((suite) => suiteLines(suite, run.started_at)),
    '</testsuites>',
    '',
  ].join('\n');
}

interface Suite {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly durationMs: number;
  readonly cases: readonly Case[];
}

interface Case {
  readonly className: string;
  readonly name: string;
  readonly durationMs: number;
  readonly outcome?: Outcome;
  /** What is worth reading of a step that passed or was skipped. */
  readonly output?: string;
}

interface Outcome {
  readonly kind: 'failure' | 'error' | 'skipped';
  readonly message: string;
  readonly type?: string;
  readonly text?: string;
}

function suiteOf(storyboard: StoryboardResult, report: CheckReport): Suite {
  const {
    storyboard_id: id,
    title,
    track,
    result,
    duration_ms: durationMs,
    skip_detail: skipped,
  } = storyboard;
  const steps = report.run.steps.filter(({ storyboard_id: own }) => own === id);
  const whole: Case = {
    className: id,
    name: title,
    durationMs: 0,
    outcome: { kind: 'skipped', message: skipped ?? 'no step ran' },
  };
  return {
    name: id,
    properties: { title, track, result },
    durationMs,
    cases: steps.length === 0 ? [whole] : steps.map((step) => caseOf(step, report)),
  };
}

function caseOf(step: StepResult, report: CheckReport): Case {
  const { storyboard_id: storyboard, phase_id: phase, step_id: id, title, duration_ms: durationMs } = step;
  const outcome = outcomeOf(step, report);
  const notes = [
    ...step.checks.flatMap(({ advice, message }) => (advice === true ? [`recommendation: ${message}`] : [])),
    ...(step.not_evaluated ?? []).map((name) => `not evaluated by this runner: ${name}`),
  ];
  return {
    className: `${storyboard}.${phase}`,
    name: `${id}: ${title}`,
    durationMs,
    ...(outcome && { outcome }),
    ...(notes.length > 0 && { output: notes.join('\n') }),
  };
}

function outcomeOf(step: StepResult, { run, flags }: CheckReport): Outcome | undefined {
  if (step.result === 'pass') return undefined;
  if (step.result === 'skipped')
    return { kind: 'skipped', message: `${step.skip_reason ?? 'skipped'}: ${step.skip_detail ?? ''}` };
  const failed = step.checks.find(({ result }) => result === 'fail');
  const lines = failedStepLines(step, againAsHere(run.agent_url, step, flags), 'beginning');
  return {
    kind: 'failure',
    message: failed?.message ?? 'failed',
    type: step.no_answer === undefined ? (failed?.check ?? 'failed') : step.no_answer.error_class,
    text: plainText(lines),
  };
}

/** Absent where the steps say it all: the agent passes, or a step failed. */
function verdictSuite({ run, verdict }: CheckReport): Suite | undefined {
  if (verdict.status === 'passing' || run.totals.steps.failed > 0) return undefined;
  const outcome: Outcome = {
    kind: 'error',
    message: verdict.headline,
    type: run.inconclusive?.reason ?? run.unreachable?.error_class ?? verdict.status,
  };
  const name = `the agent is ${verdict.status}`;
  return {
    name: 'verdict',
    properties: {},
    durationMs: 0,
    cases: [{ className: 'verdict', name, durationMs: 0, outcome }],
  };
}

function suiteLines(suite: Suite, startedAt: string): readonly string[] {
  const { name, properties, durationMs, cases } = suite;
  const named = Object.entries(properties);
  return [
    `  <testsuite${attributes({
      name,
      tests: cases.length,
      failures: countOf(suite, 'failure'),
      errors: countOf(suite, 'error'),
      skipped: countOf(suite, 'skipped'),
      time: seconds(durationMs),
      timestamp: startedAt.slice(0, 19),
    })}>`,
    ...(named.length === 0
      ? []
      : [
          '    <properties>',
          ...named.map(([key, value]) => `      <property${attributes({ name: key, value })}/>`),
          '    </properties>',
        ]),
    ...cases.flatMap(caseLines),
    '  </testsuite>',
  ];
}

function caseLines({ className, name, durationMs, outcome, output }: Case): readonly string[] {
  const head = `    <testcase${attributes({ name, classname: className, time: seconds(durationMs) })}`;
  if (outcome === undefined && output === undefined) return [`${head}/>`];
  return [
    `${head}>`,
    ...(outcome === undefined ? [] : [outcomeLine(outcome)]),
    ...(output === undefined ? [] : [`      <system-out>${escaped(output)}</system-out>`]),
    '    </testcase>',
  ];
}

function outcomeLine({ kind, message, type, text }: Outcome): string {
  const head = `      <${kind}${attributes({ message, ...(type !== undefined && { type }) })}`;
  return text === undefined ? `${head}/>` : `${head}>${escaped(text)}</${kind}>`;
}

function countOf({ cases }: Suite, kind: Outcome['kind']): number {
  return cases.filter(({ outcome }) => outcome?.kind === kind).length;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replaceAll(/[\t\n\r]/g, ' ')}"`)
    .join('');
}

/** Characters that XML 1.0 does not allow (section 2.2), escaped or not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '')
    .replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '');
}
