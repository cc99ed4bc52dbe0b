import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../src/sandbox.ts';
import { startSandbox } from '../src/start-sandbox.ts';
import { type WebClient, webClient } from './support/web-client.ts';

const NAME = 'agent-registry-challenge.txt';

let root: string;
let folder: string;
let sandbox: Sandbox;
let client: WebClient;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'published-'));
  folder = join(root, 'web');
  writeFileSync(join(root, 'secret.txt'), 'not for you');
  sandbox = await startSandbox({ seed: 7, publishers: 5, managed: 0, wellKnown: folder });
  client = webClient(sandbox.origin);
});

afterAll(async () => {
  await client.close();
  await sandbox.close();
  rmSync(root, { recursive: true });
});

async function read(url: string): Promise<readonly [number, string]> {
  const answer = await client.fetch(url);
  return [answer.status, await answer.text()];
}

function publish(host: string, name: string, text: string): void {
  mkdirSync(join(folder, host), { recursive: true });
  writeFileSync(join(folder, host, name), text);
}

describe('a file that the user publishes on a host of the sandbox', () => {
  it.each(['sales-1.agents.example', 'no-replay.broken.example', 'news-of-nobody.example'])(
    'is served as long as it is there, on %s',
    async (host) => {
      const url = `https://${host}/.well-known/${NAME}`;
      expect((await read(url))[0]).toBe(404);
      publish(host, NAME, 'agent-registry-challenge=1\n');
      expect(await read(url)).toEqual([200, 'agent-registry-challenge=1\n']);
      rmSync(join(folder, host), { recursive: true });
      expect((await read(url))[0]).toBe(404);
    },
  );

  it('stands before what the sandbox has there', async () => {
    const url = 'https://agents.example/.well-known/brand.json';
    expect((await read(url))[1]).toContain('sales-1.agents.example');
    publish('agents.example', 'brand.json', '{}');
    expect(await read(url)).toEqual([200, '{}']);
  });

  it('is in the folder and nowhere else, whatever host and path are asked for', async () => {
    publish('agents.example', NAME, 'here');
    for (const [host, path] of [
      ['..', '/.well-known/secret.txt'],
      ['agents.example', '/.well-known/../../secret.txt'],
      ['agents.example', '/.well-known/..'],
      ['agents.example', '/.well-known/%2e%2e/%2e%2e/secret.txt'],
      ['agents.example/..', '/.well-known/secret.txt'],
      ['', '/.well-known/secret.txt'],
      ['agents.example', '/.well-known/'],
      ['agents.example', `/elsewhere/${NAME}`],
    ] as const)
      expect(await statusOf(host, path), `${host} ${path}`).toBeGreaterThanOrEqual(400);
  });
});

/** As it stands: no client puts the path right. */
function statusOf(host: string, path: string): Promise<number> {
  const { port } = new URL(sandbox.origin);
  return new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, headers: { host } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}

describe('a fault that is switched on', () => {
  it('needs an agent and a fault that there are', () => {
    const agent = 'https://copperwire.example/mcp';
    expect(() => sandbox.setFault('https://nobody.example/mcp', 'any-platform')).toThrow('no agent');
    expect(() => sandbox.setFault(agent, 'no-such-fault')).toThrow('unknown task fault');
    expect(() => sandbox.setFault(agent, 'any-signature')).toThrow('unknown task fault');
    expect(() => sandbox.setFault(agent, undefined)).not.toThrow();
  });
});
