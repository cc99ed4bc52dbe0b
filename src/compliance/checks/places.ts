import { type Found, parsePath, resolvePath } from '../json-path.ts';
import { type CheckInput, type CheckVerdict, notApplicable } from './check.ts';

/** The places of a check's path in the payload, or the verdict that there is no payload or no path. */
export function placesOf({ validation, payload, answer }: CheckInput): readonly Found[] | CheckVerdict {
  const { path } = validation;
  const steps = path === undefined ? undefined : parsePath(path);
  if (steps === undefined) return notApplicable('the check has no path');
  if (payload === undefined)
    return { result: 'fail', message: `${path} was looked for, and there is no payload: ${answer.outcome}` };
  return resolvePath(payload, steps);
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
export function failAt(found: Found, message: string, expected?: unknown): CheckVerdict {
  return {
    result: 'fail',
    message,
    pointer: found.pointer,
    ...(expected !== undefined && { expected }),
    ...(found.present && { actual: found.value }),
  };
}

/** How a place is named in a sentence. */
export function nameOf({ pointer }: Found): string {
  return pointer === '' ? 'the answer' : pointer;
}
