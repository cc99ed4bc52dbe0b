import {
  isObject,
  type JsonObject,
  type TaskName,
  taskNamed,
  withNamesOf,
} from '@agent-registry/surface/agent-kit';

/** An error of ours with what the public protocol says of one: the place as a path of members. */
export function publicError(error: unknown): unknown {
  if (!isObject(error)) return error;
  const { pointer, issues } = error;
  return {
    ...error,
    ...(typeof pointer === 'string' && pointer !== '' && { field: pathOf(pointer) }),
    ...(Array.isArray(issues) && {
      issues: issues.filter(isObject).map((issue) => ({ keyword: 'rule', ...issue })),
    }),
  };
}

/** `packages[0].budget` for `/packages/0/budget`. */
function pathOf(pointer: string): string {
  const steps = pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce((path, step) => {
    if (/^\d+$/.test(step)) return `${path}[${step}]`;
    return path === '' ? step : `${path}.${step}`;
  }, '');
}

/** An error about a request, whose places have the names that the request has, or that the public protocol has. */
function placed(error: unknown, task: string, request: unknown): unknown {
  if (!isObject(error)) return error;
  const { pointer, message, issues } = error;
  const own = typeof pointer === 'string' ? pointer : '';
  const place = own.startsWith('/') ? publicPlace(own, task, request) : own;
  const told = typeof message === 'string' && own !== '' && message.startsWith(own);
  return {
    ...error,
    ...(place !== own && { pointer: place, ...(told && { message: place + message.slice(own.length) }) }),
    ...(Array.isArray(issues) && { issues: issues.map((issue) => placed(issue, task, request)) }),
  };
}

function publicPlace(pointer: string, task: string, request: unknown): string {
  const known = taskNamed(task);
  if (known === undefined) return pointer;
  const steps = pointer.split('/').slice(1);
  let there = request;
  const said = steps.map((step, depth) => {
    const own = isObject(there) && Object.hasOwn(there, step);
    const name = own || /^\d+$/.test(step) ? step : publicName(known, steps.slice(0, depth + 1));
    there = (there as JsonObject | undefined)?.[name];
    return name;
  });
  return `/${said.join('/')}`;
}

/** What the last of these members is called there: what the table adds beside it. */
function publicName(task: TaskName, steps: readonly string[]): string {
  const last = steps.at(-1) ?? '';
  const skeleton = steps.reduceRight<unknown>(
    (inner, step) => (/^\d+$/.test(step) ? [inner] : { [step]: inner }),
    '',
  );
  let named: unknown = withNamesOf('adcp', task, skeleton as JsonObject);
  for (const step of steps.slice(0, -1))
    named = Array.isArray(named) ? named[0] : (named as JsonObject)[step];
  return Object.keys(named as JsonObject).find((name) => name !== last) ?? last;
}

/** A refusal of a task as an answer carries it: under `adcp_error`, with what the caller had sent along. */
export function publicRefusal(error: object, task: string, request: unknown): JsonObject {
  const context = isObject(request) && isObject(request.context) ? { context: request.context } : {};
  return { adcp_error: publicError(placed({ ...error }, task, request)), ...context };
}
