import { isObject, type JsonObject } from '../../base/json.ts';
import type { SchemaSet } from '../../protocol/schema-set.ts';
import { VOCABULARY_NAMES, type VocabularyName } from '../../protocol/vocabulary.ts';
import type { CheckResult, StepResult } from '../step-result.ts';
import type { Phase, Step, Validation } from '../storyboard.ts';

/*
 * Two tiers of a test: what the protocol of an agent demands decides, and what is only advice is an observation
 * (docs/reference/storyboards.md, Two tiers).
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

/** A check that fails where it is only advice has passed, with a word. Our own schemas are advice to whoever follows others. */
export function adviceOf(
  result: CheckResult,
  { check, advice_for: open }: Validation,
  { demands, schemas }: { readonly demands: VocabularyName; readonly schemas?: SchemaSet },
): CheckResult {
  const isOfOurSchema = check === 'response_schema' && demands === 'adcp' && schemas === undefined;
  if (result.result !== 'fail' || !(open === demands || isOfOurSchema)) return result;
  const { path, pointer, message } = result;
  return {
    check,
    result: 'pass',
    ...(path !== undefined && { path }),
    ...(pointer !== undefined && { pointer }),
    message,
    advice: true,
  };
}

/** A failure that is none for the whole is kept with its evidence: in an optional phase, or where the step is only advice. */
export function withoutWeight(
  result: StepResult,
  { optional }: Phase,
  { adviceFor }: Step,
  demands: VocabularyName,
): StepResult {
  if (result.result !== 'fail') return result;
  const kept = { ...result, result: 'skipped', skip_reason: 'not_applicable', coverage_gap: false } as const;
  if (adviceFor === demands)
    return { ...kept, skip_detail: 'it failed, and is advice to an agent of this vocabulary', advice: true };
  return optional ? { ...kept, skip_detail: 'it failed in an optional phase', tried: true } : result;
}
