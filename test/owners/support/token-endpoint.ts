import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface EndpointAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What an endpoint was asked. */
export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

/** The bytes of a request, for an endpoint that says them again. */
export interface EchoedRequest {
  readonly authorization: string;
  readonly body: string;
}

export type EndpointAnswers = EndpointAnswer | ((request: EchoedRequest) => EndpointAnswer);

/** A token endpoint on loopback that gives the answers one after the other, the last one for ever; and all that it was asked. */
export async function openTokenEndpoint(host: string, ...answers: readonly EndpointAnswers[]) {
  const asked: TokenRequest[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { authorization } = request.headers;
    const next = answers[asked.length] ?? answers.at(-1) ?? {};
    const given =
      typeof next === 'function' ? next({ authorization: authorization ?? '', body: text }) : next;
    const { status = 200, headers, body = '' } = given;
    asked.push({
      authorization,
      fields: Object.fromEntries(new URLSearchParams(text)),
    });
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { asked, connectTo: `${host}=http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
