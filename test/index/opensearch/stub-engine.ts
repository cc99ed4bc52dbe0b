import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface StubRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A status with an optional JSON body and headers; `hang` never answers, `cut` breaks the connection. */
export type StubAnswer =
  | 'hang'
  | 'hang after the head'
  | 'cut'
  | 'cut after the head'
  | { readonly status: number; readonly body?: object; readonly headers?: Readonly<Record<string, string>> };

export interface StubEngine {
  readonly url: URL;
  readonly requests: readonly StubRequest[];
  close(): Promise<void>;
}

/** A server on loopback that answers as it is told, for what a real engine does only in bad moments. */
export async function startStubEngine(
  answer: (request: StubRequest, number: number) => StubAnswer | Promise<StubAnswer>,
  tls?: { readonly key: string; readonly cert: string },
): Promise<StubEngine> {
  const requests: StubRequest[] = [];
  const listener = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: Buffer.concat(chunks).toString() };
    requests.push(request);
    play(await answer(request, requests.length), response);
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`),
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function play(answer: StubAnswer, response: ServerResponse): void {
  if (answer === 'hang') return;
  if (answer === 'cut') return void response.destroy();
  if (typeof answer === 'string') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
    response.write('{"took":1,', () => {
      if (answer === 'cut after the head') response.destroy();
    });
    return;
  }
  const body = answer.body === undefined ? '' : JSON.stringify(answer.body);
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers }).end(body);
}

/** What an engine says to a bulk request: each item with the status that is told for it. */
export function bulkAnswer(statuses: readonly number[]): StubAnswer {
  const items = statuses.map((status) => ({
    index: { status, ...(status >= 400 && { error: { type: `type_${status}`, reason: 'told to' } }) },
  }));
  return { status: 200, body: { errors: statuses.some((status) => status >= 400), items } };
}
