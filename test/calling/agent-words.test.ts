import { describe, expect, it } from 'vitest';
import { mediaTypeOf, wordsIn } from '../../src/calling/failure.ts';
import { answers, withFaults } from './support/faults.ts';
import { mcpAgent } from './support/mcp-agent.ts';
import { rpcAgent, rpcError } from './support/rpc.ts';
import { json, serve } from './support/serve.ts';
import { guardedFetcher } from './support/test-fetcher.ts';
import { visit } from './support/visit.ts';

describe('the words of an agent in the body of an error', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['Invalid Host header', 'text/plain', 'Invalid Host header'],
    ['Invalid Host header', undefined, 'Invalid Host header'],
    ['{"message":"no such tenant"}', 'application/json', 'no such tenant'],
    ['{"detail":"Not Found"}', 'application/json', 'Not Found'],
    ['{"title":"Gone","type":"about:blank"}', 'application/problem+json', 'Gone'],
    ['{"error":"invalid_token","error_description":"it expired"}', 'application/json', 'invalid_token'],
    ['{"error":{"code":7,"message":"quota"}}', 'application/json', 'quota'],
    ['{"errors":[{"message":"first"},{"message":"second"}]}', 'application/json', 'first'],
    [
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: Unsupported protocol version"}}',
      'application/json',
      'Bad Request: Unsupported protocol version (JSON-RPC error -32000)',
    ],
    ['<!doctype html><title>502 Bad\n Gateway</title><p>x', 'text/html', '502 Bad Gateway'],
    ['<HTML><TITLE lang=en>Down</TITLE>', 'text/plain', 'Down'],
    ['<html><p>Down', 'text/html', undefined],
    ['<title', 'text/html', undefined],
    ['{"message":7}', 'application/json', undefined],
    ['{"message":', 'application/json', undefined],
    ['\u0000\u001b[31m red \u202e\r\n text', 'text/plain', '[31m red text'],
    ['', 'text/plain', undefined],
    ['GIF89a', 'image/gif', undefined],
  ])('of %j as %s are %j', (body, contentType, words) => {
    expect(wordsIn(body, contentType)).toBe(words);
  });

  it('are cut at 300 characters, with the code of JSON-RPC kept', () => {
    expect(wordsIn('é'.repeat(400), 'text/plain')).toBe('é'.repeat(300));
    const long = JSON.stringify({ jsonrpc: '2.0', error: { code: -32_001, message: 'x'.repeat(400) } });
    expect(wordsIn(long, 'application/json')).toMatch(/^x{276} \(JSON-RPC error -32001\)$/);
  });
});

it.each([
  ['Text/HTML; charset=utf-8', 'text/html'],
  ['application/json;', 'application/json'],
  ['buy our products/now', undefined],
  ['', undefined],
  [null, undefined],
])('the media type of %j is %j', (header, type) => {
  expect(mediaTypeOf(header)).toBe(type);
});

describe('a call that fails', () => {
  const AGENT = mcpAgent({ tools: ['get_products'], answers: {} });
  const failing = async (...fault: Parameters<typeof answers>) => {
    const url = await serve(withFaults(AGENT, { get_products: [answers(...fault)] }));
    const call = { auth: 's3cret-token-of-mine' };
    const guarded = { fetcher: guardedFetcher(), openOrigin: url };
    return visit(url, (agent) => agent.callTask('get_products', {}, call), guarded);
  };

  it.each<[string, Parameters<typeof answers>, object]>([
    [
      'an HTML page',
      [500, '<title>Oops</title><h1>Stack</h1>', { 'content-type': 'text/html; charset=utf-8' }],
      { message: 'HTTP 500 text/html', contentType: 'text/html', words: 'Oops', errorClass: 'http_error' },
    ],
    ['a text', [421, 'Invalid Host header'], { message: 'HTTP 421', words: 'Invalid Host header' }],
    ['no body', [500, '', {}], { message: 'HTTP 500', status: 500 }],
    ['another type', [500, 'x', { 'content-type': 'image/png' }], { message: 'HTTP 500 image/png' }],
    [
      'its token',
      [403, 'bad token s3cret-token-of-mine'],
      { message: 'HTTP 403', words: 'bad token [redacted]', errorClass: 'auth_required' },
    ],
    [
      'a challenge so long that it is cut within its token',
      [401, 'no', { 'www-authenticate': `Bearer realm="${'x'.repeat(476)} s3cret-token-of-mine"` }],
      { challenge: `Bearer realm="${'x'.repeat(476)} [redacted]` },
    ],
    [
      'a page in the place of an answer',
      [200, '<title>Sign in</title>', { 'content-type': 'text/html' }],
      { message: 'HTTP 200 text/html, which is not a protocol message', contentType: 'text/html' },
    ],
  ])('with %s says what came', async (_name, fault, failure) => {
    expect(await failing(...fault)).toMatchObject({ outcome: 'failed', failure });
  });

  it('with a JSON-RPC error keeps its words out of the message', async () => {
    const url = await serve(
      rpcAgent({
        'tools/list': { raw: (response, call) => json(response, rpcError(call, -32_603, 'oops')) },
      }),
    );
    await expect(visit(url, (agent) => agent.listTools())).rejects.toMatchObject({
      message: 'JSON-RPC error -32603',
      words: 'oops',
    });
  });
});
