import type { Clock } from '../ports/clock.ts';

/** The system's clock. */
export const systemClock: Clock = { now: () => Date.now() };
