import type { Protocol } from '../domain/agent-type.ts';
import type { Clock } from '../ports/clock.ts';
import type { Fetcher, GuardedFetch } from '../ports/fetcher.ts';
import { speakA2a } from './a2a.ts';
import type { AgentConnection } from './connection.ts';
import { CallFailure, isHopeless, mostInformative, settle } from './failure.ts';
import { speakMcp } from './mcp.ts';
import { type CallSession, openSession } from './session.ts';

const HANDSHAKES: Readonly<Record<Protocol, (session: CallSession) => Promise<AgentConnection>>> = {
  mcp: speakMcp,
  a2a: speakA2a,
};

export interface ConnectOptions {
  /** The URL to dial, absolute. */
  readonly url: string;
  readonly fetcher: Fetcher;
  readonly clock: Clock;
  /** Bearer token; it goes to the agent's own origin only and stands in nothing that is returned. */
  readonly auth?: string;
  /** Put around the guarded fetch for every request, a signing one for example. */
  readonly wrap?: (fetch: GuardedFetch) => GuardedFetch;
  /** Tried in this order; default MCP, then A2A. */
  readonly protocols?: readonly Protocol[];
  /** The loopback origin that the user typed as the command's argument. */
  readonly openOrigin?: string;
  /** The whole visit, milliseconds. */
  readonly deadlineMs: number;
  /** One call, milliseconds. Default 10,000. */
  readonly callMs?: number;
  /** Default 100. */
  readonly maxRequests?: number;
  /** Stops the visit; what is then returned says nothing about the agent. */
  readonly signal?: AbortSignal;
}

/**
 * Takes the turn of the agent's domain, shakes hands, and runs `work` with the connection, or with the failure that
 * tells most; ends the connection afterwards. Rejects only when `work` does, and with a TypeError for a relative URL.
 */
export async function withConnection<T>(
  options: ConnectOptions,
  work: (connection: AgentConnection | CallFailure, session: CallSession) => Promise<T>,
): Promise<T> {
  const { fetcher, openOrigin, signal, deadlineMs, protocols = ['mcp', 'a2a'] } = options;
  const url = new URL(options.url);
  const bounds = {
    host: url.hostname,
    deadlineMs,
    ...(signal && { signal }),
    ...(openOrigin !== undefined && { openOrigin }),
  };
  return fetcher.visit(bounds, async (visit) => {
    const session = openSession({ ...options, url, visit });
    const connection = await shakeHands(session, protocols);
    if (connection instanceof CallFailure) return work(connection, session);
    try {
      return await work(connection, session);
    } finally {
      await connection.close();
    }
  });
}

/** The first of these protocols in which the handshake succeeds; else the failure that tells most. */
export async function shakeHands(
  session: CallSession,
  protocols: readonly Protocol[],
): Promise<AgentConnection | CallFailure> {
  const failures: CallFailure[] = [];
  for (const protocol of protocols) {
    const connection = await settle(HANDSHAKES[protocol](session));
    if (!(connection instanceof CallFailure)) return connection;
    failures.push(connection);
    if (isHopeless(connection)) break;
  }
  return mostInformative(failures);
}
