import { isObject, type JsonObject } from '@agent-registry/surface/agent-kit';

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

/** A refusal as an answer carries it: under `adcp_error`, with what the caller had sent along. */
export function publicRefusal(error: object, request: unknown): JsonObject {
  const context = isObject(request) && isObject(request.context) ? { context: request.context } : {};
  return { adcp_error: publicError({ ...error }), ...context };
}
