import { RegistryError } from '../../../errors.ts';

/** An object that fields are written into. */
export type Payload = Record<string, unknown>;

const MAX_STEPS = 32;
/** Names by which a careless reader reaches the prototypes of its own objects. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Puts fields of the command line over an object, which is changed: `brand.domain=acme.example`,
 * `refine.0.scope=request`, `channels=["display"]`. A value that reads as a JSON object, list, number, boolean or null
 * is that, anything else a text; after `:=` it must be JSON. Throws a usage error for what is no field.
 */
export function putFields(base: Payload, fields: readonly string[]): Payload {
  for (const field of fields) {
    const { path, value } = readField(field);
    put(base, path, value);
  }
  return base;
}

function readField(field: string): { readonly path: string; readonly value: unknown } {
  const end = field.indexOf('=');
  const strict = field[end - 1] === ':';
  const path = field.slice(0, strict ? end - 1 : end);
  if (end < 1 || path === '') {
    throw usage(
      `'${field.slice(0, 100)}' is not a field`,
      'write NAME=VALUE, for example brief="coffee in Ghent"',
    );
  }
  const text = field.slice(end + 1);
  const value = strict ? strictValue(path, text) : looseValue(text);
  checkNames(value, path);
  return { path, value };
}

function strictValue(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usage(`${path}: the value after := is not valid JSON`, `for a string, write ${path}=…`, cause);
  }
}

/** A number that would come out as another one (an id of twenty digits) stays a text. */
function looseValue(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'string') return text;
    if (typeof value !== 'number') return value;
    return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
  } catch {
    return text;
  }
}

function put(base: Payload, path: string, value: unknown): void {
  const steps = path.split('.');
  if (steps.length > MAX_STEPS || steps.includes(''))
    throw usage(`'${path.slice(0, 100)}' is not a valid field name`, 'separate names with single dots');
  const unsafe = steps.find((step) => UNSAFE.has(step));
  if (unsafe !== undefined)
    throw usage(`${path}: ${unsafe} is not allowed as a field name`, 'use another name');
  let holder: unknown = base;
  for (const [index, step] of steps.entries()) {
    const place = steps.slice(0, index + 1).join('.');
    const isLast = index === steps.length - 1;
    const next = isLast
      ? value
      : (memberOf(holder, step) ?? (/^\d+$/.test(steps[index + 1] ?? '') ? [] : {}));
    set(holder, step, next, place);
    holder = next;
  }
}

function memberOf(holder: unknown, step: string): unknown {
  return Object.hasOwn(Object(holder), step) ? (holder as Payload)[step] : undefined;
}

function set(holder: unknown, step: string, value: unknown, place: string): void {
  if (typeof holder !== 'object' || holder === null)
    throw usage(
      `${place}: the part before the last dot has a value that is neither an object nor a list`,
      'set only one of the two fields',
    );
  if (Array.isArray(holder) && !(/^\d+$/.test(step) && Number(step) <= holder.length))
    throw usage(
      `${place}: the list has length ${holder.length}`,
      `the index of the next item is ${holder.length}`,
    );
  (holder as Payload)[step] = value;
}

/** Refuses a value that has `__proto__` as a name anywhere, with an error of usage that names `place`. */
export function checkNames(value: unknown, place: string): void {
  const open: unknown[] = [value];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (typeof at !== 'object' || at === null) continue;
    if (Object.hasOwn(at, '__proto__')) {
      throw new RegistryError('usage', `${place}: __proto__ is not allowed as a field name`, {
        hint: 'remove it',
      });
    }
    // null, an item like any other, must not end the walk as nothing would
    for (const item of Object.values(at)) if (typeof item === 'object' && item !== null) open.push(item);
  }
}

function usage(message: string, hint: string, cause?: unknown): RegistryError {
  return new RegistryError('usage', message, { hint, ...(cause !== undefined && { cause }) });
}
