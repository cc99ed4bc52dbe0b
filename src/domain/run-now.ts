import type { Standing } from './standing.ts';

/** Between any run and the next one on demand. */
export const RUN_NOW_COOLDOWN_MS = 10 * 60_000;

/** Milliseconds until a run on demand is allowed; 0 when it is. */
export function runNowWait({ lastAttempt }: Standing, now: number): number {
  const wait = (lastAttempt?.at ?? Number.NEGATIVE_INFINITY) + RUN_NOW_COOLDOWN_MS - now;
  // a try that lies further ahead than this is of a clock that has been put back
  return wait > 2 * RUN_NOW_COOLDOWN_MS ? 0 : Math.min(Math.max(wait, 0), RUN_NOW_COOLDOWN_MS);
}

/** Whether the last try came to nothing because no credential was there to try it with. */
export function lackedCredential({ lastAttempt }: Standing): boolean {
  return lastAttempt?.outcome === 'inconclusive' && lastAttempt.reason === 'auth_required';
}
