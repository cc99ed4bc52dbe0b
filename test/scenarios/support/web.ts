import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a path answers: JSON, a text, a whole answer, or a function that does as it likes. */
export type Page = object | string | Answer | Handler;
export type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** An answer with its status; a body that is no text is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Hosts with their paths. A host that is a function answers every path; what is not there is 404. */
export type Pages = Readonly<Record<string, Readonly<Record<string, Page>> | Handler>>;

export interface FakeWeb {
  readonly connectTo: string;
  /** Replaced at will: the web of the next request. */
  pages: Pages;
  /** `host path status` of each request so far, robots.txt left out. */
  readonly requests: string[];
  close(): Promise<void>;
}

export const ADAGENTS = '/.well-known/adagents.json';
export const BRAND = '/.well-known/brand.json';

/** Serves many hosts on one loopback port, told apart by the Host header. */
export async function startWeb(pages: Pages): Promise<FakeWeb> {
  const requests: string[] = [];
  const web: { pages: Pages } = { pages };
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const path = request.url ?? '/';
    if (path !== '/robots.txt') {
      response.once('close', () => requests.push(`${host} ${path} ${response.statusCode}`));
    }
    return answer(web.pages[host], path, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(web, {
    connectTo: `*=${origin}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function answer(
  host: Pages[string] | undefined,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): unknown {
  if (typeof host === 'function') return host(request, response);
  const page = host?.[path];
  if (page === undefined) return response.writeHead(404).end();
  if (typeof page === 'function') return (page as Handler)(request, response);
  const { status, headers = {}, body } = isAnswer(page) ? page : { status: 200, body: page };
  if (status === 200 && headers.etag !== undefined && request.headers['if-none-match'] === headers.etag) {
    return response.writeHead(304, headers).end();
  }
  return response
    .writeHead(status, { 'content-type': mediaTypeOf(path), ...headers })
    .end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** The one that the format of a file demands. */
export function mediaTypeOf(path: string): string {
  return path.endsWith('.txt') ? 'text/plain' : 'application/json';
}

function isAnswer(page: object | string): page is Answer {
  return typeof page === 'object' && 'status' in page;
}
