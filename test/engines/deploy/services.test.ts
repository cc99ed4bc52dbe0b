import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ComposeFile, ROOT, readComposeFile, type Service } from '../../deploy/support/compose-file.ts';
import { makeKeys } from '../../deploy/support/make-keys.ts';
import { makeRoles } from '../../deploy/support/make-roles.ts';
import { ADAGENTS, startWeb } from '../../scenarios/support/web.ts';
import { adagents } from '../../scenarios/support/world.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import { freshDatabase, freshIndexPrefix, openSearchUrl } from '../support/engines.ts';
import { asOwner, roleName, urlAs } from '../support/roles.ts';

const AGENT = 'https://hub.example/mcp';

type Services = ComposeFile['services'];

/** An empty database as the services `roles` and `schema` leave it; resolves with the address of the processes' role. */
async function databaseOf({ schema }: Services): Promise<string> {
  const owner = await freshDatabase();
  const role = roleName('runtime');
  onTestFinished(
    async () => void (await asOwner(owner, `DROP OWNED BY ${role} CASCADE`, `DROP ROLE ${role}`)),
  );
  await makeRoles(owner, role, '1a2b');
  const words = (schema?.command ?? []).map((word) => (word === 'registry_runtime' ? role : word));
  const env = { ...COMPILE_CACHE, PATH: process.env.PATH, REGISTRY_STORE: owner };
  await promisify(execFile)(process.execPath, [join(ROOT, 'bin/agent-registry.mjs'), ...words], { env });
  return urlAs(owner, role, '1a2b');
}

/** The environment of a service, with its volumes of secrets and keys in a folder of this machine. */
async function environmentOf(service: Service, store: string): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-run-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'store'), `${store}\n`);
  writeFileSync(join(folder, 'index'), `${openSearchUrl()}\n`);
  writeFileSync(join(folder, 'ca.pem'), rootCertificates[0] ?? '');
  await makeKeys(folder);
  const set = Object.entries(service.environment ?? {}).filter(([, value]) => value !== null);
  const here = set.map(([name, value]) => [
    name,
    String(value)
      .replace('/run/registry', folder)
      .replace(/^\/run(?=\/\w+-keys\/)/, folder),
  ]);
  return { ...Object.fromEntries(here), REGISTRY_INDEX_PREFIX: `${freshIndexPrefix()}agents` };
}

/** A service's own command on a free port of this machine. */
function startService(service: Service, env: Record<string, string>, more: readonly string[] = []) {
  const command = (service.command ?? []).map((word, at, words) => {
    if (/^--(metrics-)?port$/.test(words[at - 1] ?? '')) return '0';
    return /^--(metrics-)?host$/.test(words[at - 1] ?? '') ? '127.0.0.1' : word;
  });
  const child = spawn(process.execPath, [join(ROOT, 'bin/agent-registry.mjs'), ...command, ...more], {
    env: { NODE_ENV: 'production', ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const complaints = text(child.stderr);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended: Promise.all([code, complaints]), origin: originOf(child, command[0] === 'serve') };
}

/** Where a process answers: its API, or its metrics and health. */
function originOf(child: ChildProcess, hasApi: boolean): Promise<string> {
  const line = hasApi ? /^listening on (http:\/\/\S+)$/m : /^metrics at (http:\/\/127\.0\.0\.1:\d+)/m;
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const origin = line.exec(output)?.[1];
      if (origin !== undefined) resolve(origin);
    });
    child.once('close', (status) => reject(new Error(`ended with ${status}: ${output}`)));
  });
}

async function isHealthy(service: Service, origin: string): Promise<void> {
  const { pathname } = new URL(service.healthcheck?.test.at(-1) ?? 'http://127.0.0.1/readyz');
  const check = [join(ROOT, 'deploy/healthcheck.mjs'), `${origin}${pathname}`];
  await promisify(execFile)(process.execPath, check);
}

describe('the services of the compose file, on real engines', () => {
  it('come up together on empty ones, crawl, serve what they found, and stop', async () => {
    const web = await startWeb({ 'news.example': { [ADAGENTS]: adagents('news.example', AGENT) } });
    onTestFinished(() => web.close());
    const { services } = readComposeFile();
    const { api, scheduler, worker } = services;
    if (!api || !scheduler || !worker) throw new Error('a service is missing');
    const env = await environmentOf(api, await databaseOf(services));
    const toWeb = ['--connect-to', web.connectTo];
    const started = [
      [api, startService(api, env)],
      [scheduler, startService(scheduler, env)],
      [worker, startService(worker, env, toWeb)],
      [worker, startService(worker, env, toWeb)],
    ] as const;
    const origins = await Promise.all(started.map(([, { origin }]) => origin));
    await Promise.all(
      started.map(([service], at) =>
        vi.waitFor(() => isHealthy(service, origins[at] ?? ''), { timeout: 120_000, interval: 250 }),
      ),
    );

    const crawl = [
      join(ROOT, 'bin/agent-registry.mjs'),
      'crawl',
      'news.example',
      '--depth',
      '0',
      '--progress',
      'none',
    ];
    await promisify(execFile)(process.execPath, [...crawl, ...toWeb], { env });
    await vi.waitFor(
      async () => {
        const response = await fetch(`${origins[0]}/api/registry/agents`);
        const { agents } = (await response.json()) as { agents?: { url: string }[] };
        expect(agents?.map(({ url }) => url)).toEqual([AGENT]);
      },
      { timeout: 120_000, interval: 250 },
    );

    for (const [, { child }] of started) child.kill('SIGTERM');
    for (const [service, { ended }] of started) {
      const [status, complaints] = await ended;
      expect(status, `${service.command?.[0]}: ${complaints}`).toBe(0);
    }
  });
});
