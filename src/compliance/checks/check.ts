import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';
import { isObject, type JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import type { SchemaSet } from '../../protocol/schema-set.ts';
import type { VocabularyName } from '../../protocol/vocabulary.ts';
import { type Found, firstAt, parsePath, resolvePath } from '../json-path.ts';
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
  /** The payload of each response, for a step that sends several requests at once. */
  readonly responses?: readonly (JsonObject | undefined)[];
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
 * `field_contains`: some place of the path has the value, or a list with the value among its items. An object or list
 * contains another one with a subset of its fields or items.
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

/** `field_less_than`: every place of the path has a number below `value`, or below the number stored under `context_key`. */
export const fieldLessThan: CheckFunction = (input) => {
  const { context_key: key, value } = input.validation;
  if (key !== undefined && !input.context.has(key)) return notApplicable(`no earlier step provided ${key}`);
  const limit = key === undefined ? value : input.context.get(key);
  if (limit === undefined) return notApplicable('the check has no number');
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const wrong = places.find((found) => !(isNumber(found.value) && isNumber(limit) && found.value < limit));
  if (wrong === undefined)
    return { result: 'pass', message: `${pathOf(input)} is less than ${key ?? String(limit)}` };
  return failAt(wrong, `${nameOf(wrong)} ${reasonNotLess(wrong, limit)}`, { less_than: limit });
};

function reasonNotLess({ present, value }: Found, limit: unknown): string {
  if (!present) return 'is missing';
  if (!isNumber(value)) return 'is not a number';
  return isNumber(limit) ? 'is not less than the limit' : 'cannot be compared: the limit is not a number';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Characters of a string that are matched with a pattern; longer strings are not checked. */
const MAX_MATCHED = 10_000;
/** A pattern of a bundle can take exponential time; after this time the check is not applicable. Milliseconds. */
const PATTERN_MS = 1_000;

/** `field_pattern`: every place of the path has a string that matches `pattern`, the source of a JavaScript regular expression. */
export const fieldPattern: CheckFunction = (input) => {
  const { pattern } = input.validation;
  if (pattern === undefined) return notApplicable('the check has no pattern');
  const places = checkedPlaces(input);
  if (!Array.isArray(places)) return places as ReturnType<CheckFunction>;
  const texts = places.map(({ value }) => value).filter((value) => typeof value === 'string');
  if (texts.some(({ length }) => length > MAX_MATCHED))
    return notApplicable(`the value is longer than ${MAX_MATCHED} characters`);
  const matches = matchesOf(pattern, texts);
  if (matches === undefined) return notApplicable('the pattern is invalid or takes too long');
  const matched = new Set(texts.filter((_, index) => matches[index]));
  const wrong = places.find(({ value }) => typeof value !== 'string' || !matched.has(value));
  if (wrong === undefined) return { result: 'pass', message: `${pathOf(input)} matches the pattern` };
  const isText = typeof wrong.value === 'string';
  const reason = isText ? 'does not match the pattern' : wrong.present ? 'is not a string' : 'is missing';
  return failAt(wrong, `${nameOf(wrong)} ${reason}`, pattern);
};

/** Whether each text matches; undefined for an invalid pattern and for one that takes too long. */
function matchesOf(pattern: string, texts: readonly string[]): readonly boolean[] | undefined {
  try {
    // only a context with a timeout interrupts a regular expression
    return runInNewContext(
      'texts.map((text) => new RegExp(pattern).test(text))',
      { pattern, texts },
      { timeout: PATTERN_MS },
    ) as readonly boolean[];
  } catch {
    return undefined;
  }
}

/** `cross_response_field_equal`: every response of a parallel step has the same value at the path. */
export const crossResponseFieldEqual: CheckFunction = (input) => {
  const observed = observedValues(input);
  if ('result' in observed) return observed;
  const values = observed.flatMap(({ value }) => (value === undefined || value === null ? [] : [value]));
  const isMissing = observed.some(({ present }) => !present);
  if (!isMissing && distinct(values).length <= 1)
    return { result: 'pass', message: `${pathOf(input)} is equal in all ${observed.length} responses` };
  const reason = isMissing ? 'is missing in a response' : 'differs between responses';
  return {
    result: 'fail',
    message: `${pathOf(input)} ${reason}`,
    expected: 'the same value in every response',
    actual: { observed_values: observed.map(({ value = null }) => value) },
  };
};

/** `cross_response_count_distinct`: the responses of a parallel step have one of these numbers of different values. */
export const crossResponseCountDistinct: CheckFunction = (input) => {
  const { allowed_values: allowed = [] } = input.validation;
  if (allowed.length === 0) return notApplicable('the check has no allowed_values');
  const observed = observedValues(input);
  if ('result' in observed) return observed;
  const values = distinct(observed.flatMap(({ present, value }) => (present ? [value] : [])));
  const told = `${pathOf(input)} has ${values.length} distinct values in ${observed.length} responses`;
  if (allowed.includes(values.length)) return { result: 'pass', message: told };
  return {
    result: 'fail',
    message: told,
    expected: expectedOf(allowed),
    actual: { observed_cardinality: values.length, observed_values: values },
  };
};

/** What each response has at the path, the first place where it has several. */
function observedValues(input: CheckInput): readonly Found[] | CheckVerdict {
  const { responses } = input;
  const path = pathOf(input);
  if (responses === undefined) return notApplicable('the step does not send requests in parallel');
  if (path === undefined) return notApplicable('the check has no path');
  return responses.map((payload) => firstAt(payload, path));
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  return values.filter((value, index) => values.findIndex((one) => isDeepStrictEqual(one, value)) === index);
}

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
  return meets(value, wanted) || (Array.isArray(value) && value.some((item) => meets(item, wanted)));
}

/** Equal, or with at least the wanted fields or items. */
function meets(value: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted) && Array.isArray(value))
    return wanted.every((one) => value.some((item) => meets(item, one)));
  if (isObject(wanted) && isObject(value))
    return Object.entries(wanted).every(
      ([key, item]) => Object.hasOwn(value, key) && meets(value[key], item),
    );
  return isDeepStrictEqual(value, wanted);
}
