import { isObject, type JsonObject } from '../../base/json.ts';
import { VOCABULARY_NAMES, type VocabularyName } from '../../protocol/vocabulary.ts';
import { isKnownCheck } from '../checks/table.ts';
import type { CheckResult, StepResult } from '../step-result.ts';
import type { Phase, Step, Validation } from '../storyboard.ts';
import { isRequired } from './limitations.ts';

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
export function adviceOf(result: CheckResult, validation: Validation, demands: VocabularyName): CheckResult {
  const { advice_for: adviceFor, advice_because: because } = validation;
  const isAdvice = !isRequired(validation) || adviceFor === demands;
  return result.result === 'fail' && isAdvice ? asAdvice(result, because) : result;
}

/** The check as an observation: it passes, and says what could be better. */
export function asAdvice({ check, path, pointer, message }: CheckResult, because?: string): CheckResult {
  return {
    check,
    result: 'pass',
    ...(path !== undefined && { path }),
    ...(pointer !== undefined && { pointer }),
    message: because === undefined ? message : `${message}; not demanded: ${because}`,
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
    return { ...kept, skip_detail: `recommendation, not counted${because}`.slice(0, 300), advice: true };
  }
  return optional ? { ...kept, skip_detail: 'failed in an optional phase, not counted', tried: true } : noted;
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
