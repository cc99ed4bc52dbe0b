import { RECOVERY } from './error-codes.ts';
import type { KnownErrorCode, ProtocolError } from './generated/types.ts';

/** Why a task was refused, as it goes over the wire (core/error.json), with a code that is known here. */
export type Problem = ProtocolError & { readonly code: KnownErrorCode };

/**
 * A problem with what follows from its code: whether a retry helps. `pointer` is a JSON Pointer (RFC 6901) into the
 * request, empty for the request as a whole.
 */
export function problem(
  code: KnownErrorCode,
  message: string,
  more: Omit<ProtocolError, 'code' | 'message' | 'recovery'> = {},
): Problem {
  return { code, message, recovery: RECOVERY[code], ...more };
}

/** A JSON Pointer to these steps (RFC 6901, section 3). */
export function jsonPointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
