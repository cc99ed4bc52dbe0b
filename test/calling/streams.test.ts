import type { RequestListener, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { bodyOf, serve } from './support/serve.ts';
import { guardedFetcher } from './support/test-fetcher.ts';
import { visit } from './support/visit.ts';

type Write = (response: ServerResponse, message: string) => void;

const EVENTS = { 'content-type': 'text/event-stream' };
const whole =
  (stream: (message: string) => string): Write =>
  (response, message) =>
    void response.writeHead(200, EVENTS).end(stream(message));

/** An MCP server by hand that writes the answers to its calls as streams of events; it has no stream for GET. */
function streaming(write: Write): RequestListener {
  return async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = (await bodyOf(request)) ?? {};
    if (id === undefined) return void response.writeHead(202).end();
    const serverInfo = { name: 'streams', version: '1' };
    const result =
      method === 'initialize'
        ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }
        : { structuredContent: { place: 'Gent' }, content: [] };
    const message = JSON.stringify({ jsonrpc: '2.0', id, result });
    if (method === 'tools/call') write(response, message);
    else whole((one) => `data: ${one}\n\n`)(response, message);
  };
}

const call = async (write: Write) => {
  const url = await serve(streaming(write));
  return visit(url, (agent) => agent.callTask('get_products', {}), {
    ...{ fetcher: guardedFetcher(), openOrigin: url },
  });
};

describe('the lines of a stream', () => {
  it.each<[string, Write]>([
    ['LF', whole((message) => `event: message\ndata: ${message}\n\n`)],
    ['CRLF', whole((message) => `event: message\r\ndata: ${message}\r\n\r\n`)],
    ['CR', whole((message) => `event: message\rdata: ${message}\r\r`)],
    ['all of them', whole((message) => `: hello\r\n\revent: message\ndata: ${message}\r\n\r`)],
    [
      'CRLF that is split between two chunks, in a stream that stays open',
      (response, message) => {
        response.writeHead(200, EVENTS);
        response.write(`data: ${message}\r`, () => setImmediate(() => response.write('\n\r\n')));
      },
    ],
    [
      'CR at the end of a stream that stays open',
      (response, message) => {
        response.writeHead(200, EVENTS);
        response.write(`data: ${message}\r\r`);
      },
    ],
  ])('may end in %s', async (_name, write) => {
    expect(await call(write)).toMatchObject({ outcome: 'answered', data: { place: 'Gent' } });
  });
});

describe('a stream that ends', () => {
  it.each<[string, Write]>([
    ['with nothing in it', whole(() => '')],
    ['with a comment', whole(() => ': working\n\n')],
    ['before the empty line after its event', whole((message) => `data: ${message}\n`)],
    [
      'with a notification',
      whole(
        () =>
          'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n',
      ),
    ],
    ['with the answer to another call', whole(() => 'data: {"jsonrpc":"2.0","id":"other","result":{}}\n\n')],
    ['with an event id, where no stream can be resumed', whole(() => 'id: 1\nretry: 1\ndata: \n\n')],
  ])('%s is no answer, and not a timeout', async (_name, write) => {
    expect(await call(write)).toMatchObject({
      outcome: 'failed',
      failure: {
        errorClass: 'not_protocol',
        message: 'the stream ended without an answer',
        contentType: 'text/event-stream',
      },
    });
  });

  it('by a broken connection is retried, and then reported as that', async () => {
    let calls = 0;
    const answer = await call((response) => {
      calls += 1;
      response.writeHead(200, EVENTS);
      response.write(': working\n\n', () => response.socket?.resetAndDestroy());
    });
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'refused' }, retried: true });
    expect(calls).toBe(2);
  });

  it('before its answer is resumed where the server can do that', async () => {
    let kept = '';
    const cut = streaming((response, message) => {
      kept = message;
      response.writeHead(200, EVENTS).end('id: 1\nretry: 1\ndata: \n\n');
    });
    const url = await serve((request, response) => {
      if (request.headers['last-event-id'] !== '1') return cut(request, response);
      response.writeHead(200, EVENTS).end(`id: 2\ndata: ${kept}\n\n`);
    });
    const answer = await visit(url, (agent) => agent.callTask('get_products', {}));
    expect(answer).toMatchObject({ outcome: 'answered', data: { place: 'Gent' } });
  });

  it('of an HTTP+SSE server ends the call that waits for it', async () => {
    let stream: ServerResponse | undefined;
    const url = await serve(async (request, response) => {
      if (request.url === '/' && request.method === 'GET') {
        stream = response.writeHead(200, EVENTS);
        return void stream.write('event: endpoint\ndata: /messages\n\n');
      }
      if (request.url !== '/messages') return void response.writeHead(404).end();
      const { id, method } = (await bodyOf(request)) ?? {};
      response.writeHead(202).end();
      if (method === 'tools/call') return void stream?.end();
      const serverInfo = { name: 'old', version: '1' };
      const result = { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo };
      if (id !== undefined) stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    });
    const answer = await visit(url, (agent) => agent.callTask('get_products', {}));
    expect(answer).toMatchObject({
      outcome: 'failed',
      failure: { message: 'the stream ended without an answer' },
    });
  });
});
