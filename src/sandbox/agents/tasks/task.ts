import type { AgentFacts, AgentSpec } from '../agent.ts';

export interface Task {
  readonly description: string;
  /** JSON Schema of the request. */
  readonly input: JsonObjectSchema;
  readonly run: (input: Readonly<Record<string, unknown>>, context: TaskContext) => TaskResult;
}

export interface TaskContext {
  readonly spec: AgentSpec;
  readonly facts: AgentFacts;
}

/** The protocol's own errors are answers too, in both transports. */
export type TaskResult =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: TaskError };

export interface TaskError {
  readonly code: string;
  readonly message: string;
  readonly recovery: 'correctable' | 'transient' | 'terminal';
}

/** The tasks of one type of agent by name; shared by both transports. */
export type TaskTable = Readonly<Record<string, Task>>;

export interface JsonObjectSchema {
  readonly [key: string]: unknown;
  readonly type: 'object';
}

/** Schema of a request with these properties, of which some are required. */
export function request(
  properties: Readonly<Record<string, object>> = {},
  required: string[] = [],
): JsonObjectSchema {
  return { type: 'object', properties, required };
}

/** A task that only reads. */
export function reads(description: string, input: JsonObjectSchema, answer: Answer): Task {
  return { description, input, run: (given, context) => ({ ok: true, data: answer(given, context) }) };
}

type Answer = (
  input: Readonly<Record<string, unknown>>,
  context: TaskContext,
) => Readonly<Record<string, unknown>>;

/** A task that would change something: offered, and refused as the protocol says. */
export function changes(description: string, input: JsonObjectSchema): Task {
  return { description, input, run: () => ({ ok: false, error: READ_ONLY }) };
}

const READ_ONLY: TaskError = {
  code: 'UNSUPPORTED_FEATURE',
  message: 'this agent answers tasks that read, and changes nothing',
  recovery: 'terminal',
};

/** Parts of requests that many tasks share (specification, 4.3). */
export const SHARED = {
  text: { type: 'string' },
  number: { type: 'number' },
  list: { type: 'array', items: { type: 'object' } },
  brand: request({ domain: { type: 'string' } }, ['domain']),
  account: request({ brand: request({ domain: { type: 'string' } }), operator: { type: 'string' } }),
  key: { type: 'string', description: 'unique per logical request' },
} as const;
