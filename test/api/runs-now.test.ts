import { describe, expect, it } from 'vitest';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { PROBED_AT, type TestRegistry } from './support/registry.ts';
import { AGENT, BASE, bearer, optOut, SELLER, tested } from './support/tested-agent.ts';

const RUNS = `${BASE}/runs`;
const DESCRIBED = '/api/registry/agents/{encodedUrl}/compliance/runs';
const MINUTE = 60_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function asker({ server }: Pick<TestRegistry, 'server'>) {
  return (headers: Record<string, string>, payload = '', url = RUNS) =>
    server.inject({
      method: 'POST',
      url,
      headers: { ...headers, ...(payload !== '' && { 'content-type': 'application/json' }) },
      payload,
    });
}

/** An agent of nova with these runs behind it, and a way to ask for one. */
async function ready(...runs: readonly Partial<FinishedRun>[]) {
  const registry = await tested(...runs);
  return { ...registry, ask: asker(registry) };
}

type Answer = Awaited<ReturnType<ReturnType<typeof asker>>>;

function comparable({ statusCode, headers, rawPayload }: Answer) {
  const { date: _date, 'x-request-id': _id, ...others } = headers;
  return { statusCode, headers: others, names: Object.keys(headers), body: rawPayload.toString('base64') };
}

describe('asking for a run with an API key', () => {
  it('gives the owner a run to poll, and the audit log who asked', async () => {
    const { ask, get, owner, records } = await ready();
    const answer = await ask(owner);
    const body = answer.json();
    expect(body).toEqual({
      agent_url: AGENT,
      run_id: expect.stringMatching(UUID),
      state: 'queued',
      triggered_by: 'owner_test',
      asked_at: new Date(PROBED_AT).toISOString(),
    });
    expect(answer.statusCode).toBe(202);
    expect(answer.headers).toMatchObject({
      location: `${RUNS}/${body.run_id}`,
      'retry-after': '10',
      'cache-control': 'no-store',
    });
    expect((await get(String(answer.headers.location), owner)).json()).toEqual(body);
    expect(await records.owners.auditLog({ subject: AGENT, limit: 1 })).toMatchObject([
      { actor: expect.stringMatching(/^ark_/), action: 'run.ask' },
    ]);
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, DESCRIBED, answer, 'post')).toEqual([]);
    const polled = await get(`${RUNS}/${body.run_id}`, owner);
    expect(breaches(document, `${DESCRIBED}/{id}`, polled)).toEqual([]);
  });

  it('takes the agent in the body as well, in any spelling of its address', async () => {
    const { ask, owner } = await ready();
    const first = await ask(owner, JSON.stringify({ agent_url: 'HTTPS://A.example:443/mcp/' }));
    expect(first.statusCode).toBe(202);
    expect((await ask(owner, '{}')).json()).toEqual(first.json());
  });

  it('gives the same run while one is open, also to two who ask at once', async () => {
    const { ask, owner, records } = await ready();
    const answers = await Promise.all([ask(owner), ask(owner), ask(owner)]);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    const entries = await records.owners.auditLog({ subject: AGENT, limit: 20 });
    expect(entries.filter(({ action }) => action === 'run.ask')).toHaveLength(1);
  });

  it('is running while somebody tests the agent, and finished under its id after that', async () => {
    const { ask, get, owner, stranger, records, clock } = await ready();
    const { run_id: id } = (await ask(owner)).json();
    const [work] = await records.runs.takeDue(1, clock.value, MINUTE, 'somebody');
    expect(work).toMatchObject({ key: AGENT, asked: { runId: id, trigger: 'owner_test' } });
    expect((await get(`${RUNS}/${id}`, owner)).json()).toMatchObject({ state: 'running' });
    expect(comparable(await get(`${RUNS}/${id}`, stranger))).toEqual(comparable(await get(`${RUNS}/none`)));
    await keepRun(records, clock.value, { ...SELLER, run_id: id, trigger: 'owner_test' }, { agent: AGENT });
    expect((await get(`${RUNS}/${id}`, owner)).json()).toMatchObject({
      state: 'finished',
      run_id: id,
      triggered_by: 'owner_test',
    });
    expect((await get(`${RUNS}/${id}`)).json()).toMatchObject({ state: 'finished', triggered_by: null });
    expect(await records.runs.requested(AGENT)).toBeUndefined();
  });

  it('has to wait until 10 minutes after the last try, and is told how long', async () => {
    const { ask, get, owner, clock } = await ready(SELLER);
    clock.value = PROBED_AT + 2.5 * MINUTE;
    const early = await ask(owner);
    expect(early.json()).toMatchObject({ status: 429, code: 'run_cooldown' });
    expect(early.headers['retry-after']).toBe('450');
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, DESCRIBED, early, 'post')).toEqual([]);
    clock.value += 449_000;
    expect((await ask(owner)).statusCode).toBe(429);
    clock.value += 1_000;
    expect((await ask(owner)).statusCode).toBe(202);
  });

  it('is of one storyboard where that is asked for, under the path of the field’s clients', async () => {
    const { ask, get, owner, stranger, records, clock } = await ready();
    const path = (id: string) => BASE.replace(/compliance$/, `storyboard/${id}/run`);
    const answer = await ask(owner, '', path('capability_discovery'));
    const { run_id: id, ...body } = answer.json();
    expect([answer.statusCode, answer.headers.location]).toEqual([202, `${RUNS}/${id}`]);
    expect(body).toMatchObject({
      ...{ state: 'queued', storyboard_id: 'capability_discovery', agent: { url: AGENT } },
      storyboard: { id: 'capability_discovery', title: expect.any(String), category: expect.any(String) },
    });
    const document = (await get('/openapi.json')).json<OpenApi>();
    const described = '/api/registry/agents/{encodedUrl}/storyboard/{storyboardId}/run';
    expect(breaches(document, described, answer, 'post')).toEqual([]);
    const polled = await get(`${RUNS}/${id}`, owner);
    expect(polled.json()).toMatchObject({ state: 'queued', storyboard_id: 'capability_discovery' });
    expect(breaches(document, `${DESCRIBED}/{id}`, polled)).toEqual([]);
    const ofAll = await ask(owner);
    expect(ofAll.json()).toMatchObject({
      status: 429,
      code: 'run_cooldown',
      detail: expect.stringContaining(id),
    });
    expect(ofAll.headers['retry-after']).toBe('10');
    expect((await ask(owner, '', path('capability_discovery'))).json().run_id).toBe(id);
    const unknown = await ask(owner, '', path('capability_discoverie'));
    expect(unknown.json()).toMatchObject({
      status: 404,
      detail: expect.stringContaining('capability_discovery'),
    });
    const refusals = [
      await ask(stranger, '', path('capability_discovery')),
      await ask(stranger, '', path('none')),
    ];
    for (const one of refusals) expect(comparable(one)).toEqual(comparable(await ask(stranger)));
    const [work] = await records.runs.takeDue(1, clock.value, MINUTE, 'somebody');
    expect(work?.asked).toEqual({ runId: id, trigger: 'owner_test', storyboard: 'capability_discovery' });
  });

  it('has the target that is asked for, and is not given to a request for another one', async () => {
    const { ask, get, owner, records, clock } = await ready();
    const answer = await ask(owner, JSON.stringify({ compliance_target: '3.1-beta' }));
    const { run_id: id } = answer.json();
    expect([answer.statusCode, answer.json()]).toMatchObject([202, { compliance_target: '3.1-beta' }]);
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, DESCRIBED, answer, 'post')).toEqual([]);
    const both = { agent_url: AGENT, compliance_target: '3.1-beta' };
    expect((await ask(owner, JSON.stringify(both))).json().run_id).toBe(id);
    for (const other of ['', '{"compliance_target": "3.0"}'])
      expect((await ask(owner, other)).json()).toMatchObject({
        ...{ status: 429, code: 'run_cooldown' },
        detail: expect.stringContaining('all storyboards with the target 3.1-beta'),
      });
    const [work] = await records.runs.takeDue(1, clock.value, MINUTE, 'somebody');
    expect(work?.asked).toEqual({ runId: id, trigger: 'owner_test', target: '3.1-beta' });
  });

  it('of one storyboard takes no target', async () => {
    const { ask, owner } = await ready();
    const path = BASE.replace(/compliance$/, 'storyboard/capability_discovery/run');
    expect((await ask(owner, '{"compliance_target": "3.0"}', path)).json()).toMatchObject({
      ...{ status: 400, code: 'unknown_parameter', parameter: 'compliance_target' },
    });
  });

  it('is refused after opting out, and what was asked for is shown no more', async () => {
    const registry = await ready();
    const { ask, get, owner } = registry;
    const { run_id: id } = (await ask(owner)).json();
    await optOut(registry);
    expect((await ask(owner)).json()).toMatchObject({ status: 409, code: 'opted_out' });
    expect((await get(`${RUNS}/${id}`, owner)).json()).toMatchObject({ status: 'opted_out' });
  });

  it('is one and the same 404 for everybody else, for every agent, and that of the settings', async () => {
    const { ask, server, owner, stranger, put } = await ready();
    await put([bareDocument('https://free.example/mcp')]);
    const of = (url: string) => RUNS.replace(encodeURIComponent(AGENT), encodeURIComponent(url));
    const answers = [
      await ask({}),
      await ask(stranger),
      await ask(stranger, '{"nonsense": true}'),
      await ask(owner, '', of('https://free.example/mcp')),
      await ask(owner, '', of('https://nobody.example/')),
      await ask({}, '', of('https://nobody.example/')),
    ];
    for (const answer of answers) expect(comparable(answer)).toEqual(comparable(answers[0] as Answer));
    const settings = await server.inject({ url: BASE.replace(/compliance$/, 'settings') });
    expect([settings.statusCode, settings.body]).toEqual([404, answers[0]?.body]);
  });

  it('never shows an open run to a stranger, whatever tag is sent', async () => {
    const { ask, get, owner, stranger } = await ready();
    const { run_id: id } = (await ask(owner)).json();
    const mine = await get(`${RUNS}/${id}`, owner);
    const tag = { 'if-none-match': String(mine.headers.etag) };
    expect((await get(`${RUNS}/${id}`, { ...owner, ...tag })).statusCode).toBe(304);
    const unknown = comparable(await get(`${RUNS}/${id.replace(/.$/, 'x')}`));
    for (const headers of [{}, stranger, { ...stranger, ...tag }, { ...tag }, { 'if-none-match': '*' }])
      expect(comparable(await get(`${RUNS}/${id}`, headers))).toEqual(unknown);
  });

  it('asks for nothing with a key that is revoked while its request is under way', async () => {
    const { ask, records, addKey } = await ready();
    const { id, key } = await addKey('nova');
    const { owner } = records.owners;
    Object.assign(records.owners, {
      async owner(agent: string) {
        await records.keys.revoke(id, 1); // between the look at the key and the asking
        return owner(agent);
      },
    });
    expect((await ask(bearer(key))).json()).toMatchObject({ status: 401, code: 'invalid_key' });
    expect(await records.runs.requested(AGENT)).toBeUndefined();
  });

  it.each([
    ['a broken body', '{"agent_url": ', 400, 'bad_request'],
    ['a list', '[]', 400, 'bad_request'],
    ['another member', '{"agent": "x"}', 400, 'unknown_parameter'],
    ['another agent', '{"agent_url": "https://b.example/mcp"}', 400, 'invalid_value'],
    ['no URL', '{"agent_url": 7}', 400, 'invalid_value'],
    ['a target that is no label', '{"compliance_target": "../3.1"}', 400, 'invalid_value'],
    ['a target that is no text', '{"compliance_target": null}', 400, 'invalid_value'],
    ['too much', JSON.stringify({ agent_url: `${AGENT}?${'x'.repeat(9_000)}` }), 413, 'body_too_large'],
  ])('refuses %s', async (_name, payload, status, code) => {
    const { ask, get, owner, records } = await ready();
    const answer = await ask(owner, payload);
    expect(answer.json()).toMatchObject({ status, code });
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, DESCRIBED, answer, 'post')).toEqual([]);
    expect(await records.runs.requested(AGENT)).toBeUndefined();
  });

  it('refuses parameters, other media types, and addresses that are none', async () => {
    const { ask, server, owner } = await ready();
    expect((await ask(owner, '', `${RUNS}?dry=true`)).json()).toMatchObject({ code: 'unknown_parameter' });
    expect((await ask(owner, '', '/api/registry/agents/x/compliance/runs')).json()).toMatchObject({
      code: 'bad_agent_url',
    });
    const headers = { ...owner, 'content-type': 'text/plain' };
    const text = await server.inject({ method: 'POST', url: RUNS, headers, payload: 'now' });
    expect(text.json()).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });
});
