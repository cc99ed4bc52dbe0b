import { performance } from 'node:perf_hooks';
import type { JsonObject } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { CallFailure } from '../../calling/failure.ts';
import { MAX_PAGES } from '../../calling/limits.ts';
import type { GuardedFetch } from '../../ports/fetcher.ts';
import type { AgentUnderTest } from '../run-result.ts';
import type { AwaitedWebhooks } from '../special/webhook-expectation.ts';
import type { SignedVector, StepAuth } from '../storyboard.ts';

/** Counts what is sent to one agent, and ends what is too much. */
export interface RequestBudget {
  /** Sent so far. */
  readonly used: number;
  /** The run's budget was asked for more than it has. */
  readonly spent: boolean;
  /** A new step begins: it has its own small budget, and a larger one where a list of many pages is read in it. */
  beginStep(reads?: 'lists'): void;
  /** Adds some: what a run made is ended even when its requests are used up. */
  reserve(requests: number): void;
  around(fetch: GuardedFetch): GuardedFetch;
}

/** An agent that makes its client ask on and on inside one call loses the call; pings, cursors, redirects. */
const STEP_REQUESTS = 20;

const LIST_REQUESTS = STEP_REQUESTS + MAX_PAGES;

/** One call as a run makes it. */
export interface OutgoingCall {
  /** What it is for, unique in the run: `storyboard/phase/step`, `clean-up/1`. */
  readonly key: string;
  readonly task: string;
  readonly payload: JsonObject;
  readonly auth: StepAuth;
  /** Milliseconds. */
  readonly callMs: number;
  /** False where the step expects a refusal: one that calls itself transient is then the answer. Default true. */
  readonly retryRefusals?: boolean;
  /** Over this one of the connections of `openLanes`. */
  readonly lane?: number;
  /** Instead of a call: a GET without credentials of this document of the agent's origin. */
  readonly document?: string;
  /** Instead of a call: the webhooks that came for an operation. */
  readonly webhooks?: AwaitedWebhooks;
  /** Instead of a call: a message with a signature that is right or wrong on purpose. */
  readonly vector?: SignedVector;
}

/** How long a call took, whole milliseconds. */
export interface Waited {
  readonly elapsedMs: number;
  /** Without what is ours: pauses of politeness, and whatever kept this process from listening. */
  readonly waitedMs: number;
}

export interface CallOutcome {
  /** The task by the name that was called. */
  readonly name: string;
  /** With every secret taken out. */
  readonly answer: TaskAnswer;
  /** Absent where nobody was waited for, as in a replay. */
  readonly waited?: Waited;
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
  /**
   * Opens connections for calls that are made at the same time; the function closes them. Undefined where the agent has one
   * connection only. Absent in a replay.
   */
  openLanes?(auth: StepAuth, lanes: number): Promise<(() => Promise<void>) | undefined>;
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

export function createRequestBudget(requests: number): RequestBudget {
  let most = requests;
  let used = 0;
  let inStep = 0;
  let mostInStep = STEP_REQUESTS;
  let spent = false;
  return {
    get used() {
      return used;
    },
    get spent() {
      return spent;
    },
    beginStep(reads) {
      mostInStep = reads === 'lists' ? LIST_REQUESTS : STEP_REQUESTS;
      inStep = 0;
    },
    reserve(more) {
      most += more;
    },
    around(fetch) {
      return async (input, init) => {
        if (used >= most) {
          spent = true;
          throw new CallFailure('too_large', `the run has reached its limit of ${most} requests`);
        }
        if (inStep >= mostInStep)
          throw new CallFailure('too_large', `one call needed more than ${mostInStep} requests`);
        used += 1;
        inStep += 1;
        return fetch(input, init);
      };
    },
  };
}

type AgentsShare<T> = (result: T) => number;

/** Tells the time that an agent kept us waiting from the time that we took ourselves. */
export interface WaitMeter {
  /** Whole milliseconds for which the agent has kept us waiting so far. */
  readonly totalMs: number;
  /** Does what waits for the agent, and says how long that took and how much of it the agent did: at most `agentsMs`. */
  around<T>(work: () => Promise<T>, agentsMs?: AgentsShare<T>): Promise<Waited & { readonly result: T }>;
  /** Does what its answers cost us to read, which is its time as well: it chose how long they are, and what is in them. */
  reading<T>(work: () => T): T;
}

/** How often it is looked whether this process runs at all, milliseconds. */
const TICK_MS = 100;

/**
 * Times are of the monotonic clock, so that one which is set has no say. A tick that comes late tells that this process
 * was busy, stopped or starved: nobody could hear the agent then.
 *
 * @param heldMs for how long our politeness has held requests back so far
 */
export function createWaitMeter(heldMs: () => number = () => 0): WaitMeter {
  let totalMs = 0;
  return {
    get totalMs() {
      return totalMs;
    },
    reading(work) {
      const began = performance.now();
      const result = work();
      totalMs += Math.round(performance.now() - began);
      return result;
    },
    async around(work, agentsMs = () => Number.POSITIVE_INFINITY) {
      const began = performance.now();
      const held = heldMs();
      let deafMs = 0;
      let due = began + TICK_MS;
      const tick = () => {
        const now = performance.now();
        deafMs += Math.max(0, now - due);
        due = now + TICK_MS;
      };
      const timer = setInterval(tick, TICK_MS);
      try {
        const result = await work();
        tick();
        const elapsedMs = Math.round(performance.now() - began);
        const ownMs = deafMs + heldMs() - held;
        const waitedMs = Math.max(0, Math.round(Math.min(elapsedMs - ownMs, agentsMs(result))));
        totalMs += waitedMs;
        return { result, elapsedMs, waitedMs };
      } finally {
        clearInterval(timer);
      }
    },
  };
}

/** The same conversation, each outcome of which says how long the agent took. */
export function withWaiting(conversation: Conversation, meter: WaitMeter): Conversation {
  return {
    ...conversation,
    async call(call) {
      // of a window for webhooks, the answer says how much the agent used
      const agentsMs = call.webhooks && (({ answer }: CallOutcome) => answer.durationMs);
      const { result, ...waited } = await meter.around(() => conversation.call(call), agentsMs);
      return { ...result, waited };
    },
  };
}
