import type { AgentState } from '@agent-registry/surface/agent-kit';

const CLOCKS = 'business_clocks';
const OFFSET = 'offset';

interface StoredClock {
  readonly offsetMs: number;
}

/** The most that a caller's clock can be moved ahead in all: ten years. */
const MAX_OFFSET_MS = 10 * 366 * 24 * 3_600_000;

/** How far a caller's business clock is ahead of the agent's, in milliseconds; 0 until a test moved it. */
export function businessOffset(state: AgentState, callerId: string): number {
  return state.collection<StoredClock>(CLOCKS, callerId).get(OFFSET)?.offsetMs ?? 0;
}

/**
 * The time at which a caller's media buys live: the agent's, moved by the caller's own tests (`advance_time`), so that
 * no test moves the buys of another caller. Epoch milliseconds.
 */
export function businessNow(state: AgentState, callerId: string, now: number): number {
  return now + businessOffset(state, callerId);
}

/** Moves a caller's business clock ahead. False, and nothing changes, when it would be too far. */
export function moveClock(state: AgentState, callerId: string, byMs: number): boolean {
  const offsetMs = businessOffset(state, callerId) + byMs;
  if (offsetMs > MAX_OFFSET_MS) return false;
  state.collection<StoredClock>(CLOCKS, callerId).put(OFFSET, { offsetMs });
  return true;
}
