import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { rpcAgent } from '../calling/support/rpc.ts';
import { html, NOBODY, serve } from '../calling/support/serve.ts';
import { type Shop, shopOverA2a } from '../calling/support/shop.ts';
import { run } from './support/cli.ts';
import { BRIEF, call, open, sampleShop } from './support/sample-shop.ts';

/** Breaks off in the middle of its answer. */
function half(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"jsonrpc":', () => response.destroy());
}

async function halfOverA2a(): Promise<string> {
  const agent = shopOverA2a(() => ({ data: {} }));
  const origin = await serve((request, response) =>
    request.method === 'GET' ? agent(request, response) : half(response),
  );
  return `${origin}/a2a`;
}

describe('an answer', () => {
  it('is printed as tables and indented members', async () => {
    const ran = await run('call', await open(sampleShop().shop), 'get_products', ...BRIEF);
    expect(ran.stdout.split('\n').slice(1, 8)).toEqual([
      '  products (1):',
      '    - product_id: evening-video',
      '      name: Evening video',
      '      channels: olv',
      '      pricing_options (1):',
      '        pricing_option_id  model  price  currency',
      '        cpm-1              cpm    14     EUR',
    ]);
  });

  it('is printed as it came with --raw', async () => {
    const ran = await run('call', await open(sampleShop().shop), 'get_products', ...BRIEF, '--raw');
    expect(JSON.parse(ran.stdout)).toMatchObject({ jsonrpc: '2.0', result: { structuredContent: {} } });
  });

  it('that does not follow its schema is printed with what is wrong', async () => {
    const bad: Shop = () => ({ data: { products: [{ product_id: 7 }] } });
    const url = await open(bad);
    const ran = await run('call', url, 'get_products', ...BRIEF);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(
      /the answer does not match the schema[\s\S]*\/products\/0\/product_id +must be string/,
    );
    const called = await call(1, url, 'get_products', ...BRIEF);
    expect(called.issues).toContainEqual(expect.objectContaining({ pointer: '/products/0/product_id' }));
  });

  it.each<[string, object]>([
    ['under adcp_error', { adcp_error: { code: 'INVALID_REQUEST', message: 'no such segment' } }],
    ['in errors', { errors: [{ code: 'INVALID_REQUEST', message: 'no such segment' }] }],
    [
      'in errors, with a status',
      { status: 'failed', errors: [{ code: 'INVALID_REQUEST', message: 'no such segment' }] },
    ],
  ])('that holds only an error is a refusal, though nothing marks it as one: %s', async (_name, data) => {
    const url = await serve(rpcAgent({ 'tools/call': () => ({ structuredContent: data, content: [] }) }));
    const ran = await run('call', url, 'get_products', ...BRIEF);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain('get_products  refused  ');
    expect(ran.stdout).toContain('  INVALID_REQUEST: no such segment\n');
  });

  it('with an error beside its data is an answer', async () => {
    const data = { products: [], errors: [{ code: 'PARTIAL', message: 'one source is down' }] };
    const url = await serve(rpcAgent({ 'tools/call': () => ({ structuredContent: data, content: [] }) }));
    expect((await run('call', url, 'get_products', ...BRIEF)).stdout).toContain('get_products  answered  ');
  });

  it('cannot command the terminal', async () => {
    const evil = '\u001b[31mred\u001b]0;title\u0007\r\n\u009b2J\u202eltr';
    const data: Shop = (task) =>
      task === 'get_products'
        ? { data: { [evil]: [evil, { [evil]: evil }] } }
        : { error: { code: evil, message: evil } };
    const url = await open(data);
    for (const format of ['text', 'json']) {
      for (const task of ['get_products', 'create_media_buy']) {
        const ran = await run('call', url, task, '--no-validate', '--format', format);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
        expect(ran.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        expect(ran.stdout).toContain('title');
      }
    }
  });

  it.each([
    ['nobody there', () => NOBODY, 'refused'],
    ['a page', () => serve((_request, response) => html(response, 200)), 'not_protocol'],
    ['a 401', () => serve((_request, response) => html(response, 401)), 'auth_required'],
    [
      'a task that is a 401',
      () => serve(rpcAgent({ 'tools/call': { raw: (r) => html(r, 401) } })),
      'auth_required',
    ],
    ['half an answer', () => serve(rpcAgent({ 'tools/call': { raw: half } })), 'refused'],
    ['half an answer over A2A', halfOverA2a, 'refused'],
    ['a task that hangs', () => serve(rpcAgent({ 'tools/call': { raw: () => undefined } })), 'timeout'],
    [
      'a task of 10 MB',
      () => serve(rpcAgent({ 'tools/call': () => ({ structuredContent: { x: 'x'.repeat(10_000_000) } }) })),
      'too_large',
    ],
  ])('that is none is an exit code of its own: %s', async (_name, agent, errorClass) => {
    const url = await agent();
    const asked = [url, 'get_products', ...BRIEF, ...(errorClass === 'timeout' ? ['--timeout', '1'] : [])];
    expect(await call(4, ...asked)).toMatchObject({
      outcome: 'failed',
      failure: { error_class: errorClass },
    });
    const ran = await run('call', ...asked);
    expect(ran).toMatchObject({ code: 4, stdout: expect.stringContaining(`${errorClass}: `) });
  });
});
