import {
  type AgentState,
  type Clock,
  pause,
  type TaskName,
  type TaskRequests,
  type TaskResponses,
} from '@agent-registry/surface/agent-kit';
import type { TaskCaller } from './call-task.ts';

/** One step of a campaign, as it is kept: what was asked before it is asked, and what came back. */
export interface KeptStep {
  readonly name: string;
  /** Or the event that was waited for. */
  readonly task: string;
  readonly agent: string;
  /** Or what was to be told. */
  readonly request: object;
  readonly response?: object;
  /** Epoch milliseconds. */
  readonly doneAt?: number;
}

/** A campaign cannot go on: an agent refused, could not be reached for long, or somebody has to answer first. */
export class CampaignStopped extends Error {
  readonly step: string;
  /** Of the agent's refusal, of the failure, or `waiting`. */
  readonly code: string;

  constructor(step: string, code: string, message: string) {
    super(message);
    this.name = 'CampaignStopped';
    this.step = step;
    this.code = code;
  }
}

/** The steps of one campaign, which survive the process that takes them. */
export interface CampaignWalk {
  /**
   * Takes a step, or gives what it came to before. What is asked is kept before it is sent, and a step that was cut
   * off is asked again in the same words: with its idempotency key it has one effect. Throws a CampaignStopped.
   */
  step<T extends TaskName>(
    name: string,
    agent: string,
    task: T,
    request: () => TaskRequests[T],
  ): Promise<TaskResponses[T]>;
  /** Forgets what a step came to, so that the same is asked once more. */
  askAgain(name: string): void;
  /** Forgets a step, so that it is asked anew. */
  forget(name: string): void;
  /** Looks until what is waited for has come, and keeps it. Throws a CampaignStopped when nothing comes for long. */
  until(awaited: Awaited, look: () => object | undefined): Promise<void>;
  /** All steps so far, in their order. */
  steps(): readonly KeptStep[];
}

/** A step that is taken by somebody else. */
export type Awaited = Pick<KeptStep, 'name' | 'task' | 'agent' | 'request'>;

export interface WalkOptions {
  readonly campaign: string;
  readonly state: AgentState;
  readonly clock: Clock;
  readonly call: TaskCaller;
  /** How long an agent that is away is waited for, and a webhook, milliseconds. Default 30,000. */
  readonly patienceMs?: number;
  /** Hears of each step as it is done. */
  readonly onStep?: (step: KeptStep) => void;
  /** Hears once for each step why its agent is waited for. */
  readonly onWait?: (agent: string, why: { readonly code: string; readonly message: string }) => void;
}

/** Failures after which the same request may well be answered. */
const PASSING = [
  'dns',
  'refused',
  'timeout',
  'http_error',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
  'RATE_LIMITED',
];
const PAUSE_MS = 250;

export function openWalk(options: WalkOptions): CampaignWalk {
  const { campaign, state, clock, call, patienceMs = 30_000, onStep, onWait } = options;
  const kept = state.collection<KeptStep>('campaign_steps', campaign);

  async function ask<T extends TaskName>(name: string, agent: string, task: T, request: TaskRequests[T]) {
    const until = clock.now() + patienceMs;
    for (let tries = 0; ; tries += 1) {
      const called = await call(agent, task, request);
      if (called.ok) return called.data;
      if (!PASSING.includes(called.code) || clock.now() > until)
        throw new CampaignStopped(name, called.code, called.message);
      if (tries === 0) onWait?.(agent, called);
      await pause(PAUSE_MS);
    }
  }

  function finish(step: KeptStep, response: object): void {
    const done: KeptStep = { ...step, response, doneAt: clock.now() };
    kept.put(step.name, done);
    onStep?.(done);
  }

  return {
    async step<T extends TaskName>(name: string, agent: string, task: T, make: () => TaskRequests[T]) {
      const before = kept.get(name);
      if (before?.response !== undefined) return before.response as TaskResponses[T];
      const request = (before?.request as TaskRequests[T] | undefined) ?? make();
      const step: KeptStep = { name, task, agent, request };
      kept.put(name, step);
      const response = await ask(name, agent, task, request);
      finish(step, response);
      return response;
    },
    askAgain(name) {
      const step = kept.get(name);
      if (step === undefined) return;
      const { response: _response, doneAt: _doneAt, ...asked } = step;
      kept.put(name, asked);
    },
    forget: (name) => void kept.delete(name),
    async until(awaited, look) {
      const { name } = awaited;
      if (kept.get(name)?.response !== undefined) return;
      const end = clock.now() + patienceMs;
      for (;;) {
        const found = look();
        if (found !== undefined) return finish(awaited, found);
        if (clock.now() > end)
          throw new CampaignStopped(name, 'timeout', `no answer within ${patienceMs / 1_000} s`);
        await pause(PAUSE_MS);
      }
    },
    steps: () =>
      kept
        .list()
        .map(({ document }) => document)
        .toSorted((one, other) => (one.doneAt ?? Number.MAX_VALUE) - (other.doneAt ?? Number.MAX_VALUE)),
  };
}
