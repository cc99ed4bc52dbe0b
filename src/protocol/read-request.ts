import { isObject, member } from '../base/json.ts';
import { measure } from './bounds.ts';
import { inOwnNames } from './field-names.ts';
import type { TaskRequests } from './generated/types.ts';
import { type Issue, issuesOf, problemOf, sizeIssue } from './issues.ts';
import { type Problem, problem } from './problem.ts';
import { versionOfRequest } from './request-version.ts';
import { TASK_NAMES, type TaskName, taskNamed } from './tasks.ts';
import { findErrors, supportedVersions, validatorOfShape } from './validators.ts';
import { resolveVersion } from './versions.ts';

/** A request that follows its schema, or what is wrong with it. */
type ReadRequest<T extends TaskName> =
  | {
      readonly ok: true;
      /** Under its neutral name, whichever vocabulary the caller uses. */
      readonly task: T;
      /** The bundle whose schema it follows, `3.0.0` for example. */
      readonly version: string;
      /** The payload itself, unknown members included. */
      readonly request: TaskRequests[T];
    }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Holds the payload of a task against its schema: first its size, then the version that it asks for, then every field.
 * Never throws for anything that JSON can say; what is refused says code, place, reason and whether a retry helps.
 */
export function readRequest<T extends TaskName>(task: T, payload: unknown): ReadRequest<T>;

export function readRequest(task: string, payload: unknown): ReadRequest<TaskName>;

export function readRequest(name: string, payload: unknown): ReadRequest<TaskName> {
  const task = taskNamed(name);
  if (task === undefined) return refused(unknownTask());
  if (!isObject(payload)) {
    return refused(problem('INVALID_REQUEST', 'the request must be an object', { pointer: '' }));
  }
  const size = measure(payload);
  if (size.problem !== undefined) return refused(size.problem);
  const asked = versionOfRequest(task, payload);
  if (!asked.ok) return refused(asked.problem);
  const errors = findErrors({ version: asked.version, task, kind: 'request' }, payload, size.values);
  if (errors.length > 0) return refused(problemOf(errors));
  return { ok: true, task, version: asked.version, request: payload as TaskRequests[TaskName] };
}

/**
 * Where the answer of a task does not follow its schema; empty when it does. For answers that say success: a refusal
 * is core/error.json. `version` is a label such as `3.0`; one that is not shipped is an issue too.
 */
export function checkResponse(task: TaskName, payload: unknown, version = 'latest'): readonly Issue[] {
  const resolved = resolveVersion(version, supportedVersions());
  if (resolved === undefined) {
    return [{ pointer: '', message: 'no schemas exist for that version', keyword: 'version' }];
  }
  const { problem: large, values } = measure(payload);
  if (large !== undefined) return [sizeIssue(large)];
  const own = isObject(payload) ? inOwnNames(task, payload) : payload;
  return issuesOf(findErrors({ version: resolved, task, kind: 'response' }, own, values));
}

function unknownTask(): Problem {
  return problem('UNKNOWN_TASK', 'the protocol has no such task', {
    pointer: '',
    suggestion: `known tasks: ${TASK_NAMES.join(', ')}`,
  });
}

function refused(found: Problem): { readonly ok: false; readonly problem: Problem } {
  return { ok: false, problem: found };
}

/**
 * What a webhook breaks of its schema of the newest version (core/task_webhook.json in the public vocabulary,
 * core/media_buy_webhook.json for a media buy, else core/webhook.json), one sentence with its place; undefined when nothing.
 */
export function webhookFault(payload: unknown): string | undefined {
  const tooLarge = measure(payload).problem;
  if (tooLarge !== undefined) return tooLarge.message;
  const newest = resolveVersion('latest', supportedVersions()) ?? '';
  const validate = validatorOfShape(newest, shapeOf(payload));
  if (validate(payload)) return undefined;
  const { message } = problemOf(validate.errors ?? []);
  validate.errors = null; // they hold on to the payload
  return message;
}

/** What names its task is in the envelope of the public protocol, whatever else it says. */
function shapeOf(payload: unknown): string {
  if (member(payload, 'task_type') !== undefined) return 'task_webhook';
  const event = member(payload, 'event');
  return typeof event === 'string' && !event.startsWith('media_buy.') ? 'webhook' : 'media_buy_webhook';
}
