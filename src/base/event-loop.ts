import { setImmediate } from 'node:timers/promises';

/** Rounds of the event loop in a break: each accepts one connection or starts one request. */
const ROUNDS = 12;

/** Lets other requests run before long work continues. */
export async function yieldToEventLoop(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) await setImmediate();
}
