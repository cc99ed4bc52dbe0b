import { join } from 'node:path';
import { pino } from 'pino';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createServer } from '../../src/api/server.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { createMetrics } from '../../src/ops/metrics.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { of } from '../compliance/support/badge-story.ts';
import { DRY } from '../compliance/support/judged-runs.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { run, tempFolder } from './support/cli.ts';
import { prove } from './support/served.ts';

/* Each row of the table in docs/guides/agent-owner.md, both ways: what one of them does the other one shows. */
const AGENT = 'https://sales.nova.example/mcp';
const NOVA = ['--member', 'nova'];
const HOUR = 3_600_000;

let store: readonly string[];
let http: (method: 'GET' | 'PUT' | 'PATCH' | 'POST' | 'DELETE', path: string, body?: object) => Promise<Body>;
let keep: (at: number, more: Parameters<typeof keepRun>[2]) => Promise<unknown>;

type Body = Readonly<Record<string, unknown>>;

beforeEach(async () => {
  const folder = tempFolder();
  store = ['--store', `sqlite:${join(folder, 'store.sqlite')}`];
  const keyFile = join(folder, 'credential-keys.json');
  const made = await run('keys', 'generate', '--kind', 'credential', '--out', keyFile);
  expect(made.code, made.stderr).toBe(0);
  vi.stubEnv('REGISTRY_CREDENTIAL_KEYS', keyFile);
  onTestFinished(() => void vi.unstubAllEnvs());
  const config = readConfig({ REGISTRY_STORE: store[1], REGISTRY_CREDENTIAL_KEYS: keyFile });
  const { records, index, close } = await openStore(config, { create: true });
  const member = { slug: 'nova', displayName: 'Nova', foundingMember: false };
  await records.members.import([{ ...member, tier: 'builder', subscriptionStatus: 'active' }], 1);
  await records.members.register({ agent: AGENT, url: AGENT, member: 'nova' }, 1);
  await prove(store, AGENT, 'nova');
  const { id, hash, key } = newApiKey();
  await records.keys.create({ id, hash, member: 'nova' }, 1);
  const server = createServer({
    ...{ records, index, clock: systemClock, logger: pino({ level: 'silent' }), metrics: createMetrics() },
    credentials: await composeCredentials(config, records, systemClock),
    config: { version: '0.1.0', trustedProxies: [] },
  });
  onTestFinished(async () => {
    await server.close();
    await close();
  });
  http = async (method, path, body) => {
    const answer = await server.inject({
      ...{ method, url: `/api/registry/agents/${encodeURIComponent(AGENT)}/${path}` },
      headers: { authorization: `Bearer ${key}` },
      ...(body && { payload: body }),
    });
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer.json<Body>();
  };
  keep = (at, more) => keepRun(records, at, more, { agent: AGENT });
});

async function command(...args: string[]): Promise<Body> {
  const ran = await run(...args, '--json', ...store);
  expect(ran.code, ran.stderr).toBe(0);
  return JSON.parse(ran.stdout);
}

it('settings', async () => {
  const settings = ['agents', 'settings', AGENT, ...NOVA];
  await http('PATCH', 'settings', { monitoring_paused: true, lifecycle_stage: 'testing' });
  expect(await command(...settings)).toEqual(await http('GET', 'settings'));
  const changed = await command(...settings, '--resume', '--interval', '24', '--opt-out');
  expect(changed).toMatchObject({ monitoring_paused: false, check_interval_hours: 24 });
  expect(await http('GET', 'settings')).toEqual(changed);
});

it('a run now', async () => {
  const asked = await http('POST', 'compliance/runs');
  const path = `compliance/runs/${String(asked.run_id)}`;
  expect(await http('GET', path)).toEqual(asked);
  expect((await command('runs', 'start', AGENT, ...NOVA)).run).toEqual(asked);
  expect((await command('runs', 'show', AGENT, String(asked.run_id))).run).toEqual(asked);
});

it('history, dry runs too, and the evidence of a run', async () => {
  const at = Date.now() - 5 * HOUR;
  await keep(at, of({ 'sales-guaranteed': 'fail' }));
  await keep(at + HOUR, DRY);
  const history = await http('GET', 'compliance/history');
  expect(history.runs).toMatchObject([{ dry_run: true }, { dry_run: false, triggered_by: 'heartbeat' }]);
  expect(await command('runs', 'list', AGENT)).toEqual(history);
  const one = await http('GET', `compliance/runs/run-${at}`);
  expect(one.report).toMatchObject({ run_id: `run-${at}` });
  expect((await command('runs', 'show', AGENT, `run-${at}`, '--evidence')).run).toEqual(one);
});

it('a test credential', async () => {
  vi.stubEnv('TOKEN', 'a-token-for-tests');
  const credential = ['agents', 'credential', AGENT, ...NOVA];
  const stored = await http('PUT', 'credential', { token: 'a-token-for-tests' });
  expect(await command(...credential)).toMatchObject({ stored: true, set_at: stored.set_at });
  await command(...credential, '--forget');
  expect(await http('GET', 'credential')).toMatchObject({ stored: false });
  const again = await command(...credential, '--auth-env', 'TOKEN');
  expect(await http('GET', 'credential')).toMatchObject({ stored: true, set_at: again.set_at });
  expect(await http('DELETE', 'credential')).toMatchObject({ stored: false });
});

it('where it stands, and its badges', async () => {
  await keep(Date.now() - HOUR, of({ 'sales-guaranteed': 'pass' }));
  const stands = await http('GET', 'compliance');
  const { compliance: told } = await command('explain', AGENT);
  expect(stands).toMatchObject({ status: 'passing', verified: true, triggered_by: 'heartbeat' });
  expect(told).toMatchObject({ status: 'passing', badges: [{ role: 'media-buy' }] });
  expect((await http('GET', 'compliance/lines')).lines).toMatchObject([
    { line: '3.0', decides: true, status: 'passing', badges: [{ role: 'media-buy' }] },
  ]);
  const timeline = await http('GET', 'compliance/badges');
  expect(timeline.events).toMatchObject([{ kind: 'earned' }]);
  expect((await command('badges', 'list', AGENT)).events).toEqual(timeline.events);
});
