import { checkResponse } from '../../protocol/read-request.ts';
import { taskNamed } from '../../protocol/tasks.ts';
import { validatorOfShape } from '../../protocol/validators.ts';
import { firstAt } from '../json-path.ts';
import { type Check, type CheckVerdict, notApplicable } from './check.ts';

/** `response_schema`: the data follow the schema of the task's response; a refusal follows that of errors. */
export const responseSchema: Check = ({ task, answer, version }) => {
  if (answer.outcome === 'failed')
    return { result: 'fail', message: 'there is no payload to hold against the schema' };
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
  const path = pointer
    .split('/')
    .slice(1)
    .map((step) =>
      /^\d+$/.test(step) ? `[${step}]` : `.${step.replaceAll('~1', '/').replaceAll('~0', '~')}`,
    )
    .join('')
    .replace(/^\./, '');
  const found = path === '' ? undefined : firstAt(root, path);
  return found?.present ? found.value : undefined;
}
