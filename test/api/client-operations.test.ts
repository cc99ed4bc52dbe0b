import { describe, expect, it } from 'vitest';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import { FAILS, INCOMPLETE } from '../compliance/support/judged-runs.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { PROBED_AT, type TestRegistry } from './support/registry.ts';
import { AGENT, BASE, optOut, SELLER, tested } from './support/tested-agent.ts';

const OF = BASE.replace('/compliance', '');
const STEP = {
  ...{
    storyboard_id: 'core',
    phase_id: 'one',
    step_id: 'tools',
    title: 'It lists tools',
    task: 'tools/list',
  },
  ...{ result: 'fail', duration_ms: 1 },
  checks: [{ check: 'field_present', result: 'fail', message: 'tools is missing', pointer: '/tools' }],
} as unknown as StepResult;
const FAILED: Partial<FinishedRun> = { ...FAILS, steps: [STEP] };

/** Asks, and finds nothing in the answer that the document does not say. */
async function asked(
  { server }: Pick<TestRegistry, 'server'>,
  [method, path, payload]: readonly ['GET' | 'PUT' | 'POST', string, (object | undefined)?],
  headers: Record<string, string> = {},
) {
  const answer = await server.inject({ method, url: path, headers, ...(payload && { payload }) });
  const { paths, ...document } = (await server.inject('/openapi.json')).json<OpenApi>();
  const verb = method.toLowerCase() as 'get';
  const isOf = (one: string) =>
    new RegExp(`^${one.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(
      path.split('?')[0] ?? '',
    );
  const [described] =
    Object.entries(paths).find(([one, methods]) => methods[verb] !== undefined && isOf(one)) ?? [];
  expect(breaches({ paths, ...document }, described ?? path, answer, verb)).toEqual([]);
  return {
    status: answer.statusCode,
    body: answer.headers['content-type']?.includes('json') ? answer.json() : answer.body,
  };
}

describe('what the field’s clients ask of tests and badges', () => {
  it('is each storyboard with the step that failed, for the owner; the counts for everybody', async () => {
    const registry = await tested(FAILED);
    const mine = await asked(registry, ['GET', `${OF}/storyboard-status`], registry.owner);
    expect(mine.body).toMatchObject({ agent_url: AGENT, passing_count: 0, total_count: 1 });
    expect(mine.body.storyboards).toMatchObject([
      {
        ...{ storyboard_id: 'core', status: 'failing', first_failed_step_id: 'tools' },
        ...{ first_failed_step_task: 'tools/list', first_failure_message: 'tools is missing' },
      },
    ]);
    const theirs = await asked(registry, ['GET', `${OF}/storyboard-status`], registry.stranger);
    expect(theirs.body).toEqual({
      ...{ agent_url: AGENT, storyboards: [] },
      ...{ passing_count: 0, incomplete_count: 0, total_count: 1, specialisms_untested: 0 },
    });
    await optOut(registry);
    expect((await asked(registry, ['GET', `${OF}/storyboard-status`], registry.owner)).body.status).toBe(
      'opted_out',
    );
  });

  it('is partial for an incomplete storyboard, which counts neither as passing nor as failing', async () => {
    const registry = await tested(INCOMPLETE);
    const counts = { passing_count: 1, incomplete_count: 1, total_count: 2 };
    const mine = await asked(registry, ['GET', `${OF}/storyboard-status`], registry.owner);
    expect(mine.body).toMatchObject({
      ...counts,
      storyboards: [
        { storyboard_id: 'buy', status: 'partial', steps_passed: 2, failure_count: 0, skipped_count: 15 },
        { storyboard_id: 'core', status: 'passing' },
      ],
    });
    const theirs = await asked(registry, ['GET', `${OF}/storyboard-status`], registry.stranger);
    expect(theirs.body).toEqual({ agent_url: AGENT, storyboards: [], ...counts, specialisms_untested: 0 });
  });

  it('is the same for many agents, each once, with what cannot be asked for counted', async () => {
    const registry = await tested(SELLER);
    const many = ['POST', '/api/registry/agents/storyboard-status'] as const;
    const urls = [AGENT, 'HTTPS://A.example:443/mcp/', 'nonsense', 7, 'https://nobody.example/'];
    const { body } = await asked(registry, [...many, { agent_urls: urls }], registry.owner);
    expect(Object.keys(body.agents)).toEqual([AGENT, 'https://nobody.example/']);
    expect(body).toMatchObject({
      invalid_urls: 2,
      agents: { [AGENT]: [{ status: 'passing' }, { status: 'passing' }] },
    });
    expect((await asked(registry, [...many, { agent_urls: [AGENT] }])).body).toEqual({
      agents: { [AGENT]: [] },
    });
    for (const wrong of [
      {},
      { agent_urls: [] },
      { agent_urls: AGENT },
      { agent_urls: Array(101).fill(AGENT) },
      [],
    ])
      expect((await asked(registry, [...many, wrong])).status).toBe(400);
    await optOut(registry);
    const opted = await asked(registry, [...many, { agent_urls: [AGENT] }]);
    expect(opted.body).toEqual({ agents: { [AGENT]: { status: 'opted_out' } } });
  });

  it('is what failed in a run, for the owner only', async () => {
    const registry = await tested(FAILED);
    const run = `run-${PROBED_AT}`;
    const mine = await asked(registry, ['GET', `${BASE}/diagnostics`], registry.owner);
    expect(mine.body).toMatchObject({
      run_id: run,
      count: 1,
      steps: [{ step_id: 'tools', checks: [{ pointer: '/tools' }] }],
    });
    expect(
      (await asked(registry, ['GET', `${BASE}/diagnostics?run_id=none`], registry.owner)).body.run_id,
    ).toBeNull();
    const nothing = { agent_url: AGENT, run_id: null, steps: [], count: 0 };
    expect((await asked(registry, ['GET', `${BASE}/diagnostics?run_id=${run}`])).body).toEqual(nothing);
  });

  it('is the active badges, and texts that show them, the same for everybody', async () => {
    const registry = await tested(SELLER);
    const { body } = await asked(registry, ['GET', `${OF}/verification`]);
    expect(body).toMatchObject({ verified: true, badges: [{ role: 'media-buy', adcp_version: '3.0' }] });
    for (const [line, shown, verified] of [
      ['', '', true],
      ['/3.0', '/3.0', true],
      ['/3.0.0-rc.1', '/3.0', true],
      ['/3.1-beta', '/3.1', false],
      ['/2.0', '/2.0', false],
    ] as const) {
      const embed = (await asked(registry, ['GET', `${OF}/badge/media-buy${line}/embed`])).body;
      const picturePath = `${OF}/badge/media-buy${shown}.svg`;
      expect(embed).toMatchObject({ verified, badge_svg_url: `http://localhost${picturePath}` });
      const picture = await registry.get(`${OF}/badge/media-buy${line}.svg`);
      expect(picture.body.includes('not verified')).toBe(!verified);
    }
    expect((await asked(registry, ['GET', `${OF}/badge/media-buy/3/embed`])).status).toBe(400);
    await optOut(registry);
    expect((await asked(registry, ['GET', `${OF}/verification`])).body).toMatchObject({
      verified: false,
      badges: [],
    });
    const nobody = encodeURIComponent("https://nobody.example/it's)(<b>");
    const embed = (await asked(registry, ['GET', `/api/registry/agents/${nobody}/badge/brand/embed`])).body;
    expect(embed.html).toMatch(
      /^<a href="[^"'<>()]+"><img src="[^"'<>()]+" alt="[^"<>]+" width="320" height="24"><\/a>$/,
    );
    expect(embed.markdown).toMatch(/^\[!\[[^\]]+\]\([^()]+\)\]\([^()]+\)$/);
  });

  it('has the JWK set and the list of operations where its clients look for them', async () => {
    const registry = await tested();
    const keys = (await asked(registry, ['GET', '/api/.well-known/jwks.json'])).body;
    const here = (await asked(registry, ['GET', '/.well-known/jwks.json'])).body;
    expect(keys.keys).toEqual(here.keys);
    const list = new URL(keys.revocations, 'https://registry.example/api/.well-known/jwks.json');
    expect(list.pathname).toBe('/.well-known/badge-revocations.json');
    const { body } = await asked(registry, ['GET', '/api']);
    expect(body.endpoints.listAgents).toBe('/api/registry/agents');
  });
});

describe('the settings of an owner in the words of the field’s clients', () => {
  it('are changed one by one, and say since when tests are paused', async () => {
    const registry = await tested(SELLER);
    const settings = ['GET', `${OF}/monitoring/settings`] as const;
    const before = { monitoring_paused: false, check_interval_hours: 12, monitoring_paused_at: null };
    const { due } = (await registry.records.compliance.state(AGENT)) ?? {};
    const next_run_at = new Date(due ?? Number.NaN).toISOString();
    expect((await asked(registry, settings, registry.owner)).body).toEqual({ ...before, next_run_at });
    registry.clock.value += 60_000;
    const at = new Date(registry.clock.value).toISOString();
    const paused = await asked(registry, ['PUT', `${OF}/monitoring/pause`, { paused: true }], registry.owner);
    const none = { monitoring_paused_at: at, next_run_at: null };
    expect(paused.body).toEqual({ ...before, monitoring_paused: true, ...none });
    registry.clock.value += 60_000;
    await asked(registry, ['PUT', `${OF}/monitoring/interval`, { interval_hours: 24 }], registry.owner);
    const now = (await asked(registry, settings, registry.owner)).body;
    expect(now).toEqual({ monitoring_paused: true, check_interval_hours: 24, ...none });
    await asked(registry, ['PUT', `${OF}/monitoring/pause`, { paused: false }], registry.owner);
    expect((await asked(registry, settings, registry.owner)).body.monitoring_paused_at).toBeNull();
    const stage = { lifecycle_stage: 'deprecated' };
    const lifecycle = await asked(registry, ['PUT', `${OF}/lifecycle`, stage], registry.owner);
    expect(lifecycle.body).toMatchObject({ ...stage, created_at: at, badge_requalification_required: false });
    const opted = await asked(
      registry,
      ['PUT', `${OF}/compliance/opt-out`, { opt_out: true }],
      registry.owner,
    );
    expect(opted.body).toMatchObject({ compliance_opt_out: true, badge_requalification_required: true });
  });

  it('say when the next test comes after an opt-out is taken back', async () => {
    const registry = await tested(SELLER);
    const optOut = (opt_out: boolean) =>
      asked(registry, ['PUT', `${OF}/compliance/opt-out`, { opt_out }], registry.owner);
    expect((await optOut(true)).body.next_run_at).toBeNull();
    const { next_run_at: next } = (await optOut(false)).body;
    const state = await registry.records.compliance.state(AGENT);
    expect(next).toBe(new Date(state?.due ?? Number.NaN).toISOString());
    const settings = await registry.get(`${OF}/settings`, registry.owner);
    expect(settings.json().next_run_at).toBe(next);
  });

  it('refuse what is no such setting, and everybody but the owner in one way', async () => {
    const registry = await tested();
    const pause = ['PUT', `${OF}/monitoring/pause`] as const;
    const wrong = [{}, [], { paused: 'yes' }, { paused: true, opt_out: true }, { monitoring_paused: true }];
    for (const body of wrong)
      expect([body, (await asked(registry, [...pause, body], registry.owner)).status]).toEqual([body, 400]);
    const bodies = [{ paused: true }, { paused: 'yes' }, undefined];
    for (const caller of [{}, registry.stranger])
      for (const body of bodies) expect((await asked(registry, [...pause, body], caller)).status).toBe(404);
  });

  it('ask for a test, once until it is over, and for none of an agent that is opted out', async () => {
    const registry = await tested();
    const requeue = ['POST', `${OF}/monitoring/requeue`] as const;
    const optOut = (opt_out: boolean) => ['PUT', `${OF}/compliance/opt-out`, { opt_out }] as const;
    await asked(registry, optOut(true), registry.owner);
    expect((await asked(registry, requeue, registry.owner)).status).toBe(409);
    await asked(registry, optOut(false), registry.owner);
    expect((await asked(registry, requeue, registry.owner)).body).toEqual({ requeued: true });
    expect((await asked(registry, requeue, registry.owner)).body).toEqual({ requeued: false });
    expect((await asked(registry, requeue, registry.stranger)).status).toBe(404);
  });
});
