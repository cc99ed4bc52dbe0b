import { isDeepStrictEqual } from 'node:util';
import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import { parseAgentUrl } from '../../domain/agent-url.ts';
import { parsePath, resolvePath } from '../json-path.ts';
import { type CheckFunction, type CheckInput, type CheckVerdict, notApplicable } from './check.ts';

/** Told of those that lead nowhere, at most. */
const MAX_TOLD = 20;

/**
 * `refs_resolve`: each reference of one place is met by something in another, by the `match_keys`. References outside of
 * `scope` are somebody else's, and count only with `on_out_of_scope: fail`.
 */
export const refsResolve: CheckFunction = (input) => {
  const { source, target, match_keys: keys, scope, on_out_of_scope: outside } = input.validation;
  const names = elements(keys).filter((key) => typeof key === 'string');
  const from = objectsAt(source, input);
  const to = objectsAt(target, input);
  if (from === undefined || to === undefined || names.length === 0)
    return notApplicable('the check has no source, target or keys');
  const inScope = from.filter((one) => belongs(one, scope, input.agentUrl));
  const known = new Set(to.map((one) => keyOf(one, names)).filter((key) => key !== undefined));
  const counted = outside === 'fail' ? from : inScope;
  const missing = counted.filter((one) => !known.has(keyOf(one, names) ?? ''));
  if (missing.length === 0) {
    const left = from.length - counted.length;
    const told = left === 0 ? '' : `; ${left} belong to others`;
    return { result: 'pass', message: `all ${counted.length} references resolve${told}` };
  }
  const shown = [...new Set(missing.map((one) => JSON.stringify(projected(one, names))))];
  return {
    result: 'fail',
    message: `${shown.length} references do not resolve`,
    expected: 'all references resolve',
    actual: { missing: shown.slice(0, MAX_TOLD).map((text) => JSON.parse(text) as unknown) },
  };
};

/**
 * `resource_equals_agent_url`: the metadata of the protected resource name the URL that clients call, path and all (RFC
 * 9728, section 3.3).
 */
export const resourceEqualsAgentUrl: CheckFunction = ({ payload, agentUrl }): CheckVerdict => {
  const resource = member(payload, 'resource');
  const same = typeof resource === 'string' && isSameUrl(resource, agentUrl);
  if (same) return { result: 'pass', message: '/resource is the URL of the agent' };
  const told = {
    pointer: '/resource',
    expected: agentUrl,
    ...(resource !== undefined && { actual: resource }),
  };
  return { result: 'fail', message: '/resource is not the URL of the agent', ...told };
};

function objectsAt(where: unknown, { payload, context }: CheckInput): readonly JsonObject[] | undefined {
  const path = member(where, 'path');
  const steps = typeof path === 'string' ? parsePath(path) : undefined;
  if (steps === undefined) return undefined;
  const root = member(where, 'from') === 'context' ? Object.fromEntries(context) : payload;
  return resolvePath(root, steps).flatMap(({ present, value }) =>
    present && isObject(value) ? [value] : [],
  );
}

function belongs(reference: JsonObject, scope: unknown, agentUrl: string): boolean {
  const key = member(scope, 'key');
  const equals = member(scope, 'equals');
  if (typeof key !== 'string') return true;
  const value = reference[key];
  if (equals !== '$agent_url') return isDeepStrictEqual(value, equals);
  return typeof value === 'string' && isSameUrl(value, agentUrl);
}

/** One that lacks a key is met by nothing, or two that both lack it would meet. */
function keyOf(value: JsonObject, keys: readonly string[]): string | undefined {
  if (keys.some((key) => value[key] === undefined)) return undefined;
  return JSON.stringify(keys.map((key) => normal(key, value[key])));
}

function projected(value: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]]])));
}

function normal(key: string, value: unknown): unknown {
  return typeof value === 'string' && key.endsWith('url') ? keyOfUrl(value) : value;
}

function isSameUrl(one: string, other: string): boolean {
  return keyOfUrl(one) === keyOfUrl(other);
}

function keyOfUrl(text: string): string {
  const parsed = parseAgentUrl(text);
  return parsed.ok ? parsed.url : text;
}
