import { type ConnectOptions, withConnection } from '../../../src/calling/connect.ts';
import type { AgentConnection } from '../../../src/calling/connection.ts';
import { CallFailure } from '../../../src/calling/failure.ts';
import { loopbackFetcher } from './test-fetcher.ts';

/** Visits a loopback agent with times that a busy machine needs; a handshake that fails fails the test. */
export function visit<T>(
  url: string,
  work: (connection: AgentConnection) => Promise<T>,
  more: Partial<ConnectOptions> = {},
): Promise<T> {
  const clock = { now: () => Date.now() };
  const bounds = { deadlineMs: 50_000, callMs: 40_000, pause: async () => undefined };
  return withConnection({ url, fetcher: loopbackFetcher(), clock, ...bounds, ...more }, (connection) => {
    if (connection instanceof CallFailure) throw connection;
    return work(connection);
  });
}
