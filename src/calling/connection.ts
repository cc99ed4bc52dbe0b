import type { JsonObject } from '../base/json.ts';
import type { Protocol } from '../domain/agent-type.ts';
import type { Tool } from '../domain/capabilities.ts';
import type { ErrorClass } from '../domain/observation.ts';
import type { AgentError } from './agent-error.ts';
import type { FailureFacts } from './failure.ts';

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
  /**
   * Whether the call is sent once more after a passing trouble: HTTP 429, 502, 503 or 504, a broken connection, or a
   * refusal that calls itself transient. Default: when the task only reads or the payload has an `idempotency_key`.
   */
  readonly repeatable?: boolean;
  /** False: a refusal by the agent itself is the answer, whatever it says of a retry. Default true. */
  readonly retryRefusals?: boolean;
}

/** Longest name and description that are kept of an agent. */
export const MAX_AGENT_NAME = 200;
export const MAX_AGENT_DESCRIPTION = 2_000;

/** The outcome of one call of a task. Plain data: it can be kept and printed, and does not contain the bearer token. */
export type TaskAnswer = TaskContent & {
  /** HTTP status of the last answer; absent when none came. */
  readonly status?: number;
  /** Its media type, lower case, without parameters. */
  readonly contentType?: string;
  /** The agent's own words about a call that failed: for the CLI, the lab and the owner only. */
  readonly words?: string;
  /** The call was sent twice, and this is the second answer. */
  readonly retried?: true;
  /** Of the last try, whole milliseconds. */
  readonly durationMs: number;
  /** The body as it came; for a stream all of it that belongs to this call. */
  readonly raw: string;
};

/** The answer alone: data, the agent's own refusal, or no answer of the protocol. */
export type TaskContent =
  | {
      readonly outcome: 'answered';
      readonly data: JsonObject;
      /** An MCP tool sent it as a text part, without structuredContent. */
      readonly asText?: true;
    }
  | {
      readonly outcome: 'refused';
      readonly error: AgentError;
      /** The whole payload that holds the error; absent for an error of JSON-RPC and for plain text. */
      readonly data?: JsonObject;
    }
  | { readonly outcome: 'failed'; readonly failure: TransportFailure };

export interface TransportFailure extends Omit<FailureFacts, 'rpcCode' | 'retryInMs' | 'request'> {
  readonly errorClass: ErrorClass;
  /** One sentence, lower case, without the agent's words. */
  readonly message: string;
}
