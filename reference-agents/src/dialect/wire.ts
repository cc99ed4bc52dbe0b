import { isObject, type JsonObject } from '@agent-registry/surface/agent-kit';
import type { Caller, ReferenceAgent } from '../reference/handler.ts';

/** Who is asked by whom, and when (epoch milliseconds). */
export interface Talk {
  readonly agent: ReferenceAgent;
  readonly caller: Caller;
  readonly now: number;
}

/**
 * How the public protocol says one task (its line 3.0). Our own members stay where both can stand side by side; where
 * the two say different things under one name, an agent of the public vocabulary says the public one.
 */
export interface TaskDialect {
  /** What of a request is said in other words than ours; a request in our words stays as it is. */
  readonly request?: (request: JsonObject, talk: Talk) => JsonObject;
  /** What the public protocol says of an answer. `request` as it came. */
  readonly answer?: (answer: JsonObject, request: JsonObject, talk: Talk) => JsonObject;
}

/** The objects of a list; nothing for what is no list. */
export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The object with each item of one of its lists changed. */
export function withItems(
  object: JsonObject,
  name: string,
  change: (item: JsonObject) => JsonObject,
): JsonObject {
  return Array.isArray(object[name]) ? { ...object, [name]: objects(object[name]).map(change) } : object;
}

/** The object without these members. */
export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
