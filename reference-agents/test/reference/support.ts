import { onTestFinished } from 'vitest';
import { openAgentStates } from '../../../src/compose/agent-stores.ts';
import type { AgentType } from '../../../src/domain/agent-type.ts';
import type { Problem } from '../../../src/protocol/problem.ts';
import { checkResponse } from '../../../src/protocol/read-request.ts';
import { taskNamed } from '../../../src/protocol/tasks.ts';
import type { AgentStates } from '../../../src/records/sqlite/agent-state.ts';
import type { AgentProfile, AgentSpec } from '../../src/agents/agent.ts';
import type { Caller, Handlers, ReferenceAgent } from '../../src/reference/handler.ts';
import { runTask } from '../../src/reference/run-task.ts';
import { bareAgent } from '../support/reference-agent.ts';

/** Two buyers that do not know of each other. */
export const BUYER: Caller = {
  id: 'https://buyer-1.agents.example/mcp',
  operator: 'tidewater-group.example',
  signed: true,
};
export const OTHER_BUYER: Caller = {
  id: 'https://magpie.example/a2a',
  operator: 'magpie.example',
  signed: true,
};

/** A clock that moves only when a test says so. */
export interface TestClock {
  now(): number;
  /** Moves on. */
  pass(seconds: number): void;
  set(iso: string): void;
}

export function testClock(iso = '2026-03-02T09:00:00.000Z'): TestClock {
  let now = Date.parse(iso);
  return {
    now: () => now,
    pass: (seconds) => {
      now += seconds * 1_000;
    },
    set: (next) => {
      now = Date.parse(next);
    },
  };
}

export interface AgentUnderTestOptions {
  readonly type: AgentType;
  readonly handlers: Handlers;
  readonly clock?: TestClock;
  readonly spec?: Partial<AgentSpec>;
  readonly facts?: Partial<AgentProfile>;
  /** Default: a fresh one in memory. */
  readonly states?: AgentStates;
  /** Parts of the agent that the test brings itself: approvals, their signer. */
  readonly parts?: Partial<Pick<ReferenceAgent, 'approvals' | 'approvalSigner' | 'webhooks'>>;
}

export interface AgentUnderTest {
  readonly agent: ReferenceAgent;
  readonly clock: TestClock;
  /** The payloads of the webhooks that were added, in order. */
  readonly webhooks: { readonly url: string; readonly payload: Readonly<Record<string, unknown>> }[];
  /** The answer of a task that succeeds; throws when it is refused, or when the answer does not follow its schema. */
  call(task: string, payload: object, caller?: Caller): Promise<Answer>;
  /** The problem of a task that is refused; throws when it succeeds. */
  refusal(task: string, payload: object, caller?: Caller): Promise<Problem>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look deep into answers, and say themselves what they expect there
export type Answer = any;

/** An agent with these handlers and a state of its own, called without any transport. */
export function startAgent(options: AgentUnderTestOptions): AgentUnderTest {
  const { type, handlers, clock = testClock() } = options;
  const states = options.states ?? openAgentStates(':memory:');
  if (options.states === undefined) onTestFinished(() => states.close());
  const url = options.spec?.url ?? `https://${type}-1.agents.example/mcp`;
  const webhooks: AgentUnderTest['webhooks'] = [];
  const spec: AgentSpec = {
    name: `The ${type} agent`,
    description: 'under test',
    url,
    type,
    transport: { protocol: 'mcp', style: 'json' },
    ...options.spec,
  };
  const facts: AgentProfile = { vocabulary: 'proto', publisherDomains: [], metrics: [], ...options.facts };
  const agent: ReferenceAgent = {
    ...bareAgent(spec, facts, states.of(url)),
    webhooks: { add: (webhook) => void webhooks.push(webhook) },
    ...options.parts,
  };
  const run = (task: string, payload: object, caller: Caller = BUYER) =>
    // As it comes over the wire: nothing but JSON.
    runTask(agent, handlers, task, JSON.parse(JSON.stringify(payload)), caller, clock.now());
  return {
    agent,
    clock,
    webhooks,
    async call(task, payload, caller) {
      const result = await run(task, payload, caller);
      if (!result.ok) throw new Error(`${task} was refused: ${JSON.stringify(result.error)}`);
      const name = taskNamed(task);
      const issues = name === undefined ? [] : checkResponse(name, JSON.parse(JSON.stringify(result.data)));
      if (issues.length > 0)
        throw new Error(`the answer of ${task} breaks its schema: ${JSON.stringify(issues)}`);
      return result.data;
    },
    async refusal(task, payload, caller) {
      const result = await run(task, payload, caller);
      if (result.ok) throw new Error(`${task} was not refused: ${JSON.stringify(result.data)}`);
      return result.error;
    },
  };
}

let keys = 0;

/** An idempotency key that no other call has. */
export function freshKey(): string {
  keys += 1;
  return `test-key-${String(keys).padStart(12, '0')}`;
}
