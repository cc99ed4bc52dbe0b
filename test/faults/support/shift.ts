import type { Environment } from './registry.ts';

const PRELOAD = new URL('./shifted-clock.ts', import.meta.url).href;
const MINUTE = 60_000;
const YEAR = 365 * 24 * 60 * MINUTE;

/** How far a machine's clock is off. */
export interface Shift {
  readonly name: string;
  readonly ms: number;
}

export const SHIFTS: readonly Shift[] = [
  { name: '10 minutes ahead', ms: 10 * MINUTE },
  { name: 'a year behind', ms: -YEAR },
  { name: 'a year ahead', ms: YEAR },
  { name: '10 minutes behind', ms: -10 * MINUTE },
];

/** The environment of a command on a machine with such a clock. */
export function withShift(env: Environment, ms: number): Environment {
  return { ...env, NODE_OPTIONS: `--import ${PRELOAD}`, FAULT_CLOCK_SHIFT_MS: `${ms}` };
}
