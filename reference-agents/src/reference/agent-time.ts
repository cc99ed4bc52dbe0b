import type { AgentState } from '@agent-registry/surface/agent-kit';

/** The agent's time never runs back; these are the bounds of that, milliseconds. */
export const TIME = {
  /** How coarsely the latest moment is kept: a clock that goes back by less than this is followed. */
  step: 60_000,
  /** A clock further behind than this is believed: the time that was kept came from a clock that was wrong. */
  mostBehind: 7 * 86_400_000,
  /** A step ahead that is larger is a jump: of the clock, or because no process was running. */
  jump: 3_600_000,
  /** How long after a jump nothing is forgotten that cannot be had again. */
  settling: 3_600_000,
} as const;

/** The latest moment that this agent has known, epoch milliseconds. */
interface Mark {
  readonly at: number;
  /** Since when no step was a jump. */
  readonly steadySince: number;
}

type WithState = Pick<AgentState, 'collection'>;

/**
 * The agent's time at a moment of the clock (both epoch milliseconds): the clock's, or the latest that was known when
 * the clock has gone back, so that what was delivered or has ended stays so. Then time stands still until the clock
 * has caught up, for a week at most.
 */
export function agentTimeAt(state: WithState, clockNow: number): number {
  const mark = markIn(state);
  return mark === undefined || isMistaken(mark, clockNow) ? clockNow : Math.max(mark.at, clockNow);
}

/** Keeps the agent's time, as `agentTimeAt` gave it, when it has moved on by a step. Joins the transaction. */
export function keepTime(state: WithState, now: number): void {
  const mark = markIn(state);
  const known = mark !== undefined && !isMistaken(mark, now);
  if (known && now - mark.at < TIME.step) return;
  const steadySince = known && now - mark.at <= TIME.jump ? mark.steadySince : now;
  marksOf(state).put('latest', { at: now, steadySince });
}

/** Whether time has gone on without a jump for long enough to forget by it. */
export function isSteady(state: WithState, now: number): boolean {
  const mark = markIn(state);
  return mark !== undefined && now - mark.at <= TIME.jump && now - mark.steadySince >= TIME.settling;
}

function isMistaken({ at }: Mark, now: number): boolean {
  return at - now > TIME.mostBehind;
}

function markIn(state: WithState): Mark | undefined {
  return marksOf(state).get('latest');
}

function marksOf(state: WithState) {
  return state.collection<Mark>('agent_time');
}
