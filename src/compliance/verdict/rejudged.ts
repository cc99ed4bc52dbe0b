import { isObject, member } from '../../base/json.ts';
import { ERROR_TEXTS, type ErrorClass } from '../../domain/observation.ts';
import { CAPABILITIES_TASKS } from '../../protocol/vocabulary.ts';
import { DOCUMENTS } from '../conversation/consent.ts';
import { totalsOf } from '../run/report.ts';
import type { ComplianceRun, StoryboardResult } from '../run-result.ts';
import type { NoAnswer, SkipReason, StepResult } from '../step-result.ts';

/*
 * What a run that was made under earlier rules comes to under the current ones, as far as its report tells. A later run
 * may find more: what the bundle demands, and what a retry would have answered, is in no report.
 */

/** A report as the current rules would have it, and what differs. */
export interface Rejudged {
  readonly run: ComplianceRun;
  /** One line each, in words of ours and of the bundle; empty when nothing differs. */
  readonly reasons: readonly string[];
}

/**
 * The report under the current rules (docs/reference/compliance.md, Verdicts); undefined when it does not hold what they
 * need: its steps, or the evidence of steps that did not count.
 */
export function rejudged(report: Readonly<Record<string, unknown>>): Rejudged | undefined {
  if (!hasSteps(report)) return undefined;
  const run = report as unknown as ComplianceRun;
  if (run.outcome !== 'complete') return { run, reasons: [] };
  const request = unansweredDeclaration(run);
  if (request !== undefined) return { run: unread(run, request), reasons: [UNREAD_REASON(request)] };
  if (run.steps.some((step) => isUncounted(step) && step.evidence === undefined)) return undefined;
  const steps = run.steps.map(withNoAnswer);
  const storyboards = run.storyboards.map((one) => storyboardOf(one, steps));
  return {
    run: { ...run, steps, storyboards, totals: totalsOf({ storyboards, steps }) },
    reasons: [...stepReasons(run.steps, steps), ...storyboardReasons(run.storyboards, storyboards)],
  };
}

function hasSteps({ steps, storyboards, shortened }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(steps) && Array.isArray(storyboards) && shortened !== 'steps';
}

/** The capabilities task that the agent offers, and that was not answered when storyboards were selected. */
function unansweredDeclaration({ agent, steps }: ComplianceRun): string | undefined {
  if (agent?.capabilities_unread !== true) return undefined;
  const asked = steps.find(
    ({ task, result, evidence }) =>
      CAPABILITIES_TASKS.includes(task) && (result !== 'skipped' || evidence !== undefined),
  );
  if (asked === undefined) return undefined;
  return errorClassOf(asked) === 'auth_required' ? undefined : (asked.evidence?.task ?? asked.task);
}

function unread(run: ComplianceRun, request: string): ComplianceRun {
  const detail = `${request} could not be read, so no storyboard could be selected`;
  return { ...run, outcome: 'inconclusive', inconclusive: { reason: 'declaration_unread', detail } };
}

const UNREAD_REASON = (request: string) =>
  `${request} was not answered when storyboards were selected, so the run is inconclusive (declaration_unread)`;

/** It was called, its answer failed, and that did not count: in an optional phase, or as a recommendation. */
function isUncounted({ tried, advice }: StepResult): boolean {
  return tried === true || advice === true;
}

/** No answer counts in every tier and phase. */
function withNoAnswer(step: StepResult): StepResult {
  const noAnswer = isUncounted(step) ? noAnswerOf(step) : undefined;
  if (noAnswer === undefined) return step;
  const { tried: _tried, advice: _advice, skip_reason: _reason, skip_detail: _detail, ...rest } = step;
  const { coverage_gap: _gap, ...failed } = rest;
  return { ...failed, result: 'fail', no_answer: noAnswer };
}

function noAnswerOf(step: StepResult): NoAnswer | undefined {
  const { task, evidence, checks } = step;
  if (evidence?.outcome !== 'failed' || DOCUMENTS.includes(task)) return undefined;
  const { http_status: status, content_type: type } = evidence;
  // HTTP 400 to 499 is a refusal, and a step may expect one
  const isRefusal = status !== undefined && status >= 400 && status < 500;
  if (isRefusal && checks.some(({ check }) => check === 'expect_error')) return undefined;
  return {
    error_class: errorClassOf(step) ?? 'not_protocol',
    ...(status !== undefined && { http_status: status }),
    ...(type !== undefined && { content_type: type }),
  };
}

function errorClassOf({ evidence }: Pick<StepResult, 'evidence'>): ErrorClass | undefined {
  const name = isObject(evidence?.response) ? member(evidence.response, 'error_class') : undefined;
  return typeof name === 'string' && Object.hasOwn(ERROR_TEXTS, name) ? (name as ErrorClass) : undefined;
}

const LACKING: ReadonlySet<SkipReason | undefined> = new Set([
  'missing_tool',
  'prerequisite_failed',
  'fixture_unavailable',
]);

/** The storyboard by its steps. What does not apply is no gap any more; what our runner could not evaluate is none either. */
function storyboardOf(storyboard: StoryboardResult, steps: readonly StepResult[]): StoryboardResult {
  const own = steps.filter(({ storyboard_id: id }) => id === storyboard.storyboard_id);
  if (own.length === 0) return storyboard;
  const failed = own.filter(({ result }) => result === 'fail').length;
  const passed = own.filter(({ result }) => result === 'pass').length;
  const isGap =
    storyboard.coverage_gap &&
    own.some(
      ({ coverage_gap: gap, skip_reason: reason }) =>
        LACKING.has(reason) || (gap === true && reason !== 'not_applicable'),
    );
  return {
    ...storyboard,
    result: failed > 0 ? 'fail' : passed === 0 ? 'skipped' : isGap ? 'incomplete' : 'pass',
    coverage_gap: isGap,
    steps_passed: passed,
    steps_failed: failed,
    steps_skipped: storyboard.steps_total - passed - failed,
  };
}

const TRANSIENT: ReadonlySet<number | undefined> = new Set([429, 503]);

function stepReasons(before: readonly StepResult[], after: readonly StepResult[]): readonly string[] {
  return after.flatMap((step, at) => {
    const { no_answer: none } = step;
    if (none === undefined || before[at]?.no_answer !== undefined) return [];
    const came = [none.http_status === undefined ? none.error_class : `HTTP ${none.http_status}`];
    if (none.content_type !== undefined) came.push(none.content_type);
    const place = `${step.storyboard_id}/${step.phase_id}/${step.step_id}`;
    const retry = TRANSIENT.has(none.http_status) ? '; the next run tries once more' : '';
    return `${place}: ${step.task} gave no valid answer (${came.join(' ')}), which did not count before${retry}`;
  });
}

function storyboardReasons(
  before: readonly StoryboardResult[],
  after: readonly StoryboardResult[],
): readonly string[] {
  return after.flatMap((one, at) => {
    if (one.result !== 'incomplete' || before[at]?.result === 'incomplete') return [];
    const ran = `${one.steps_passed + one.steps_failed} of ${one.steps_total} steps ran`;
    return `${one.storyboard_id}: incomplete, ${ran}; it used to count as passing`;
  });
}
