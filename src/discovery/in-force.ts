import type { AuthorisationEntry } from '../domain/declaration.ts';

/** From `effective_from` up to, but not including, `effective_until`; `now` in epoch milliseconds. */
export function isInForce({ limits }: Pick<AuthorisationEntry, 'limits'>, now: number): boolean {
  return (limits.effectiveFrom ?? -Infinity) <= now && now < (limits.effectiveUntil ?? Infinity);
}
