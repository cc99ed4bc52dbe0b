import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ReplayStore } from '../../src/records/sqlite/replay-store.ts';
import { type Admission, createSignatureGate, messageOfRequest } from '../../src/signing/gate.ts';
import { fixedKeys } from '../../src/signing/key-source.ts';
import { type Revocations, readRevocations } from '../../src/signing/revocations.ts';
import { createSigningFetch } from '../../src/signing/sign.ts';
import { fetcherFor, serve, visiting, type Web } from '../crawl/fetch/web.ts';
import { makeKey, replayMemory, type TestKey } from './support.ts';

const clock = { now: () => Date.parse('2026-11-21T12:00:00Z') };
let key: TestKey;
let web: Web;
/** What the agent's operator says is its own. */
let origin: string;
let replays: ReplayStore;
let revoked: Revocations;
let admissions: Admission[];

beforeEach(async () => {
  key = await makeKey('k1');
  replays = replayMemory();
  revoked = readRevocations('[]');
  admissions = [];
  const gate = createSignatureGate({
    kind: 'request',
    profile: '3.2',
    keys: fixedKeys([key.public]),
    replays,
    clock,
    revoked: () => revoked,
  });
  web = await serve(async (request, response) => {
    if (request.url === '/moved') return response.writeHead(307, { location: '/mcp' }).end();
    const message = messageOfRequest(request, origin, await buffer(request));
    const admission = await gate(message, request.url !== '/open');
    admissions.push(admission);
    if (!admission.admitted) return response.writeHead(admission.status, admission.headers).end();
    return response.end(admission.signer?.keyid ?? 'nobody');
  });
  origin = web.origin;
  onTestFinished(async () => {
    await web.close();
    await replays.close();
  });
});

const signing = () => createSigningFetch(fetch, { kind: 'request', profile: '3.2', key: key.signer, clock });
const post: RequestInit = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"a":"ü"}',
};

describe('an agent behind the gate', () => {
  it('is told who signed, through a client that signs', async () => {
    const answer = await signing()(`${web.origin}/mcp?x=1#part`, post);
    expect([answer.status, await answer.text()]).toEqual([200, 'k1']);
    expect(admissions).toMatchObject([{ admitted: true, signer: { keyid: 'k1', coversBody: true } }]);
  });

  it.each([
    ['bytes', { ...post, body: Buffer.from('{"a":1}') }],
    ['a text with no type', { method: 'POST', body: 'hello' }],
    ['a form', { method: 'POST', body: new URLSearchParams({ a: 'b' }) }],
    ['a stream', { ...post, body: new Blob(['{"a":1}']).stream(), duplex: 'half' }],
    ['nothing', {}],
  ] as const)('takes %s', async (_name, init) => {
    expect((await signing()(`${web.origin}/mcp`, init as RequestInit)).status).toBe(200);
  });

  it('is asked through the guarded way out as well', async () => {
    origin = 'https://news.example';
    const fetcher = fetcherFor(web);
    const options = { kind: 'request', profile: '3.2', key: key.signer, clock } as const;
    const status = await visiting(fetcher, async (visit) => {
      const answer = await createSigningFetch(visit.fetch, options)('https://news.example/mcp', post);
      return answer.status;
    });
    expect(status).toBe(200);
    await fetcher.close();
  });

  it('refuses with 401 and the code, and tells the caller nothing more', async () => {
    const answer = await fetch(`${web.origin}/mcp`, post);
    expect([answer.status, await answer.text()]).toEqual([401, '']);
    expect(answer.headers.get('www-authenticate')).toBe('Signature error="request_signature_required"');
  });

  it('lets the unsigned in where that is enough, and never the badly signed', async () => {
    expect(await (await fetch(`${web.origin}/open`, post)).text()).toBe('nobody');
    const headers = { 'content-type': 'application/json', signature: 'sig1=:AAAA:' };
    expect((await fetch(`${web.origin}/open`, { ...post, headers })).status).toBe(401);
  });

  it('sees a list of revoked keys that changes', async () => {
    expect((await signing()(`${web.origin}/mcp`, post)).status).toBe(200);
    revoked = readRevocations('k1\n');
    expect((await signing()(`${web.origin}/mcp`, post)).headers.get('www-authenticate')).toContain(
      'key_revoked',
    );
  });

  it('refuses what was sent before', async () => {
    const sent: [string | URL, RequestInit | undefined][] = [];
    const tapped = createSigningFetch(
      (input, init) => {
        sent.push([input, init]);
        return fetch(input, init);
      },
      { kind: 'request', profile: '3.2', key: key.signer, clock },
    );
    expect((await tapped(`${web.origin}/mcp`, post)).status).toBe(200);
    const [input = '', init] = sent[0] ?? [];
    expect((await fetch(input, init)).headers.get('www-authenticate')).toContain('signature_replayed');
  });

  it('refuses what was signed for another host, however it is asked', async () => {
    const there = await new Promise<RequestInit & { url: string }>((resolve) => {
      const capture = createSigningFetch(
        async (input, init) => {
          resolve({ ...init, url: String(input) });
          return new Response();
        },
        { kind: 'request', profile: '3.2', key: key.signer, clock },
      );
      void capture('http://other.example/mcp', post);
    });
    const headers = Object.fromEntries(there.headers as [string, string][]);
    for (const [path, host] of [
      ['/mcp', 'other.example'],
      ['/mcp', new URL(web.origin).host],
      ['http://other.example/mcp', 'other.example'],
    ] as const) {
      const status = await new Promise((resolve) => {
        const options = {
          port: web.port,
          host: '127.0.0.1',
          path,
          method: 'POST',
          headers: { ...headers, host },
        };
        httpRequest(options, (response) => resolve(response.resume().statusCode)).end(there.body);
      });
      expect(status, `${path} at ${host}`).toBe(401);
    }
  });

  it('lets nothing in when it cannot remember', async () => {
    const message = { method: 'GET', url: 'https://seller.example/', headers: [] };
    const gate = createSignatureGate({
      kind: 'request',
      profile: '3.2',
      keys: fixedKeys([key.public]),
      clock,
      replays: { isFull: async () => false, remember: () => Promise.reject(new Error('disk')) },
    });
    const { signMessage } = await import('../../src/signing/sign.ts');
    const now = clock.now() / 1_000;
    const signed = await signMessage(message, { kind: 'request', profile: '3.2', key: key.signer, now });
    await expect(gate(signed, true)).rejects.toThrow('disk');
  });

  it('does not follow redirects with a signature', async () => {
    await expect(signing()(`${web.origin}/moved`, post)).rejects.toThrow();
    expect(admissions).toEqual([]);
  });
});
