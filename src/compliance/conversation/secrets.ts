import { isObject } from '../../base/json.ts';
import { CallFailure } from '../../calling/failure.ts';
import { createFindTraces, type Range } from './secret-traces.ts';

/** Takes secrets out of what an agent said or was sent. */
export type Redact = <T>(value: T) => T;

/** Stands where a secret was. */
export const HIDDEN = '[redacted]';
/** Members whose text is a secret whoever wrote it. */
const SECRET_NAMES =
  /^(proxy-)?(authori[sz]ation|cookie|set-cookie)$|^(x-)?api[_-]?key$|^((access|refresh|id|bearer|auth|client)[_-]?)?(token|secret)$|^pass(word|phrase)$|^(private|secret)[_-]?key$|^credentials?$/i;
/** `Bearer …` wherever it stands. */
const BEARER = /\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi;

/**
 * Hides the given credentials, and good parts of them, in every form in which an agent may echo them (secret-traces.ts),
 * in names too. A value in which nothing is hidden is given back as it is.
 */
export function createRedact(secrets: readonly string[]): Redact {
  const find = createFindTraces(secrets);
  const numbers = new Set(secrets.filter((secret) => secret.length >= 8).map(Number));
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') return withoutRanges(value, find(value));
    if (typeof value === 'number') return numbers.has(value) ? HIDDEN : value;
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? cleanList(value, clean) : cleanObject(value, clean);
  };
  return (value) => clean(value) as typeof value;
}

type Clean = (value: unknown) => unknown;

function cleanList(list: readonly unknown[], clean: Clean): readonly unknown[] {
  const cleaned = list.map(clean);
  return cleaned.some((item, at) => !Object.is(item, list[at])) ? cleaned : list;
}

function cleanObject(object: object, clean: Clean): object {
  const members: [unknown, unknown][] = [];
  let changed = false;
  for (const [key, item] of Object.entries(object)) {
    const member: [unknown, unknown] = [clean(key), clean(item)];
    changed ||= member[0] !== key || !Object.is(member[1], item);
    members.push(member);
  }
  return changed ? Object.fromEntries(members) : object;
}

function withoutRanges(text: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return text;
  const kept = ranges.map(([from], n) => text.slice(ranges[n - 1]?.[1] ?? 0, from));
  return [...kept, text.slice(ranges.at(-1)?.[1])].join(HIDDEN);
}

/**
 * Hides what is a secret by its form or its name (`Bearer …`, `authorization`, `password`), for what is kept and shown:
 * a run itself may have to hand such a value on.
 */
export function hideSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(BEARER, `$1 ${HIDDEN}`);
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      typeof item === 'string' && SECRET_NAMES.test(key) ? HIDDEN : hideSecrets(item),
    ]),
  );
}

/** The same failure, with nothing in its words that is hidden. */
export function redactFailure(failure: CallFailure, redact: <T>(value: T) => T): CallFailure {
  const { errorClass, message, status, rpcCode } = failure;
  return new CallFailure(errorClass, redact(message), {
    ...(status !== undefined && { status }),
    ...(rpcCode !== undefined && { rpcCode }),
  });
}
