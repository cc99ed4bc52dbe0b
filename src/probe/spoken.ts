import type { Protocol } from '../domain/agent-type.ts';
import type { Tool } from '../domain/capabilities.ts';
import type { JsonObject } from './json.ts';

/** An agent with which the handshake succeeded, whatever the transport. Every method rejects with a ProbeFailure only. */
export interface Spoken {
  readonly protocol: Protocol;
  /** The URL that answers the protocol. */
  readonly endpoint: string;
  /** Of the handshake, whole milliseconds. */
  readonly responseTimeMs: number;
  readonly name?: string;
  readonly description?: string;
  /** A task that is not listed may work all the same. */
  readonly mayHideTasks: boolean;
  listTools(): Promise<readonly Tool[]>;
  /** Undefined when the agent offers none. */
  countResources(): Promise<number | undefined>;
  /** Calls a task that only reads. */
  callTask(task: string, input: JsonObject): Promise<JsonObject>;
  close(): Promise<void>;
}

/** Longest name and description that are kept of an agent. */
export const MAX_AGENT_NAME = 200;
export const MAX_AGENT_DESCRIPTION = 2_000;
