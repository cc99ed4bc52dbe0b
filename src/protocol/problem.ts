import type { KnownErrorCode, ProtocolError, Recovery } from './generated/types.ts';

/**
 * Whether a retry helps, for each code of core/known_error_code.json: `correctable` after a change of the request,
 * `transient` later and as it is, `terminal` never.
 */
export const RECOVERY: Readonly<Record<KnownErrorCode, Recovery>> = {
  INVALID_REQUEST: 'correctable',
  VALIDATION_ERROR: 'correctable',
  REQUEST_TOO_LARGE: 'correctable',
  UNKNOWN_TASK: 'terminal',
  SCHEMA_MISMATCH: 'correctable',
  VERSION_UNSUPPORTED: 'correctable',
  UNSUPPORTED_FEATURE: 'correctable',
  AUTH_REQUIRED: 'correctable',
  PERMISSION_DENIED: 'terminal',
  RATE_LIMITED: 'transient',
  SERVICE_UNAVAILABLE: 'transient',
  INTERNAL_ERROR: 'transient',
  CONFLICT: 'correctable',
  IDEMPOTENCY_CONFLICT: 'correctable',
  IDEMPOTENCY_EXPIRED: 'correctable',
  IDEMPOTENCY_IN_FLIGHT: 'transient',
  ACCOUNT_NOT_FOUND: 'correctable',
  ACCOUNT_SETUP_REQUIRED: 'correctable',
  ACCOUNT_SUSPENDED: 'terminal',
  BILLING_NOT_SUPPORTED: 'correctable',
  PRODUCT_NOT_FOUND: 'correctable',
  PRODUCT_UNAVAILABLE: 'correctable',
  PRICING_OPTION_NOT_FOUND: 'correctable',
  FORMAT_NOT_FOUND: 'correctable',
  MEDIA_BUY_NOT_FOUND: 'correctable',
  PACKAGE_NOT_FOUND: 'correctable',
  CREATIVE_NOT_FOUND: 'correctable',
  CREATIVE_REJECTED: 'correctable',
  SIGNAL_NOT_FOUND: 'correctable',
  PLAN_NOT_FOUND: 'correctable',
  REFERENCE_NOT_FOUND: 'correctable',
  AUDIENCE_TOO_SMALL: 'correctable',
  INVALID_STATE: 'correctable',
  NOT_CANCELLABLE: 'terminal',
  BUDGET_TOO_LOW: 'correctable',
  BUDGET_EXCEEDED: 'correctable',
  BUDGET_EXHAUSTED: 'terminal',
  FLIGHT_INVALID: 'correctable',
  FLIGHT_IN_PAST: 'correctable',
  POLICY_VIOLATION: 'correctable',
  GOVERNANCE_DENIED: 'correctable',
  GOVERNANCE_UNAVAILABLE: 'transient',
  APPROVAL_REQUIRED: 'correctable',
  APPROVAL_INVALID: 'correctable',
};

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
