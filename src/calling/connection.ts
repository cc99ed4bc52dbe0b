import type { Protocol } from '../domain/agent-type.ts';
import type { Tool } from '../domain/capabilities.ts';
import type { TaskAnswer } from './task-answer.ts';

/** An agent with which the handshake succeeded, whatever the transport. Its calls are made one after the other. */
export interface AgentConnection {
  readonly protocol: Protocol;
  /** The URL that answers the protocol. */
  readonly endpoint: string;
  /** Of the handshake, whole milliseconds. */
  readonly responseTimeMs: number;
  readonly name?: string;
  readonly description?: string;
  /** A task that is not listed may work all the same. */
  readonly mayHideTasks: boolean;
  /** Rejects with a CallFailure only. */
  listTools(): Promise<readonly Tool[]>;
  /** Undefined when the agent offers none; rejects with a CallFailure only. */
  countResources(): Promise<number | undefined>;
  /** Calls any task with any payload, valid or not. Never rejects: whatever comes of it is a value. */
  callTask(task: string, payload: unknown, options?: TaskOptions): Promise<TaskAnswer>;
  /** The agent keeps a session for it, and may forget that; absent where there are no sessions. */
  readonly hasSession?: () => boolean;
  /** Ends what was opened. Never rejects. */
  close(): Promise<void>;
}

export interface TaskOptions {
  /** Milliseconds; default: that of the visit. */
  readonly callMs?: number;
  /** Largest answer, bytes after decompression. Default 1 MiB. */
  readonly maxBytes?: number;
  /**
   * Another bearer token than that of the visit; null for none. A server with sessions may well bind one to the
   * credentials that opened it: to be somebody else from the beginning, open another visit.
   */
  readonly auth?: string | null;
}

/** Longest name and description that are kept of an agent. */
export const MAX_AGENT_NAME = 200;
export const MAX_AGENT_DESCRIPTION = 2_000;
