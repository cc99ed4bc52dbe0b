import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ProxyRequest {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly body: string;
}

/**
 * `pass` on; `cut` the connection before or after the engine did what it was asked; `hang` as a frozen engine does;
 * answer with a status instead; or pass on only some items of a bulk request and refuse the others with 429.
 */
export type Verdict =
  | 'pass'
  | 'cut'
  | 'cut after'
  | 'hang'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly refuse: (item: number) => boolean };

export interface EngineProxy {
  readonly url: URL;
  /** `METHOD /path` of all requests so far. */
  readonly seen: string[];
  /** How many of them are still with the engine, which carries them out even when their sender is dead. */
  readonly underWay: () => number;
  judge: (request: ProxyRequest, number: number) => Verdict;
  close(): Promise<void>;
}

/** A server between the adapter and the real OpenSearch at `target`, which does to requests what is told by `judge`. */
export async function startProxy(
  target: string,
  judge: EngineProxy['judge'] = () => 'pass',
): Promise<EngineProxy> {
  const seen: string[] = [];
  let underWay = 0;
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = incoming;
    const request = { method, path: url.split('?')[0] ?? '', body: Buffer.concat(chunks).toString() };
    seen.push(`${method} ${request.path}`);
    const verdict = proxy.judge(request, seen.length);
    const forward = (body: string) => passOn(method, target + url, headers['content-type'], body);
    underWay += verdict === 'hang' ? 0 : 1;
    await carryOut(verdict, request, response, forward)
      .catch(() => response.destroy())
      .finally(() => {
        underWay -= verdict === 'hang' ? 0 : 1;
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const proxy: EngineProxy = {
    url: new URL(`http://127.0.0.1:${port}`),
    seen,
    underWay: () => underWay,
    judge,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

interface Passed {
  readonly status: number;
  readonly text: string;
}

async function passOn(method: string, url: string, type: string | undefined, body: string): Promise<Passed> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': type ?? 'application/json' },
    ...(body !== '' && { body }),
  });
  return { status: answer.status, text: await answer.text() };
}

async function carryOut(
  verdict: Verdict,
  { body }: ProxyRequest,
  response: ServerResponse,
  forward: (body: string) => Promise<Passed>,
): Promise<void> {
  if (verdict === 'hang') return;
  if (verdict === 'cut') return void response.destroy();
  if (verdict === 'cut after') {
    await forward(body);
    return void response.destroy();
  }
  if (verdict === 'pass') return reply(response, await forward(body));
  if ('status' in verdict) return void response.writeHead(verdict.status, { ...verdict.headers }).end();
  reply(response, await forwardSome(body, verdict.refuse, forward));
}

function reply(response: ServerResponse, { status, text }: Passed): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text);
}

const REFUSED = {
  index: { status: 429, error: { type: 'rejected_execution_exception', reason: 'too much' } },
};

async function forwardSome(
  body: string,
  refuse: (item: number) => boolean,
  forward: (body: string) => Promise<Passed>,
): Promise<Passed> {
  const lines = body.trimEnd().split('\n');
  const items = Array.from({ length: lines.length / 2 }, (_, at) => lines.slice(at * 2, at * 2 + 2));
  const refused = items.map((_, at) => refuse(at));
  const kept = items.filter((_, at) => !refused[at]);
  const passed = kept.length === 0 ? undefined : await forward(`${kept.flat().join('\n')}\n`);
  const done = passed === undefined ? [] : (JSON.parse(passed.text).items as object[]);
  const all = refused.map((isRefused) => (isRefused ? REFUSED : done.shift()));
  return { status: passed?.status ?? 200, text: JSON.stringify({ errors: true, items: all }) };
}
