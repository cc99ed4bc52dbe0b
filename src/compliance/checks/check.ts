import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import type { SchemaSet } from '../../protocol/schema-set.ts';
import type { VocabularyName } from '../../protocol/vocabulary.ts';
import { type Found, parsePath, resolvePath } from '../json-path.ts';
import type { Validation } from '../storyboard.ts';

/** What a check looks at. */
export interface CheckInput {
  /** With its placeholders filled in. */
  readonly validation: Validation;
  readonly task: string;
  readonly answer: TaskAnswer;
  /** The payload that paths lead into: the data, or that of a refusal; undefined when no answer of the protocol came. */
  readonly payload: JsonObject | undefined;
  /** The bundle by whose schemas answers are judged, `3.0.0` for example. */
  readonly version: string;
  /** The vocabulary whose schemas decide. */
  readonly demands: VocabularyName;
  /** The values of the run by name. */
  readonly context: ReadonlyMap<string, unknown>;
  /** As it was named. */
  readonly agentUrl: string;
  /** Those that the bundle is written for, where there are any: they judge instead of ours. */
  readonly schemas?: SchemaSet;
  /** Which of them, as the step names it. */
  readonly responseSchema?: string;
  /** The request as it was sent. */
  readonly request?: JsonObject;
  /** Names of the tasks that the agent lists. Absent where the list may be incomplete, as on an A2A card. */
  readonly tools?: ReadonlySet<string>;
  /** The payloads of earlier steps that passed, by step id. */
  readonly prior?: ReadonlyMap<string, JsonObject>;
}

/** What came of it. `not_applicable` says that nothing could be looked at, which is never a pass. */
export type CheckVerdict =
  | {
      readonly result: 'pass';
      readonly message: string;
      readonly pointer?: string;
      /** Something could be better, and nothing that the protocol's readers need is missing. */
      readonly advice?: true;
    }
  | {
      readonly result: 'fail';
      /** One sentence: what was expected and what came instead; never repeats a value of the agent. */
      readonly message: string;
      readonly pointer?: string;
      readonly expected?: unknown;
      readonly actual?: unknown;
    }
  | { readonly result: 'not_applicable'; readonly message: string };

/** Pure. */
export type CheckFunction = (input: CheckInput) => CheckVerdict;

export function notApplicable(message: string): CheckVerdict {
  return { result: 'not_applicable', message };
}

/** The places of a check's path in the payload, or the verdict that there is no payload or no path. */
function checkedPlaces(input: CheckInput): readonly Found[] | CheckVerdict {
  const { payload, answer } = input;
  const path = pathOf(input);
  const steps = path === undefined ? undefined : parsePath(path);
  if (steps === undefined) return notApplicable('the check has no path');
  if (payload === undefined)
    return { result: 'fail', message: `${path} not found: the answer has no payload (${answer.outcome})` };
  return resolvePath(payload, steps);
}

/** Where the check looks: an agent of the public vocabulary may have it in another place. */
export function pathOf({ validation, demands }: CheckInput): string | undefined {
  return demands === 'adcp' ? (validation.public_path ?? validation.path) : validation.path;
}

/** The values that a check allows: `allowed_values`, or the one `value`; none when it says neither. */
export function allowedOf({ validation }: CheckInput): readonly unknown[] {
  const { allowed_values: allowed } = validation;
  if (allowed !== undefined) return allowed;
  return Object.hasOwn(validation, 'value') ? [validation.value] : [];
}

/** `expected` as it is shown: the one value, or the list. */
export function expectedOf(allowed: readonly unknown[]): unknown {
  return allowed.length === 1 ? allowed[0] : allowed;
}

/** A failure at a place, with what is there. */
function failAt(found: Found, message: string, expected?: unknown): CheckVerdict {
  return {
    result: 'fail',
    message,
    pointer: found.pointer,
    ...(expected !== undefined && { expected }),
    ...(found.present && { actual: found.value }),
  };
}

/** How a place is named in a sentence. */
function nameOf({ pointer }: Found): string {
  return pointer === '' ? 'the answer' : pointer;
}

/** `field_value`: what stands at every place of the path is one of the allowed values. */
export const fieldValue: CheckFunction = (input) => valueAt(input, false);

/** `field_value_or_absent`: the same, and nothing there is fine as well. */
export const fieldValueOrAbsent: CheckFunction = (input) => valueAt(input, true);

/**
 * `field_contains`: at some place of the path stands a list with the value among its items, a text with it inside, or
 * the value itself. An object is met by every object that has its members.
 */
export const fieldContains: CheckFunction = (input) => {
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const allowed = allowedOf(input);
  if (allowed.length === 0) return notApplicable('the check has no value');
  const holds = places.some(({ present, value }) => present && allowed.some((one) => contains(value, one)));
  if (holds) return { result: 'pass', message: `${pathOf(input)} contains the expected value` };
  const [first] = places;
  if (first === undefined)
    return { result: 'fail', message: 'the path does not exist', expected: expectedOf(allowed) };
  const reason = first.present ? 'does not contain the expected value' : 'is missing';
  const told = failAt(first, `${nameOf(first)} ${reason}`, expectedOf(allowed));
  return places.length === 1 ? told : ({ ...told, actual: places.map(({ value }) => value) } as typeof told);
};

/** `field_equals_context`: what stands at every place of the path is what an earlier step kept under `context_key`. */
export const fieldEqualsContext: CheckFunction = (input) => {
  const { context_key: key, value } = input.validation;
  const name = key ?? (typeof value === 'string' ? value : undefined);
  if (name === undefined) return notApplicable('the check has no context value');
  if (!input.context.has(name)) return notApplicable(`no earlier step provided ${name}`);
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const expected = input.context.get(name);
  const wrong = places.find((found) => !found.present || !isDeepStrictEqual(found.value, expected));
  if (wrong === undefined) return { result: 'pass', message: `${pathOf(input)} equals ${name}` };
  const reason = wrong.present ? `differs from ${name} of an earlier step` : 'is missing';
  return failAt(wrong, `${nameOf(wrong)} ${reason}`, expected);
};

/** `field_differs_from_context`: what is at every place of the path is not the value that an earlier step kept. */
export const fieldDiffersFromContext: CheckFunction = (input) => {
  const { context_key: key } = input.validation;
  if (key === undefined) return notApplicable('the check has no context value');
  if (!input.context.has(key)) return notApplicable(`no earlier step provided ${key}`);
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const other = input.context.get(key);
  const wrong = places.find((found) => !found.present || isDeepStrictEqual(found.value, other));
  if (wrong === undefined) return { result: 'pass', message: `${pathOf(input)} differs from ${key}` };
  const reason = wrong.present ? `equals ${key} of an earlier step, but must differ` : 'is missing';
  return failAt(wrong, `${nameOf(wrong)} ${reason}`, 'a different value');
};

/** `field_present`: there is something at every place of the path, and at one at least; null is nothing. */
export const fieldPresent: CheckFunction = (input) => {
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const missing = places.find(({ present, value }) => !present || value === null);
  if (missing === undefined) return { result: 'pass', message: `${pathOf(input)} is present` };
  return failAt(missing, `${nameOf(missing)} is ${missing.present ? 'null' : 'missing'}`, 'a value');
};

/** `field_absent`: there is nothing at any place of the path; null counts as something. */
export const fieldAbsent: CheckFunction = (input) => {
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const present = places.find((found) => found.present);
  if (present === undefined) return { result: 'pass', message: `${pathOf(input)} is absent` };
  return failAt(present, `${nameOf(present)} must be absent`, 'nothing');
};

function valueAt(input: Parameters<CheckFunction>[0], mayBeAbsent: boolean): ReturnType<CheckFunction> {
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const allowed = allowedOf(input);
  if (allowed.length === 0) return notApplicable('the check has no value');
  const wrong = places.find(({ present, value }) =>
    present ? !allowed.some((one) => isDeepStrictEqual(one, value)) : !mayBeAbsent,
  );
  if (wrong === undefined) return { result: 'pass', message: `${pathOf(input)} has the expected value` };
  const reason = wrong.present ? 'has an unexpected value' : 'is missing';
  return failAt(wrong, `${nameOf(wrong)} ${reason}`, expectedOf(allowed));
}

function contains(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => meets(item, wanted));
  if (typeof value === 'string' && typeof wanted === 'string') return value.includes(wanted);
  return meets(value, wanted);
}

/** Equal, or an object that has at least the members that are wanted. */
function meets(value: unknown, wanted: unknown): boolean {
  if (isObject(wanted) && isObject(value))
    return Object.entries(wanted).every(
      ([key, item]) => Object.hasOwn(value, key) && meets(value[key], item),
    );
  return isDeepStrictEqual(value, wanted);
}
