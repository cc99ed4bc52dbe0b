import { elements, type JsonObject, member, stepsOf } from '../../base/json.ts';
import { unmarkedError } from '../../calling/agent-error.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import type { Issue } from '../../protocol/issues.ts';
import { checkPublicError, checkPublicResponse, publicTaskName } from '../../protocol/public-shapes.ts';
import { checkResponse } from '../../protocol/read-request.ts';
import { isBound, type SchemaSet } from '../../protocol/schema-set.ts';
import { type TaskName, taskNamed } from '../../protocol/tasks.ts';
import { validatorOfShape } from '../../protocol/validators.ts';
import { firstAt } from '../json-path.ts';
import {
  allowedOf,
  type CheckFunction,
  type CheckInput,
  type CheckVerdict,
  expectedOf,
  notApplicable,
} from './check.ts';

/** `http_status` and `http_status_in`: the last answer had one of these statuses. */
export const httpStatus: CheckFunction = (input) => {
  const allowed = allowedOf(input).flat().map(Number);
  if (allowed.length === 0 || allowed.some(Number.isNaN)) return notApplicable('the check has no status');
  const { status } = input.answer;
  if (status !== undefined && allowed.includes(status))
    return { result: 'pass', message: `the HTTP status is ${status}` };
  const message = status === undefined ? 'no HTTP response received' : 'unexpected HTTP status';
  return {
    result: 'fail',
    message,
    expected: expectedOf(allowed),
    ...(status !== undefined && { actual: status }),
  };
};

/**
 * `response_schema`: the data follow the response schema of the task, and the error of a refusal that of errors. An agent
 * of the public vocabulary is checked against the public shapes, with its answer as it came.
 */
export const responseSchema: CheckFunction = (input) => {
  const { task, answer, version, schemas, demands, responseSchema: named } = input;
  if (answer.outcome === 'failed') return { result: 'fail', message: 'no payload to validate' };
  if (schemas !== undefined) return byItsOwnSchemas(input, schemas, named);
  const known = taskNamed(task);
  if (demands === 'adcp') return byPublicShapes(input, known);
  if (answer.outcome === 'refused') return errorShape(answer.error.object, version);
  if (known === undefined) return notApplicable(`no schema: ${task} is not a task of the protocol`);
  const issues = checkResponse(known, answer.data, version);
  return verdictOn(answer.data, issues, { schema: `${known} response`, of: version });
};

/** A refusal may be a form of the response, as those of the test controller are; else it is an error of the protocol. */
function byPublicShapes({ task, answer }: CheckInput, known: TaskName | undefined): CheckVerdict {
  const data = answer.outcome === 'failed' ? undefined : answer.data;
  const issues = known && checkPublicResponse(known, data);
  const error =
    answer.outcome === 'refused' ? answer.error.object : data === undefined ? undefined : unmarkedError(data);
  if (error !== undefined && issues?.length !== 0) return byPublicErrors(answer, error);
  if (known === undefined || issues === undefined)
    return notApplicable(`no schema: ${task} is not a task of the public protocol`);
  return verdictOn(data, issues, { schema: `${publicTaskName(known)} response`, of: PUBLIC });
}

/** What MCP or A2A itself refuses, such as an unknown tool, is no error of the protocol. */
function byPublicErrors(answer: TaskAnswer, error: JsonObject): CheckVerdict {
  const isOfTransport = answer.outcome === 'refused' && answer.error.rpcCode !== undefined;
  if (isOfTransport || Object.keys(error).length === 0)
    return notApplicable('the refusal has no error object');
  return verdictOn(error, checkPublicError(error), { schema: 'error', of: PUBLIC });
}

const PUBLIC = 'the public protocol';

/** The first issue as the verdict. `expected` names the schema, and the protocol version or vocabulary that it belongs to. */
function verdictOn(
  payload: unknown,
  issues: readonly Issue[],
  { schema, of }: { readonly schema: string; readonly of: string },
): CheckVerdict {
  const [first] = issues;
  if (first === undefined) return { result: 'pass', message: `the answer matches the schema: ${schema}` };
  return failWith(payload, issues, first, `${schema} of ${of}: ${first.keyword}`);
}

function failWith(payload: unknown, issues: readonly Issue[], first: Issue, expected: string): CheckVerdict {
  const actual = firstAtPointer(payload, first.pointer);
  return {
    result: 'fail',
    message: messageOf(issues, first),
    pointer: first.pointer,
    expected,
    ...(actual !== undefined && { actual }),
  };
}

function messageOf({ length }: readonly Issue[], { pointer, message }: Issue): string {
  const more = length > 1 ? `, and ${length - 1} more` : '';
  return `${pointer || 'the answer'} ${message}${more}`;
}

/** The schema that the step names, else that of the task, in the set that the bundle is written for. */
function byItsOwnSchemas({ task, answer }: CheckInput, set: SchemaSet, named?: string): CheckVerdict {
  const refused = answer.outcome === 'refused';
  const path = refused ? set.find('core/error.json') : ((named && set.find(named)) ?? set.ofTask(task));
  if (path === undefined) return notApplicable(`no schema found for ${named ?? task}`);
  const payload = refused ? answer.error.object : answer.outcome === 'answered' ? answer.data : {};
  const issues = set.check(path, payload);
  if (issues === undefined) return notApplicable(`the schema ${path} cannot be used`);
  const [first] = issues;
  if (first === undefined) return { result: 'pass', message: `the answer matches ${path}` };
  if (issues.every(isBound))
    return {
      result: 'pass',
      message: `the answer matches the shape of ${path}, but not all its bounds: ${messageOf(issues, first)}`,
      pointer: first.pointer,
      advice: true,
    };
  return failWith(payload, issues, first, `${path}: ${first.keyword}`);
}

/** `status_code`: the task succeeded. */
export const statusCode: CheckFunction = ({ answer }) => {
  const succeeded = answer.outcome === 'answered' && !saidNo(answer);
  if (succeeded) return { result: 'pass', message: 'the task succeeded' };
  return { result: 'fail', message: 'the task did not succeed', expected: 'success', actual: answer.outcome };
};

/** `on_401_require_header`: whoever is refused for want of credentials is told how to get in (RFC 6750, section 3). */
export const challengeOn401: CheckFunction = ({ answer, validation }) => {
  const name = String(validation.value ?? 'www-authenticate').toLowerCase();
  if (name !== 'www-authenticate') return notApplicable(`this runner does not check the header ${name}`);
  if (answer.status !== 401) return { result: 'pass', message: 'the HTTP status is not 401' };
  const challenge = answer.outcome === 'failed' ? answer.failure.challenge : undefined;
  if (challenge !== undefined)
    return { result: 'pass', message: 'the 401 response has a WWW-Authenticate header' };
  return {
    result: 'fail',
    message: 'the 401 response has no WWW-Authenticate header',
    expected: 'WWW-Authenticate',
  };
};

/** `error_code`: the agent refused with one of these codes, or any where the check names none, wherever its transport puts them. */
export const errorCode: CheckFunction = (input) => {
  const allowed = allowedOf(input);
  const expected = allowed.length === 0 ? 'any code' : expectedOf(allowed);
  const { answer } = input;
  const code = codeOf(answer);
  if (code !== undefined && (allowed.length === 0 || allowed.includes(code)))
    return { result: 'pass', message: `refused with ${String(code)}` };
  if (code !== undefined)
    return { result: 'fail', message: 'refused with an unexpected code', expected, actual: code };
  const told = answer.outcome === 'answered' ? 'accepted, but must be refused' : 'the refusal has no code';
  return {
    result: 'fail',
    message: told,
    expected,
    ...(answer.outcome === 'failed' && { actual: answer.failure.message }),
  };
};

/** Codes of a refusal for want of credentials: those of error-code.json, and spellings that agents use. */
const AUTH_CODES =
  /^(?:auth_required|auth_missing|auth_invalid|auth_expired|authentication_required|unauthenticated|unauthori[sz]ed|permission_denied|access_denied|forbidden|invalid_token|request_signature_\w{1,64})$/i;
/** `Method not found` and `Invalid params`: MCP 2025-06-18 answers the latter to an unknown tool. */
const UNKNOWN_TASK_RPC: readonly number[] = [-32_601, -32_602];
const UNKNOWN_TASK_CODES =
  /^(?:(?:unknown|unsupported|invalid)_(?:task|tool|skill|method|operation)|(?:task|tool|skill|method)_not_(?:found|supported)|not_found|not_implemented|unsupported_feature|unsupported_operation|reference_not_found|invalid_request|validation_error)$/i;
const UNKNOWN_TASK_WORDS =
  /unknown|not found|no such|not supported|unsupported|not available|does not exist|-3260[12]/i;

/**
 * `refused_for`: the refusal has this reason and no other. `authentication`: HTTP 401 or 403 (`allowed_values` names other
 * statuses; universal/security.yaml 3.0), or a code that says so. `unknown_task`: a JSON-RPC error for it, HTTP 404 or
 * 501, or a code or message that says so.
 */
export const refusedFor: CheckFunction = ({ validation, answer }) => {
  const { value: reason, allowed_values: statuses = [401, 403] } = validation;
  if (reason !== 'authentication' && reason !== 'unknown_task')
    return notApplicable('the check has no reason');
  const expected = reason === 'authentication' ? 'an authentication error' : 'an error of the task';
  if (!saidNo(answer)) return { result: 'fail', message: 'accepted, but must be refused', expected };
  const isMet = reason === 'authentication' ? isForAuth(answer, statuses) : isForTask(answer);
  if (isMet) return { result: 'pass', message: `received ${expected}` };
  const actual = codeOf(answer) ?? answer.status;
  const message = 'refused for an unexpected reason';
  return { result: 'fail', message, expected, ...(actual !== undefined && { actual }) };
};

function isForAuth(answer: TaskAnswer, statuses: readonly unknown[]): boolean {
  if (answer.status !== undefined && statuses.includes(answer.status)) return true;
  if (answer.outcome === 'failed') return answer.failure.errorClass === 'auth_required';
  return AUTH_CODES.test(codeOf(answer) ?? '');
}

function isForTask(answer: TaskAnswer): boolean {
  if (answer.status === 404 || answer.status === 501) return true;
  if (answer.outcome !== 'refused') return UNKNOWN_TASK_CODES.test(codeOf(answer) ?? '');
  const { code, rpcCode, message } = answer.error;
  if (code !== undefined) return UNKNOWN_TASK_CODES.test(code);
  return rpcCode === undefined ? UNKNOWN_TASK_WORDS.test(message) : UNKNOWN_TASK_RPC.includes(rpcCode);
}

/** The code of a refusal, also of one that came as data, as some agents of the public protocol do. */
export function codeOf(answer: TaskAnswer): string | undefined {
  if (answer.outcome === 'failed') return undefined;
  if (answer.outcome === 'refused')
    return answer.error.code ?? scenarioCode(answer.data ?? answer.error.object);
  const ofScenario = scenarioCode(answer.data);
  if (ofScenario !== undefined) return ofScenario;
  const code = unmarkedError(answer.data)?.code ?? member(elements(member(answer.data, 'errors'))[0], 'code');
  return typeof code === 'string' ? code : undefined;
}

/** The public test controller reports a failure as `success: false` with its code in `error`. */
function scenarioCode({ success, error }: JsonObject): string | undefined {
  return success === false && typeof error === 'string' ? error : undefined;
}

/** Whether the agent said no, in whatever form. */
export function saidNo(answer: TaskAnswer): boolean {
  if (answer.outcome === 'refused') return true;
  if (answer.outcome === 'answered')
    return codeOf(answer) !== undefined || member(answer.data, 'success') === false;
  const { status = 0 } = answer.failure;
  return status >= 400 && status < 500;
}

function errorShape(error: unknown, version: string): CheckVerdict {
  const validate = validatorOfShape(version, 'error');
  if (validate(error)) return { result: 'pass', message: 'the error matches the error schema' };
  const place = validate.errors?.[0];
  const missing = place?.keyword === 'required' ? `/${String(place.params.missingProperty)}` : '';
  const pointer = `${place?.instancePath ?? ''}${missing}`;
  validate.errors = null;
  return {
    result: 'fail',
    message: `${pointer || 'the error'} does not match the error schema`,
    expected: `core/error.json of ${version}: ${place?.keyword ?? 'type'}`,
    actual: error,
  };
}

function firstAtPointer(root: unknown, pointer: string): unknown {
  const path = stepsOf(pointer)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
  const found = path === '' ? undefined : firstAt(root, path);
  return found?.present ? found.value : undefined;
}
