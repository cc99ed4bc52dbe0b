import type { JsonObject } from '../base/json.ts';
import type { Protocol } from '../domain/agent-type.ts';
import type { Tool } from '../domain/capabilities.ts';
import type { ErrorClass } from '../domain/observation.ts';
import type { AgentError } from './agent-error.ts';

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

/** What one call of a task came to. Plain data: it can be kept and printed, and the bearer token stands nowhere in it. */
export type TaskAnswer = TaskContent & {
  /** HTTP status of the last answer; absent when none came. */
  readonly status?: number;
  /** Whole milliseconds. */
  readonly durationMs: number;
  /** The body as it came; for a stream all of it that belongs to this call. */
  readonly raw: string;
};

/** The answer alone: data, the agent's own no, or no answer of the protocol at all. */
export type TaskContent =
  | { readonly outcome: 'answered'; readonly data: JsonObject }
  | {
      readonly outcome: 'refused';
      readonly error: AgentError;
      /** The whole payload in which the error stood; absent for an error of JSON-RPC and for plain text. */
      readonly data?: JsonObject;
    }
  | { readonly outcome: 'failed'; readonly failure: TransportFailure };

export interface TransportFailure {
  readonly errorClass: ErrorClass;
  /** One sentence, lower case. */
  readonly message: string;
  /** The HTTP status where it is the reason. */
  readonly status?: number;
  /** What a 401 said under WWW-Authenticate. */
  readonly challenge?: string;
}
