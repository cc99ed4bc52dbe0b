import { elements, isObject, type JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { inFull } from '../../calling/failure.ts';
import { inEitherName } from '../../protocol/field-names.ts';
import type { SchemaSet } from '../../protocol/schema-set.ts';
import { VOCABULARY_NAMES, type VocabularyName } from '../../protocol/vocabulary.ts';
import { codeOf, saidNo } from '../checks/answers.ts';
import { isKnownCheck, runCheck } from '../checks/table.ts';
import { boundedCheck } from '../conversation/evidence.ts';
import { firstAt } from '../json-path.ts';
import type { CheckResult, StepResult } from '../step-result.ts';
import type { ContextOutput, Phase, Step, Validation } from '../storyboard.ts';
import { type Context, fill, type RunValues } from './context.ts';
import { isRequired } from './limitations.ts';

/** A step with its answer. */
interface AnsweredStep {
  readonly step: Step;
  readonly answer: TaskAnswer;
  readonly context: Context;
  readonly run: RunValues;
  /** By whose schemas answers are judged. */
  readonly version: string;
  readonly schemas?: SchemaSet;
  /** Whose demands decide; what the others ask for is advice. */
  readonly demands: VocabularyName;
  /** What the task of the answer came to later, where the step keeps something of it. */
  readonly completion?: JsonObject;
  /** The tool that was called, where the agent does not list it. */
  readonly missingTool?: string;
  /** Checks that fail by what other steps said. */
  readonly broken?: readonly CheckResult[];
  /** As it was sent. */
  readonly request?: JsonObject;
  /** Names of what the agent lists; absent where the list may be incomplete. */
  readonly tools?: ReadonlySet<string>;
  /** All answers to the step, where its request was sent several times at once. */
  readonly answers?: readonly TaskAnswer[];
}

/** The values that a step keeps for later ones, and its checks. */
interface StepJudgement {
  readonly passed: boolean;
  readonly checks: readonly CheckResult[];
  readonly kept: ReadonlyMap<string, unknown>;
}

/** Holds an answer against its step: whether the agent had to agree, every check, and what is to be kept. Pure. */
export function judgeStep(answered: AnsweredStep): StepJudgement {
  const { step, answer } = answered;
  const payload = payloadFor(answered, answer);
  const outcome = outcomeCheck(answered);
  const kept = new Map<string, unknown>();
  const outputs = outcome.result === 'pass' ? step.outputs : [];
  const whole = answered.completion ? { ...payload, task_completion: answered.completion } : payload;
  const captured = outputs.flatMap((output) => capture(output, whole, kept, answered.demands));
  // the checks of a step may compare two places of its own answer
  const context = { ...answered.context, values: new Map([...answered.context.values, ...kept]) };
  const checks = step.validations.map((one) => validate(one, { ...answered, context }, payload));
  const found = [outcome, ...checks, ...captured, ...(answered.broken ?? [])].map(boundedCheck);
  const all = isObservation(answered)
    ? found.map((one) => (one.result === 'fail' ? asAdvice(one) : one))
    : found;
  return { passed: all.every(({ result }) => result !== 'fail'), checks: all, kept };
}

function payloadFor({ step, schemas }: AnsweredStep, answer: TaskAnswer): JsonObject | undefined {
  const came = asFirst(payloadOf(answer), answer);
  return came && schemas === undefined ? inEitherName(step.task, came) : came;
}

/** When the first answer was lost on the way, the retry is a replay by our own doing and not by the step's. */
function asFirst(payload: JsonObject | undefined, { retried }: TaskAnswer): JsonObject | undefined {
  if (retried !== true || payload?.replayed !== true) return payload;
  const { replayed: _, ...first } = payload;
  return first;
}

/** `severity: advisory` of a step concerns the content of a valid answer. */
function isObservation({ step, answer }: AnsweredStep): boolean {
  return step.isAdvisory && answer.outcome !== 'failed';
}

/**
 * Where the paths of checks lead into: the data, or what the refusal stood in, with the error under `error` wherever it
 * was; what the agent itself has there stays, as the public protocol's test controller has a code there.
 */
export function payloadOf(answer: TaskAnswer): JsonObject | undefined {
  if (answer.outcome === 'answered') return answer.data;
  if (answer.outcome === 'failed') return undefined;
  const { object, message } = answer.error;
  const { error: own } = answer.data ?? {};
  return { ...answer.data, error: own === undefined || isObject(own) ? { ...object, message } : own };
}

/** What every step asks, written or not: that the agent did it, or that it said no. */
function outcomeCheck({ step, answer, missingTool }: AnsweredStep): CheckResult {
  const { expectsError, mayRefuse } = step;
  const check = expectsError ? 'expect_error' : 'expect_success';
  if (answer.outcome === 'failed' && !(expectsError && saidNo(answer)))
    return {
      check,
      result: 'fail',
      message: `no valid protocol answer: ${answer.failure.errorClass}`,
      expected: expectsError ? 'a refusal' : 'an answer',
      actual: inFull(answer.failure),
    };
  const refused = saidNo(answer);
  if (refused && mayRefuse) return { check, result: 'pass', message: 'refused, which is allowed' };
  if (refused === expectsError)
    return { check, result: 'pass', message: expectsError ? 'the agent refused' : 'the agent answered' };
  if (expectsError)
    return {
      check,
      result: 'fail',
      message: 'the agent accepted a request that it must refuse',
      expected: 'a refusal',
      actual: 'an answer',
    };
  // servers refuse an unknown tool without a code of the protocol, each in its own words
  const isMissing =
    missingTool !== undefined && answer.outcome === 'refused' && answer.error.code === undefined;
  const message = isMissing ? `missing tool: ${missingTool}` : 'the agent refused';
  return { check, result: 'fail', message, expected: 'an answer', ...actualOf(answer) };
}

function actualOf(answer: TaskAnswer): { readonly actual?: unknown } {
  if (answer.outcome === 'refused')
    return { actual: { ...answer.error.object, message: answer.error.message } };
  const errors = answer.outcome === 'answered' ? elements(answer.data.errors) : [];
  return errors.length > 0 ? { actual: errors[0] } : { actual: codeOf(answer) ?? 'success: false' };
}

function validate(
  template: Validation,
  answered: AnsweredStep,
  payload: JsonObject | undefined,
): CheckResult {
  const { context, run, step, answer, version, schemas, demands, request, tools, answers } = answered;
  const { value, allowed_values: allowed, notEvaluated, check } = template;
  if (notEvaluated !== undefined)
    return { check, result: 'not_applicable', message: `this runner cannot evaluate ${notEvaluated}` };
  const filled = fill({ value, allowed_values: allowed }, context, run);
  if (filled.missing.length > 0) {
    const names = filled.missing.map(({ text }) => text).join(', ');
    return { check, result: 'not_applicable', message: `no value for ${names}` };
  }
  const parts = filled.value as Pick<Validation, 'value' | 'allowed_values'>;
  const validation: Validation = {
    ...template,
    ...(Object.hasOwn(template, 'value') && { value: parts.value }),
    ...(parts.allowed_values !== undefined && { allowed_values: parts.allowed_values }),
  };
  const { responseSchema } = step;
  const result = runCheck({
    validation,
    task: step.task,
    answer,
    payload,
    version,
    demands,
    context: new Map([...context.conventional, ...context.values]),
    agentUrl: run.agentUrl,
    prior: context.prior,
    ...(request && { request }),
    ...(tools && { tools }),
    ...(answers && { responses: answers.map((one) => payloadFor(answered, one)) }),
    ...(schemas && { schemas }),
    ...(responseSchema !== undefined && { responseSchema }),
  });
  return adviceOf(result, template, demands);
}

/** A value that is to be kept and is not there is a failure of this step, not of the one that needs it. */
function capture(
  { name, path: own, publicPath, fallback }: ContextOutput,
  payload: JsonObject | undefined,
  kept: Map<string, unknown>,
  demands: VocabularyName,
): readonly CheckResult[] {
  const path = demands === 'adcp' ? (publicPath ?? own) : own;
  if (path === undefined) return [];
  const found = firstAt(payload, path);
  if (found.present && found.value !== null && found.value !== '') {
    kept.set(name, found.value);
    return [];
  }
  if (fallback !== undefined) {
    kept.set(name, fallback.value);
    return [];
  }
  const reason = found.present ? 'is empty' : 'is missing';
  return [
    {
      check: 'capture_path_not_resolvable',
      result: 'fail',
      path,
      pointer: found.pointer,
      message: `${found.pointer || path} ${reason}; later steps need it as ${name}`,
      expected: 'a value',
      ...(found.present && { actual: found.value }),
    },
  ];
}

/*
 * Two tiers of a test: what the protocol of an agent demands decides, and a recommendation is an observation
 * (docs/reference/storyboards.md, Two tiers). Only the content of a valid answer can be a recommendation.
 */

/**
 * Whose demands an agent is held against: ours when it declares our vocabulary, else those of the public protocol. One that
 * declares nothing is held against the smaller part that both demand.
 */
export function demandsOf(tools: ReadonlySet<string>, capabilities: JsonObject): VocabularyName {
  if (tools.has(VOCABULARY_NAMES.proto.capabilitiesTask)) return 'proto';
  if (tools.has(VOCABULARY_NAMES.adcp.capabilitiesTask)) return 'adcp';
  // an agent card may leave out skills that work
  const { proto, adcp } = VOCABULARY_NAMES;
  return isObject(capabilities[proto.section]) && !isObject(capabilities[adcp.section]) ? 'proto' : 'adcp';
}

/** A failed check that is only a recommendation to agents of this vocabulary passes; its message says why. */
function adviceOf(result: CheckResult, validation: Validation, demands: VocabularyName): CheckResult {
  const { advice_for: adviceFor, advice_because: because } = validation;
  const isAdvice = !isRequired(validation) || adviceFor === demands;
  return result.result === 'fail' && isAdvice ? asAdvice(result, because) : result;
}

/** The check as an observation: it passes, and says what could be better. */
function asAdvice({ check, path, pointer, message }: CheckResult, because?: string): CheckResult {
  return {
    check,
    result: 'pass',
    ...(path !== undefined && { path }),
    ...(pointer !== undefined && { pointer }),
    message: because === undefined ? message : `${message}; not required: ${because}`,
    advice: true,
  };
}

/**
 * The result of a step as it counts. A failure to answer counts everywhere. The content of an answer does not count in
 * an optional phase, as a recommendation, or where this runner cannot evaluate what the step asks for; it is kept with
 * its evidence.
 */
export function weighed(
  result: StepResult,
  { optional }: Phase,
  step: Step,
  demands: VocabularyName,
): StepResult {
  if (result.result === 'skipped' || result.no_answer !== undefined) return result;
  const kept = { ...result, result: 'skipped', skip_reason: 'not_applicable', coverage_gap: false } as const;
  const names = notEvaluatedOf(step);
  if (names.length > 0 && isUngraded(step)) {
    const detail = `this runner cannot evaluate ${names.join(', ')}`.slice(0, 300);
    return { ...kept, skip_detail: detail, not_evaluated: names };
  }
  const noted = names.length === 0 ? result : { ...result, not_evaluated: names };
  if (result.result === 'pass') return noted;
  if (step.adviceFor === demands) {
    const because = step.adviceBecause === undefined ? '' : `: ${step.adviceBecause}`;
    return { ...kept, skip_detail: `Recommendation, not counted${because}`.slice(0, 300), advice: true };
  }
  return optional ? { ...kept, skip_detail: 'Failed in an optional phase, not counted', tried: true } : noted;
}

/** Unknown members change what a step does; of checks, one that is known is enough to grade it. */
function isUngraded({ notEvaluated, validations }: Step): boolean {
  const known = validations.filter((one) => one.notEvaluated === undefined && isKnownCheck(one.check));
  return notEvaluated !== undefined || known.length === 0;
}

function notEvaluatedOf({ notEvaluated = [], validations }: Step): readonly string[] {
  const checks = validations.flatMap((one) =>
    isKnownCheck(one.check) ? (one.notEvaluated ?? []) : `the check ${one.check.slice(0, 100)}`,
  );
  return [...new Set([...notEvaluated, ...checks])];
}
