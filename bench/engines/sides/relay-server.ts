import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';
import { Client } from '@opensearch-project/opensearch';
import { asServer, sideInput } from '../../support/as-side.ts';

export interface RelayInput {
  readonly index: string;
  /** The name that searches go to. */
  readonly target: string;
  /** The bodies of searches; `GET /N` makes the N-th. */
  readonly searches: readonly string[];
  readonly timeoutMs: number;
}

/** The floor: a bare handler that makes the very same search and relays what comes, unread and piece by piece. */
const { index, target, searches, timeoutMs } = await sideInput<RelayInput>();
const client = new Client({ node: index, maxRetries: 0, disablePrototypePoisoningProtection: true });
const querystring = { allow_partial_search_results: false, timeout: `${timeoutMs}ms` };
const server = createServer(async (request, response) => {
  const body = searches[Number(request.url?.slice(1))] ?? '';
  const path = `/${target}/_search`;
  const found = await client.transport.request(
    { method: 'POST', path, querystring, body },
    { asStream: true, requestTimeout: timeoutMs },
  );
  response.writeHead(found.statusCode ?? 500, { 'content-type': 'application/json' });
  (found.body as unknown as Readable).pipe(response);
});
server.listen(0, '127.0.0.1', () => asServer({ port: (server.address() as AddressInfo).port }, cpu, stop));

/** Connections to the engine that nobody uses would keep the process alive. */
function stop(): void {
  server.close();
  void client.close();
}

function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
