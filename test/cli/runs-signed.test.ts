import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { serve } from '../crawl/fetch/web.ts';
import { run, start, tempFolder } from './support/cli.ts';
import { prove } from './support/served.ts';

const AGENT = 'https://sales.nova.example/mcp';
const RUNS = `/api/registry/agents/${encodeURIComponent(AGENT)}/compliance/runs`;

async function printed(...args: string[]): Promise<string> {
  const ran = await run(...args);
  expect(ran.code, ran.stderr).toBe(0);
  return ran.stdout;
}

/** The site of the agent, which names the keys of a folder. */
async function site(keys: string): Promise<string> {
  const files: Record<string, string> = {
    'nova.example/.well-known/brand.json': JSON.stringify({
      house: { domain: 'nova.example', name: 'Nova' },
      brands: [],
      agents: [{ type: 'sales', url: AGENT }],
    }),
    'sales.nova.example/.well-known/jwks.json': await printed('keys', 'jwks', '--keys', keys),
  };
  const web = await serve((request, response) => {
    const file = files[`${request.headers.host}${request.url}`];
    response.writeHead(file === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(file);
  });
  onTestFinished(() => web.close());
  return web.origin;
}

it('a build system starts a run with what `agent-registry sign` makes of its request, and once only', async () => {
  const folder = tempFolder();
  const path = join(folder, 'store.sqlite');
  const store = ['--store', `sqlite:${path}`];
  const records = await openSqliteRecords({ path });
  onTestFinished(() => records.close());
  await records.members.import([{ slug: 'nova', displayName: 'Nova', foundingMember: false }], 1);
  await records.members.register({ agent: AGENT, url: AGENT, member: 'nova' }, 1);
  await prove(store, AGENT, 'nova');
  const keys = join(folder, 'keys');
  await printed('keys', 'generate', '--kind', 'request', '--kid', 'build', '--keys', keys);

  const connectTo = `*=${await site(keys)}`;
  const serving = start(['serve', '--port', '0', '--connect-to', connectTo, ...store]);
  const [origin = ''] = (await serving.until('stdout', /listening on \S+/)).match(/http:\/\/[\d.:]+/) ?? [];
  const file = join(folder, 'request.json');
  const body = JSON.stringify({ agent_url: AGENT });
  const asked = { method: 'POST', url: origin + RUNS, headers: { 'Content-Type': 'application/json' }, body };
  writeFileSync(file, JSON.stringify(asked));
  const lines = await printed('sign', file, '--keys', keys);
  const signed = lines
    .trim()
    .split('\n')
    .map((line) => line.split(/: (.*)/s).slice(0, 2));
  const post = () =>
    fetch(asked.url, { method: 'POST', body, headers: { ...asked.headers, ...Object.fromEntries(signed) } });

  const answer = await post();
  expect([answer.status, await answer.json()]).toEqual([
    202,
    expect.objectContaining({ triggered_by: 'webhook', state: 'queued' }),
  ]);
  expect(await (await post()).json()).toMatchObject({ signature_error: 'request_signature_replayed' });
  serving.child.kill('SIGTERM');
  const { code, stderr } = await serving.ended;
  expect(code).toBe(0);
  expect(stderr).toContain('signature refused');
  const { actor } = (await records.owners.auditLog({ subject: AGENT, limit: 1 }))[0] ?? {};
  expect(actor).toBe('signature:build');
});
