import { RegistryError } from '../errors.ts';

/** One line of the doctor's list. */
export interface DoctorCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it. */
  readonly hint?: string;
  /** Of a check that compares: how much differs. */
  readonly differences?: number;
}

/** A check that did not pass for this error. */
export function failedCheck(name: string, error: unknown): DoctorCheck {
  return { name, ok: false, ...reason(error) };
}

function reason(error: unknown): { readonly detail: string; readonly hint?: string } {
  if (!(error instanceof RegistryError))
    return { detail: error instanceof Error ? error.message : String(error) };
  return { detail: error.message, ...(error.hint !== undefined && { hint: error.hint }) };
}
