import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStore } from '../../src/compose/engines.ts';
import { readConfig } from '../../src/config.ts';
import { type LightAgent, lightAgents } from '../pipelines/support/light-agents.ts';
import { ownAgent, urlOf } from '../pipelines/support/run-world.ts';
import { startWeb } from '../scenarios/support/web.ts';
import { run, start, tempStore } from './support/cli.ts';

afterEach(() => vi.unstubAllEnvs());

/** A store with one agent that is owned and due, and the web on which it is. */
async function owned(agent: LightAgent) {
  const { pages, heard } = lightAgents({ 'a.example': agent });
  const web = await startWeb(pages);
  const store = tempStore();
  const opened = await openStore({ ...readConfig({}), store }, { create: true });
  const clock = { value: Date.now() - 1_000 };
  await ownAgent(urlOf('a.example'), { store: opened, clock });
  onTestFinished(async () => {
    await opened.close();
    await web.close();
  });
  const flags = ['--store', store, '--connect-to', web.connectTo];
  return { flags, heard, records: opened.records };
}

describe('agent-registry heartbeat', () => {
  it('--once tests what is due, says what it came to, and shows it in the list by then', async () => {
    const { flags, records } = await owned({});
    const { code, stdout, stderr } = await run('heartbeat', '--once', '--log-level', 'warn', ...flags);
    expect([code, stdout, stderr]).toEqual([0, '1 run: 1 complete\n', '']);
    const [kept] = await records.compliance.lastRuns(urlOf('a.example'), { limit: 9 });
    expect(kept).toMatchObject({
      trigger: 'heartbeat',
      requested_compliance_target: '3.0',
      proto_version: '3.0.0',
    });
    const [saved] = await records.agents.saved([urlOf('a.example')]);
    expect(saved?.document?.compliance?.status).toBe(kept?.verdict.status);
    expect((await run('heartbeat', '--once', ...flags, '--log-level', 'warn')).stdout).toBe('0 runs\n');
  });

  it('goes on until it is told to stop, and then gives back what is under way', async () => {
    const { flags, heard, records } = await owned({ raw: () => {} });
    const started = start(['heartbeat', '--port', '0', '--json', ...flags]);
    const told = await started.until('stderr', /metrics at (\S+)/);
    while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const origin = /metrics at (http:\/\/[^/]+)/.exec(told)?.[1];
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).toContain('registry_runs_under_way 1');
    started.child.kill('SIGTERM');
    const { code, stdout } = await started.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      interrupted: true,
      outcomes: { interrupted: 1 },
    });
    expect(await records.runs.due(9, Date.now())).toMatchObject([{ key: urlOf('a.example') }]);
  });

  it.each([
    ['REGISTRY_COMPLIANCE_TARGET', '9.9', /no installed bundle matches '9.9'[\s\S]*3.0.0/],
    ['REGISTRY_TEST_KEY', '/does/not/exist.json', /\/does\/not\/exist.json/],
    [
      'REGISTRY_CONTROL_URLS',
      'control.example',
      /invalid value of REGISTRY_CONTROL_URLS\n {2}hint: .*blames its own network\./,
    ],
    ['REGISTRY_TEST_AGENT', 'https://me@desk.example/', /REGISTRY_TEST_AGENT/],
    ['REGISTRY_RUN_DEADLINE_MS', '5', /REGISTRY_RUN_DEADLINE_MS/],
    ['REGISTRY_TEST_OPERATOR', 'https://desk.example', /REGISTRY_TEST_OPERATOR/],
    ['REGISTRY_TEST_WEBHOOKS', 'https://hooks.example/path', /REGISTRY_TEST_WEBHOOKS/],
    ['REGISTRY_TEST_WEBHOOK_PORT', '0', /REGISTRY_TEST_WEBHOOK_PORT/],
  ])('refuses %s=%s with a plain message', async (name, value, message) => {
    const { flags } = await owned({});
    vi.stubEnv(name, value);
    const { code, stderr } = await run('heartbeat', '--once', '--log-level', 'silent', ...flags);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
  });

  it('says as whom it tests while nobody has said so', async () => {
    const store = tempStore();
    await (await openStore({ ...readConfig({}), store }, { create: true })).close();
    const { code, stderr } = await start(['heartbeat', '--once', '--store', store]).ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('set REGISTRY_TEST_AGENT')]);
  });
});
