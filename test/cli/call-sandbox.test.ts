import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../reference-agents/src/sandbox.ts';
import { startSandbox } from '../../reference-agents/src/start-sandbox.ts';
import type { Jwk } from '../../src/signing/public-key.ts';
import { run } from './support/cli.ts';
import { follows } from './support/schemas.ts';

interface Call {
  readonly outcome: string;
  readonly protocol: string;
  readonly error?: Readonly<Record<string, unknown>>;
  readonly failure?: unknown;
}

let sandbox: Sandbox;
let keys: string;

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'registry-test-'));
  await run('keys', 'generate', '--kind', 'request', '--kid', 'desk', '--keys', keys);
  const jwks = JSON.parse((await run('keys', 'jwks', '--keys', keys)).stdout) as { keys: Jwk[] };
  sandbox = await startSandbox({ seed: 3, publishers: 30, managed: 20, deskKeys: jwks.keys });
});

afterAll(async () => {
  await sandbox.close();
  rmSync(keys, { recursive: true });
});

async function call(code: number, ...args: readonly string[]): Promise<Call> {
  const network = ['--connect-to', sandbox.connectTo[0] ?? ''];
  const ran = await run('call', ...args, ...network, '--format', 'json');
  expect(ran.code, ran.stdout + ran.stderr).toBe(code);
  return follows<Call>(ran.stdout, 'cli/call.json');
}

/** Agents of the sandbox by how they speak. */
const AGENTS = [
  ['MCP as JSON', 'https://sales-1.agents.example/mcp', 'mcp'],
  ['MCP as events', 'https://sales-2.agents.example/mcp', 'mcp'],
  ['MCP with sessions', 'https://copperwire.example/mcp', 'mcp'],
  ['MCP over HTTP+SSE', 'https://oldwharf.example/sse', 'mcp'],
  ['A2A 1.0', 'https://yellowdoor.example/a2a', 'a2a'],
  ['A2A 0.3', 'https://pinegrove.example/a2a/', 'a2a'],
  ['A2A 0.3 with parameters', 'https://cuttlebone.example/a2a', 'a2a'],
] as const;

describe('calling the agents of the sandbox', () => {
  it.each(AGENTS)('asks for capabilities over %s, by either name', async (_name, url, protocol) => {
    for (const task of ['get_proto_capabilities', 'get_adcp_capabilities'])
      expect(await call(0, url, task)).toMatchObject({ outcome: 'answered', protocol });
  });

  it.each(AGENTS)('is told of what is no task over %s', async (_name, url) => {
    const { error } = await call(1, url, 'tell_the_future');
    expect(error).toMatchObject({ code: 'UNKNOWN_TASK', recovery: 'terminal' });
  });

  it.each(AGENTS.filter(([, url]) => !/copperwire|cuttlebone/.test(url)))(
    'is told what is wrong with a purchase over %s',
    async (_name, url) => {
      const signed = url.includes('yellowdoor') ? ['--sign', 'desk', '--keys', keys] : [];
      const { error } = await call(1, url, 'create_media_buy', 'packages=5', '--no-validate', ...signed);
      expect(error).toMatchObject({ code: 'INVALID_REQUEST', pointer: '/idempotency_key' });
    },
  );

  it('buys with a signature where one is needed, and not without', async () => {
    const buy = ['https://yellowdoor.example/a2a', 'create_media_buy', 'nonsense=1', '--no-validate'];
    expect(await call(4, ...buy)).toMatchObject({ failure: { error_class: 'auth_required' } });
    const sign = ['--sign', 'desk', '--keys', keys];
    expect(await call(1, ...buy, ...sign)).toMatchObject({
      outcome: 'refused',
      error: { code: 'INVALID_REQUEST' },
    });
  });
});
