import type { JsonObject } from '../../base/json.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { AgentUnderTest, Inconclusive, MadeThing, StepResult, StoryboardResult } from '../run-result.ts';
import type { RunValues } from './context.ts';

/** What a run tells of itself while it goes on. */
export type Progress =
  | { readonly kind: 'agent'; readonly storyboards: number; readonly steps: number }
  | { readonly kind: 'storyboard'; readonly index: number; readonly id: string; readonly title: string }
  | { readonly kind: 'step'; readonly step: StepResult }
  | { readonly kind: 'result'; readonly result: StoryboardResult };

/** A thing that the run made, and how it was asked for. */
export interface Made extends Omit<MadeThing, 'cancelled' | 'detail'> {
  readonly task: string;
  readonly request: JsonObject;
  cancelled: MadeThing['cancelled'];
  detail?: string;
}

/** The inside of one run: what it goes by, and what it has gathered so far. */
export interface RunState {
  readonly conversation: Conversation;
  readonly tools: ReadonlySet<string>;
  readonly values: RunValues;
  readonly clock: Clock;
  /** By whose schemas answers are judged, `3.0.0`. */
  readonly version: string;
  readonly dryRun: boolean;
  /** A token was given; a key of ours that signs opens no doors that an owner has locked. */
  readonly hasCredential: boolean;
  readonly canSign: boolean;
  /** One call, milliseconds. */
  readonly stepMs: number;
  /** Epoch milliseconds: later no step begins. */
  readonly endsAt: number;
  readonly signal?: AbortSignal;
  readonly visit?: AbortSignal;
  /** True once the budget of requests was asked for more. */
  readonly budgetSpent: () => boolean;
  /** Our own way out to the network, asked when the agent's fails; true when it works. */
  readonly control?: () => Promise<boolean>;
  readonly tell: (progress: Progress) => void;

  readonly steps: StepResult[];
  readonly storyboards: StoryboardResult[];
  readonly made: Made[];
  /** Why the run has to end before its end. */
  stop?: Inconclusive;
  /** A step was skipped as the agent wants credentials that we do not have. */
  wantsCredential: boolean;
  /** The agent has said meanwhile that it is no sandbox: nothing more is changed, and what was made is still ended. */
  withdrawn: boolean;
  /** Calls in a row without any answer. */
  silentCalls: number;
}

/** The agent as it may be treated now. */
export function agentNow({ conversation: { agent }, withdrawn }: RunState): AgentUnderTest {
  return withdrawn ? { ...agent, sandbox: false } : agent;
}

/** An agent that did not answer so many calls in a row is not called any more. */
export const MAX_SILENT_CALLS = 3;

/** Ends the run; the first reason stays. */
export function stopRun(state: RunState, reason: Inconclusive['reason'], detail: string): void {
  state.stop ??= { reason, detail };
}

/** True when no further step may begin. Looks at the clock and the signal first. */
export function isOver(state: RunState): boolean {
  if (state.signal?.aborted) stopRun(state, 'interrupted', 'the run was stopped');
  else if (state.clock.now() >= state.endsAt || state.visit?.aborted)
    stopRun(state, 'own_deadline', 'the time for the run was over');
  else if (state.budgetSpent()) stopRun(state, 'request_budget', 'the requests for one agent were used up');
  return state.stop !== undefined;
}
