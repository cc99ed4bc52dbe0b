import { createRedact } from '../base/redact.ts';
import { withConnection } from '../calling/connect.ts';
import type { AgentConnection } from '../calling/connection.ts';
import { CallFailure } from '../calling/failure.ts';
import type { CallSession, Pause } from '../calling/session.ts';
import type { Protocol } from '../domain/agent-type.ts';
import type { Observation } from '../domain/observation.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher } from '../ports/fetcher.ts';
import { type Asked, askAgent } from './ask-agent.ts';

/** The whole probe, milliseconds. */
const PROBE_MS = 30_000;

export interface ProbeRequest {
  /** The URL to dial, as declared. */
  readonly url: string;
  /** The agent's identity: its canonical URL. */
  readonly key: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Bearer token; it goes to the agent's own origin only and stands in nothing that is returned. */
  readonly auth?: string;
  /** What is known beforehand: this protocol is tried first. */
  readonly hints?: { readonly protocol?: Protocol };
  /** The loopback origin that the user typed as the command's argument. */
  readonly openOrigin?: string;
  /** The whole probe, milliseconds. Default 30,000. */
  readonly deadlineMs?: number;
  /** One call, milliseconds. Default 10,000. */
  readonly callMs?: number;
  /** Between two tries. Default: a timer. */
  readonly pause?: Pause;
  /** Stops the probe; what is then returned says nothing about the agent. */
  readonly signal?: AbortSignal;
}

type Result = Pick<Observation, 'health'> & Partial<Observation>;

/**
 * One visit to one agent: the handshake over MCP or A2A, its tools, and the capabilities task in either
 * vocabulary; nothing but reading. Never rejects for what the agent does; a TypeError when `url` is not absolute.
 */
export async function probeAgent(request: ProbeRequest): Promise<Observation> {
  const { auth, hints, deadlineMs = PROBE_MS } = request;
  const protocols: readonly Protocol[] = hints?.protocol === 'a2a' ? ['a2a', 'mcp'] : ['mcp', 'a2a'];
  const observation = await withConnection(
    { ...request, deadlineMs, protocols, discovers: true },
    async (connection, session) => observe(request, session, await look(session, connection)),
  );
  return auth === undefined ? observation : createRedact([auth])(observation);
}

async function look(session: CallSession, connection: AgentConnection | CallFailure): Promise<Result> {
  return connection instanceof CallFailure
    ? { health: offline(connection) }
    : online(connection, await askAgent(session, connection));
}

/** A demand for credentials is an answer: the agent is online. */
function offline(failure: CallFailure): Observation['health'] {
  const { errorClass, message } = failure;
  const online = errorClass === 'auth_required';
  return {
    online,
    error: online ? `the agent answers, but ${deniedFor(failure)}: ${message}` : message,
    ...why(failure),
  };
}

/** A 403 in the agent's own words may be for any reason, such as a Host header that it does not know. */
function deniedFor({ status, words }: CallFailure): string {
  return status === 403 && words !== undefined ? 'refuses the request' : 'requires credentials';
}

function why({ errorClass, words, status }: CallFailure) {
  return {
    errorClass,
    ...(words !== undefined && { words }),
    ...(status !== undefined && { status }),
  };
}

function online(connection: AgentConnection, asked: Asked): Result {
  return {
    health: {
      online: true,
      responseTimeMs: connection.responseTimeMs,
      ...(asked.toolsCount !== undefined && { toolsCount: asked.toolsCount }),
      ...(asked.resourcesCount !== undefined && { resourcesCount: asked.resourcesCount }),
      ...(asked.failure && { error: partlySeen(asked.failure), ...why(asked.failure) }),
    },
    protocol: connection.protocol,
    endpoint: connection.endpoint,
    ...(asked.exposed && { exposed: asked.exposed }),
  };
}

/** Beside `online: true` an error says that the agent answers, and which part of it is unknown. */
function partlySeen({ errorClass, message }: CallFailure): string {
  const why =
    errorClass === 'auth_required'
      ? 'its capabilities require credentials'
      : 'its capabilities could not be read';
  return `the agent answers, but ${why}: ${message}`;
}

function observe(request: ProbeRequest, session: CallSession, result: Result): Observation {
  const at = session.openedAt;
  return {
    agent: request.key,
    dialledUrl: request.url,
    at,
    durationMs: Math.max(0, Math.round(request.clock.now() - at)),
    ...result,
    steps: session.steps,
    findings: session.findings.list(),
    // a throttled attempt on the way to a good answer means nothing
    ...(session.retryAt !== undefined &&
      result.health.errorClass === 'http_error' && { retryAt: session.retryAt }),
  };
}
