import { elements, member, stepsOf } from '../../base/json.ts';
import { unmarkedError } from '../../calling/agent-error.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { checkResponse } from '../../protocol/read-request.ts';
import { isBound, type SchemaSet } from '../../protocol/schema-set.ts';
import { taskNamed } from '../../protocol/tasks.ts';
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
  if (allowed.length === 0 || allowed.some(Number.isNaN)) return notApplicable('the check names no status');
  const { status } = input.answer;
  if (status !== undefined && allowed.includes(status))
    return { result: 'pass', message: `the http status is ${status}` };
  const message = status === undefined ? 'no http answer came' : 'the http status is another one';
  return {
    result: 'fail',
    message,
    expected: expectedOf(allowed),
    ...(status !== undefined && { actual: status }),
  };
};

/** `response_schema`: the data follow the schema of the task's response; a refusal follows that of errors. */
export const responseSchema: CheckFunction = (input) => {
  const { task, answer, version, schemas, responseSchema: named } = input;
  if (answer.outcome === 'failed')
    return { result: 'fail', message: 'there is no payload to hold against the schema' };
  if (schemas !== undefined) return byItsOwnSchemas(input, schemas, named);
  if (answer.outcome === 'refused') return errorShape(answer.error.object, version);
  const known = taskNamed(task);
  if (known === undefined)
    return notApplicable(`the protocol has no task ${task}, so there is no schema for it`);
  const issues = checkResponse(known, answer.data, version);
  const [first] = issues;
  if (first === undefined) return { result: 'pass', message: `the answer follows the schema of ${known}` };
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : '';
  const at = firstAtPointer(answer.data, first.pointer);
  return {
    result: 'fail',
    message: `${first.pointer || 'the answer'} ${first.message}${more}`,
    pointer: first.pointer,
    expected: `${known} response of ${version}: ${first.keyword}`,
    ...(at !== undefined && { actual: at }),
  };
};

/** The schema that the step names, else that of the task, in the set that the bundle is written for. */
function byItsOwnSchemas({ task, answer }: CheckInput, set: SchemaSet, named?: string): CheckVerdict {
  const refused = answer.outcome === 'refused';
  const path = refused ? set.find('core/error.json') : ((named && set.find(named)) ?? set.ofTask(task));
  if (path === undefined) return notApplicable(`the schemas have none for ${named ?? task}`);
  const payload = refused ? answer.error.object : answer.outcome === 'answered' ? answer.data : {};
  const issues = set.check(path, payload);
  if (issues === undefined) return notApplicable(`the schema ${path} cannot be used`);
  const [first] = issues;
  if (first === undefined) return { result: 'pass', message: `the answer follows ${path}` };
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : '';
  const message = `${first.pointer || 'the answer'} ${first.message}${more}`;
  if (issues.every(isBound))
    return {
      result: 'pass',
      message: `it follows ${path} in shape: ${message}`,
      pointer: first.pointer,
      advice: true,
    };
  const at = firstAtPointer(payload, first.pointer);
  return {
    result: 'fail',
    message,
    pointer: first.pointer,
    expected: `${path}: ${first.keyword}`,
    ...(at !== undefined && { actual: at }),
  };
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
  if (name !== 'www-authenticate') return notApplicable(`the header ${name} is not looked at here`);
  if (answer.status !== 401) return { result: 'pass', message: 'the answer is no 401' };
  const challenge = answer.outcome === 'failed' ? answer.failure.challenge : undefined;
  if (challenge !== undefined) return { result: 'pass', message: 'the 401 has WWW-Authenticate' };
  return { result: 'fail', message: 'the 401 has no WWW-Authenticate', expected: 'WWW-Authenticate' };
};

/** `error_code`: the agent refused with one of these codes, or any where the check names none, wherever its transport puts them. */
export const errorCode: CheckFunction = (input) => {
  const allowed = allowedOf(input);
  const expected = allowed.length === 0 ? 'any code' : expectedOf(allowed);
  const { answer } = input;
  const code = codeOf(answer);
  if (code !== undefined && (allowed.length === 0 || allowed.includes(code)))
    return { result: 'pass', message: `it is refused with ${String(code)}` };
  if (code !== undefined)
    return { result: 'fail', message: 'it is refused with another code', expected, actual: code };
  const told =
    answer.outcome === 'answered' ? 'it was accepted, and has to be refused' : 'the refusal has no code';
  return {
    result: 'fail',
    message: told,
    expected,
    ...(answer.outcome === 'failed' && { actual: answer.failure.message }),
  };
};

/** The code of a refusal, also of one that came as data, as some agents of the public protocol do. */
export function codeOf(answer: TaskAnswer): string | undefined {
  if (answer.outcome === 'refused') return answer.error.code;
  if (answer.outcome === 'failed') return undefined;
  const code = unmarkedError(answer.data)?.code ?? member(elements(member(answer.data, 'errors'))[0], 'code');
  return typeof code === 'string' ? code : undefined;
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
  if (validate(error)) return { result: 'pass', message: 'the error follows the schema of errors' };
  const place = validate.errors?.[0];
  const missing = place?.keyword === 'required' ? `/${String(place.params.missingProperty)}` : '';
  const pointer = `${place?.instancePath ?? ''}${missing}`;
  validate.errors = null;
  return {
    result: 'fail',
    message: `${pointer || 'the error'} is not as the schema of errors has it`,
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
