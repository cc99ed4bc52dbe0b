import type { JsonObject } from '../base/json.ts';
import { callByName, withConnection } from '../calling/connect.ts';
import type { AgentConnection, TaskAnswer } from '../calling/connection.ts';
import { CallFailure, inFull, settle } from '../calling/failure.ts';
import type { CallSession, Pause } from '../calling/session.ts';
import type { Protocol } from '../domain/agent-type.ts';
import type { Tool } from '../domain/capabilities.ts';
import type { Finding } from '../domain/finding.ts';
import type { ErrorClass, ProbeStep } from '../domain/observation.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';

/** Of each protocol, milliseconds. */
const EXAM_MS = 15_000;
const CAPABILITIES = 'get_proto_capabilities';
/** A task that does not exist. */
const NO_TASK = 'no_task_of_this_name';

/** What was seen over one protocol. */
export interface SeenOver {
  readonly protocol: Protocol;
  /** Why the handshake failed. */
  readonly failure?: { readonly errorClass: ErrorClass; readonly message: string };
  readonly name?: string;
  readonly tools?: readonly Tool[] | { readonly message: string };
  readonly capabilities?: TaskAnswer;
  /** The name under which the agent was asked for them. */
  readonly capabilitiesTask?: string;
  /** The answers to what the agent must reject. */
  readonly toNoTask?: TaskAnswer;
  readonly toWrongType?: TaskAnswer;
  readonly findings: readonly Finding[];
  readonly steps: readonly ProbeStep[];
}

interface ExamRequest {
  /** The URL to dial. */
  readonly url: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Default 15,000 for each protocol. */
  readonly deadlineMs?: number;
  /** Between two tries. Default: a timer. */
  readonly pause?: Pause;
  /** Stops it; what is then returned says nothing about the agent. */
  readonly signal?: AbortSignal;
}

/**
 * Examines an agent over MCP and over A2A without any credential: the handshake, the tool list, its capabilities, and two
 * requests that it must reject. Calls nothing that could change something, and sends nothing to another origin than that of
 * `url`, since anyone may ask for it. Never rejects for what the agent does.
 */
export async function examineAgent(request: ExamRequest): Promise<readonly SeenOver[]> {
  const seen: SeenOver[] = [];
  for (const protocol of ['mcp', 'a2a'] as const) seen.push(await examineOver(protocol, request));
  return seen;
}

function examineOver(protocol: Protocol, request: ExamRequest): Promise<SeenOver> {
  const { deadlineMs = EXAM_MS } = request;
  const options = {
    ...request,
    deadlineMs,
    protocols: [protocol],
  };
  return withConnection(options, async (connection, session) => {
    const seen =
      connection instanceof CallFailure ? { failure: failureOf(connection) } : await ask(connection);
    return { protocol, ...seen, ...ofSession(session) };
  });
}

async function ask(connection: AgentConnection): Promise<Partial<SeenOver>> {
  const { name } = connection;
  const listed = await settle(connection.listTools());
  const tools = listed instanceof CallFailure ? { message: inFull(listed) } : listed;
  const call = (payload: JsonObject) => callByName(connection, CAPABILITIES, payload);
  const { name: capabilitiesTask, answer: capabilities } = await call({});
  const seen = { ...(name !== undefined && { name }), tools, capabilities, capabilitiesTask };
  // an agent that requires credentials for everything is asked for nothing else
  if (capabilities.outcome === 'failed' && capabilities.failure.errorClass === 'auth_required') return seen;
  const toNoTask = await connection.callTask(NO_TASK, {});
  const { answer: toWrongType } = await call({ protocols: 7 });
  return { ...seen, toNoTask, toWrongType };
}

function failureOf(failure: CallFailure) {
  return { errorClass: failure.errorClass, message: inFull(failure) };
}

function ofSession({ findings, steps }: CallSession) {
  return { findings: findings.list(), steps };
}
