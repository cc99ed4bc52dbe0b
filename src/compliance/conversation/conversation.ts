import type { JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import type { AgentUnderTest } from '../run-result.ts';
import type { StepAuth } from '../storyboard.ts';

/** One call as a run makes it. */
export interface OutgoingCall {
  /** What it is for, unique in the run: `storyboard/phase/step`, `clean-up/1`. */
  readonly key: string;
  readonly task: string;
  readonly payload: JsonObject;
  readonly auth: StepAuth;
  /** Milliseconds. */
  readonly callMs: number;
}

export interface CallOutcome {
  /** The task by the name that was called. */
  readonly name: string;
  /** With every secret taken out. */
  readonly answer: TaskAnswer;
}

/** What is known of an agent before the first storyboard. */
export interface Introduction {
  readonly agent: AgentUnderTest;
  /** The answer of the capabilities task; empty when there was none. */
  readonly capabilities: JsonObject;
  /** Names of what the agent lists. */
  readonly tools: readonly string[];
}

/** A way to the agent of a run: over the network, or through what an earlier run saved. */
export interface Conversation extends Introduction {
  /** Never rejects: whatever comes of it is a value. */
  call(call: OutgoingCall): Promise<CallOutcome>;
}

/** Hears every exchange, to keep it. */
export type Recorder = (call: OutgoingCall, outcome: CallOutcome) => Promise<void>;

/** The same conversation with a recorder to it. */
export function withRecorder(conversation: Conversation, record: Recorder): Conversation {
  return {
    ...conversation,
    async call(call) {
      const outcome = await conversation.call(call);
      await record(call, outcome);
      return outcome;
    },
  };
}
