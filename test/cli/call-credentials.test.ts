import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSignatureGate, messageOfRequest } from '../../src/signing/gate.ts';
import { fixedKeys } from '../../src/signing/key-source.ts';
import { serve } from '../calling/support/serve.ts';
import { shopOverA2a, shopOverMcp, TRANSPORTS } from '../calling/support/shop.ts';
import { replayMemory } from '../signing/support.ts';
import { run, tempFolder } from './support/cli.ts';
import { BRIEF, call, sampleShop } from './support/sample-shop.ts';

afterEach(() => void vi.unstubAllEnvs());

describe('credentials', () => {
  it('go to the agent and are never printed', async () => {
    vi.stubEnv('SHOP_TOKEN', 's3cret-token');
    const tokens: unknown[] = [];
    const listen = TRANSPORTS[0]?.listen((_task, input) => ({
      data: { 's3cret-token': 's3cret-token', input },
    }));
    const url = await serve((request, response) => {
      tokens.push(request.headers.authorization);
      listen?.(request, response);
    });
    for (const more of [[], ['--raw'], ['--format', 'json']]) {
      const ran = await run('call', url, 'tell_the_tide', '--auth-env', 'SHOP_TOKEN', ...more);
      expect(ran.code).toBe(0);
      expect(ran.stdout + ran.stderr).not.toContain('s3cret-token');
      expect(ran.stdout).toContain('[redacted]');
    }
    expect(new Set(tokens)).toEqual(new Set(['Bearer s3cret-token']));
  });
});

describe('credentials for an agent that is called over http', () => {
  it.each([
    ['call', 'http://shop.example/mcp', 'get_products'],
    ['probe', 'http://shop.example/mcp'],
    ['check', 'http://shop.example/mcp'],
    ['agents', 'credential', 'http://shop.example/mcp', '--member', 'nova'],
  ])('are refused before anything is sent (%s)', async (...command) => {
    vi.stubEnv('SHOP_TOKEN', 's3cret-token');
    let requests = 0;
    const origin = await serve((_request, response) => {
      requests += 1;
      response.writeHead(401).end();
    });
    const to = command[0] === 'agents' ? [] : ['--connect-to', `*.example=${origin}`];
    const ran = await run(...command, '--auth-env', 'SHOP_TOKEN', ...to);
    expect([ran.code, requests]).toEqual([2, 0]);
    expect(ran.stderr).toContain('plain http would expose it');
    expect(ran.stdout + ran.stderr).not.toContain('s3cret-token');
  });
});

describe('credentials that a handshake echoes', () => {
  it('are not printed either', async () => {
    const url = await serve((request, response) => {
      const told = `who is ${request.headers.authorization}?`;
      response.writeHead(401, { 'www-authenticate': `Bearer error="${told}"` }).end(told);
    });
    for (const format of ['text', 'json']) {
      const ran = await run(
        'call',
        url,
        'get_products',
        ...BRIEF,
        '--auth',
        's3cret-token',
        '--format',
        format,
      );
      expect(ran.code).toBe(4);
      expect(ran.stdout).toContain('who is Bearer [redacted]?');
    }
  });
});

describe('a signed call', () => {
  async function gated(keys: string, purpose: string) {
    const made = await run('keys', 'generate', '--kind', purpose, '--kid', `k-${purpose}`, '--keys', keys);
    expect(made.code, made.stderr).toBe(0);
    const jwks = JSON.parse((await run('keys', 'jwks', '--keys', keys)).stdout) as { keys: never[] };
    const signers: unknown[] = [];
    const { shop } = sampleShop();
    const agents = { mcp: shopOverMcp(shop), a2a: shopOverA2a(shop) };
    const gate = createSignatureGate({
      kind: 'request',
      profile: '3.2',
      keys: fixedKeys(jwks.keys),
      replays: replayMemory(),
      clock: { now: () => Date.now() },
    });
    const origin = await serve(async (request, response) => {
      const body = await buffer(request);
      const target = `http://${request.headers.host}`;
      const admission = await gate(messageOfRequest(request, target, body), true);
      if (!admission.admitted) return response.writeHead(admission.status, admission.headers).end();
      signers.push(admission.signer);
      const parsed: unknown = body.length === 0 ? undefined : JSON.parse(body.toString());
      return agents[request.url === '/' ? 'mcp' : 'a2a'](request, response, parsed);
    });
    return { origin, signers };
  }

  it.each([
    ['mcp', '/'],
    ['a2a', '/a2a'],
  ])('is verified by the agent over %s, handshake and all', async (protocol, path) => {
    const keys = tempFolder();
    const { origin, signers } = await gated(keys, 'request');
    const url = `${origin}${path}`;
    const sign = ['--sign', 'k-request', '--keys', keys, '--protocol', protocol];
    expect(await call(0, url, 'get_products', ...BRIEF, ...sign)).toMatchObject({ outcome: 'answered' });
    expect(signers.length).toBeGreaterThan(1);
    expect(signers.at(-1)).toMatchObject({ keyid: 'k-request', coversBody: true });
    const file = join(keys, 'k-request.json');
    await call(0, url, 'get_products', ...BRIEF, '--sign', file, '--protocol', protocol);
    await call(4, url, 'get_products', ...BRIEF, '--protocol', protocol);
    await call(4, url, 'get_products', ...BRIEF, ...sign, '--profile', '3.1');
  });

  it('that the agent does not accept says why', async () => {
    const { origin } = await gated(tempFolder(), 'request');
    expect(await call(4, origin, 'get_products', ...BRIEF, '--protocol', 'mcp')).toMatchObject({
      failure: { error_class: 'auth_required', challenge: 'Signature error="request_signature_required"' },
    });
  });

  it('is not made with a key for something else', async () => {
    const keys = tempFolder();
    const { origin } = await gated(keys, 'webhook');
    const ran = await run('call', origin, 'get_products', ...BRIEF, '--sign', 'k-webhook', '--keys', keys);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('is for webhook-signing') });
  });
});
