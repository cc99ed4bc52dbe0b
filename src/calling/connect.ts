import type { Protocol } from '../domain/agent-type.ts';
import { speakA2a } from './a2a.ts';
import type { AgentConnection } from './connection.ts';
import { CallFailure, isHopeless, mostTelling, settle } from './failure.ts';
import { speakMcp } from './mcp.ts';
import type { CallSession } from './session.ts';

const HANDSHAKES: Readonly<Record<Protocol, (session: CallSession) => Promise<AgentConnection>>> = {
  mcp: speakMcp,
  a2a: speakA2a,
};

/** The first of these protocols in which the handshake succeeds; else the failure that tells most. */
export async function connect(
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
  return mostTelling(failures);
}
