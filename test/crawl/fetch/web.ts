import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { parseConnectTo } from '../../../src/crawl/fetch/connect-to.ts';
import { createFetcher, type FetcherOptions } from '../../../src/crawl/fetch/fetcher.ts';
import type { Capture } from '../../../src/domain/capture.ts';
import type { Fetcher, GetRequest, Visit } from '../../../src/ports/fetcher.ts';
import { TEST_CA, TEST_CERTIFICATE, TEST_KEY } from './certificates.ts';

/** A server on loopback that remembers its requests and connections. */
export interface Web {
  readonly origin: string;
  readonly port: number;
  /** `METHOD host path` of each request, robots.txt left out. */
  readonly seen: string[];
  readonly requests: IncomingMessage[];
  connections(): number;
  close(): Promise<void>;
}

const SYSTEM_CLOCK = { now: Date.now };
export const TEST_USER_AGENT = {
  product: 'agent-registry',
  version: '0.1',
  contact: new URL('https://registry.example/us'),
};

/** Serves plain HTTP, or TLS with the test certificate, on a free port; robots.txt is 404 unless the listener has it. */
export async function serve(
  listener: RequestListener,
  { tls = false, robots = false, ecdhCurve = 'auto' } = {},
): Promise<Web> {
  const seen: string[] = [];
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const handle: RequestListener = (request, response) => {
    if (request.url === '/robots.txt' && !robots) return response.writeHead(404).end();
    seen.push(`${request.method} ${request.headers.host} ${request.url}`);
    requests.push(request);
    return listener(request, response);
  };
  const server: Server = tls
    ? createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE, ecdhCurve }, handle)
    : createServer(handle);
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    seen,
    requests,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A fetcher whose every host is the given web, or, without one, the world as options say. */
export function fetcherFor(web?: Web, options: Partial<FetcherOptions> = {}): Fetcher {
  const connectTo = web === undefined ? [] : parseConnectTo([`*=${web.origin}`]);
  return createFetcher({
    clock: SYSTEM_CLOCK,
    userAgent: TEST_USER_AGENT,
    connectTo,
    ca: TEST_CA,
    ...options,
  });
}

/** Runs `work` in one visit to news.example with a deadline that no healthy test meets. */
export function visiting<T>(
  fetcher: Fetcher,
  work: (visit: Visit) => Promise<T>,
  deadlineMs = 15_000,
): Promise<T> {
  return fetcher.visit({ host: 'news.example', deadlineMs }, work);
}

/** One file in a visit of its own. */
export function getOne(
  fetcher: Fetcher,
  request: Partial<GetRequest> = {},
  deadlineMs?: number,
): Promise<Capture> {
  const whole: GetRequest = {
    url: 'https://news.example/file',
    maxBytes: 1 << 20,
    redirects: { allow: 'none' },
    ...request,
  };
  return visiting(fetcher, (visit) => visit.get(whole), deadlineMs);
}
