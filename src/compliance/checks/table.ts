import type { CheckResult } from '../step-result.ts';
import { challengeOn401, errorCode, httpStatus, refusedFor, responseSchema, statusCode } from './answers.ts';
import {
  type CheckFunction,
  type CheckInput,
  type CheckVerdict,
  crossResponseCountDistinct,
  crossResponseFieldEqual,
  fieldAbsent,
  fieldContains,
  fieldDiffersFromContext,
  fieldEqualsContext,
  fieldLessThan,
  fieldPattern,
  fieldPresent,
  fieldValue,
  fieldValueOrAbsent,
  notApplicable,
  pathOf,
} from './check.ts';
import { addsUp, ownAccount, replayEquals } from './consistency.ts';
import { declaredTasksOffered } from './declaration.ts';
import { refsResolve, resourceEqualsAgentUrl } from './references.ts';

/** Every kind of check. A new one is a function, its test, its line here and its row in docs/reference/storyboards.md. */
const CHECKS: ReadonlyMap<string, CheckFunction> = new Map([
  ['field_value', fieldValue],
  ['field_value_or_absent', fieldValueOrAbsent],
  ['field_present', fieldPresent],
  ['field_absent', fieldAbsent],
  ['field_contains', fieldContains],
  ['field_equals_context', fieldEqualsContext],
  ['field_differs_from_context', fieldDiffersFromContext],
  ['field_less_than', fieldLessThan],
  ['field_pattern', fieldPattern],
  ['cross_response_field_equal', crossResponseFieldEqual],
  ['cross_response_count_distinct', crossResponseCountDistinct],
  // the envelope stands around the data in one object over MCP, and is the task over A2A
  ['envelope_field_present', fieldPresent],
  ['envelope_field_absent', fieldAbsent],
  ['envelope_field_pattern', fieldPattern],
  ['envelope_field_value', fieldValue],
  ['envelope_field_value_or_absent', fieldValueOrAbsent],
  ['refs_resolve', refsResolve],
  ['resource_equals_agent_url', resourceEqualsAgentUrl],
  ['on_401_require_header', challengeOn401],
  ['status_code', statusCode],
  ['response_schema', responseSchema],
  ['error_code', errorCode],
  ['refused_for', refusedFor],
  ['replay_equals', replayEquals],
  ['own_account', ownAccount],
  ['adds_up', addsUp],
  ['declared_tasks_offered', declaredTasksOffered],
  ['http_status', httpStatus],
  ['http_status_in', httpStatus],
]);

/** What an `assert_contribution` step asks: a flag that some step before raised. */
export const CONTRIBUTION_CHECK = 'any_of';

export const KNOWN_CHECKS: readonly string[] = [...CHECKS.keys(), CONTRIBUTION_CHECK];

/** True for a kind that can be looked at here. */
export function isKnownCheck(kind: string): boolean {
  return KNOWN_CHECKS.includes(kind);
}

/** Runs one check; a kind that nobody knows is not applicable, and never a pass. */
export function runCheck(input: CheckInput): CheckResult {
  const { check: kind } = input.validation;
  const check = CHECKS.get(kind);
  const verdict = check === undefined ? notApplicable(`unknown check: ${kind}`) : check(input);
  return resultOf(input, verdict);
}

function resultOf(input: CheckInput, verdict: CheckVerdict): CheckResult {
  const { check, description } = input.validation;
  const path = pathOf(input);
  const message = description === undefined ? verdict.message : `${verdict.message} (${description})`;
  return { check, ...(path !== undefined && { path }), ...verdict, message };
}
