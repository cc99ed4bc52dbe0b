import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchNow } from '../../src/index/generations/keep-indexed.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, sharedRegistry, type TestRegistry } from './support/registry.ts';

const AGENT = 'https://a.example/mcp';
const DESCRIBED = '/api/registry/agents/{encodedUrl}/settings';
const LIST = '/api/registry/agents?compliance=true';
const path = (url: string) => `/api/registry/agents/${encodeURIComponent(url)}/settings`;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** An agent, its owner with a key, and a way to change its settings. */
async function owned(parts: Parameters<typeof openRegistry>[2] = {}) {
  const registry = await openRegistry([bareDocument(AGENT)], {}, parts);
  await registry.addOwner(AGENT, 'nova');
  const { id, key } = await registry.addKey('nova');
  return { ...registry, id, key, change: changer(registry, bearer(key)) };
}

function changer({ server }: TestRegistry, headers: Record<string, string>) {
  return (payload: unknown, more: Record<string, string> = {}) =>
    server.inject({
      method: 'PATCH',
      url: path(AGENT),
      headers: { 'content-type': 'application/json', ...headers, ...more },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
}

describe('the settings of an agent, over HTTP', () => {
  const refusing = sharedRegistry(async () => {
    const registry = await owned();
    await registry.get(path(AGENT), bearer(registry.key)); // notes that the key is used today
    return registry;
  });

  it('are shown to its proven owner, by any address of the agent', async () => {
    const { get, key } = await owned();
    const answer = await get(path('HTTPS://A.example:443/mcp/'), bearer(key));
    expect(answer.json()).toEqual({
      agent_url: AGENT,
      member: 'nova',
      proven_at: '2026-01-05T09:00:00.000Z',
      compliance_opt_out: false,
      monitoring_paused: false,
      check_interval_hours: 12,
      lifecycle_stage: 'production',
      compliance_target: null,
      test_setup: null,
      next_run_at: '2026-01-05T09:00:00.000Z',
    });
    expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
    const again = await get(path(AGENT), { ...bearer(key), 'if-none-match': String(answer.headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('say until when an old proof has to be made again, and after that nothing to whom it was', async () => {
    const { get, change, key, records } = await owned();
    const day = 86_400_000;
    const asked = Date.UTC(2026, 6, 10);
    await records.owners.ageProofs(asked);
    const answer = await get(path(AGENT), bearer(key));
    expect(answer.json()).toMatchObject({ prove_again_by: '2026-08-09T00:00:00.000Z' });
    expect(breaches((await get('/openapi.json')).json<OpenApi>(), DESCRIBED, answer)).toEqual([]);
    expect((await change({ monitoring_paused: true })).json()).toMatchObject({ monitoring_paused: true });
    await records.owners.ageProofs(asked + 30 * day);
    expect((await get(path(AGENT), bearer(key))).statusCode).toBe(404);
    expect((await change({ monitoring_paused: false })).statusCode).toBe(404);
    const compliance = `/api/registry/agents/${encodeURIComponent(AGENT)}/compliance`;
    const [old, anybody] = [await get(compliance, bearer(key)), await get(compliance)];
    expect([old.statusCode, old.body, old.headers.etag]).toEqual([200, anybody.body, anybody.headers.etag]);
  });

  it('change where asked to, and the change is in the audit log with its key', async () => {
    const { get, change, key, id, records } = await owned();
    const answer = await change({ monitoring_paused: true, check_interval_hours: 48 });
    expect(answer.json()).toMatchObject({ monitoring_paused: true, check_interval_hours: 48 });
    expect((await get(path(AGENT), bearer(key))).body).toBe(answer.body);
    expect(await records.owners.auditLog({ subject: AGENT, limit: 1 })).toMatchObject([
      {
        actor: id,
        action: 'agent.settings',
        details: { member: 'nova', after: { monitoringPaused: true, checkIntervalHours: 48 } },
      },
    ]);
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, DESCRIBED, await get(path(AGENT), bearer(key)))).toEqual([]);
    expect(breaches(document, DESCRIBED, answer, 'patch')).toEqual([]);
  });

  it('take the target and the buyer of tests, merge a change into them, and clear with null', async () => {
    const { get, change, key } = await owned();
    const account = { account_id: 'acc 7/x' };
    const first = await change({
      compliance_target: '3.1-beta',
      test_setup: { operator: 'Desk.example.', brand: { domain: 'kayaks.example' }, account },
    });
    const kept = { operator: 'desk.example', brand: { domain: 'kayaks.example' }, account };
    expect(first.json()).toMatchObject({ compliance_target: '3.1-beta', test_setup: kept });
    const answer = await get(path(AGENT), bearer(key));
    const document = (await get('/openapi.json')).json<OpenApi>();
    expect(breaches(document, DESCRIBED, answer)).toEqual([]);
    const second = await change({ compliance_target: null, test_setup: { operator: null, brand: null } });
    expect(second.json()).toMatchObject({ compliance_target: null, test_setup: { account } });
    expect((await change({ test_setup: null })).json()).toMatchObject({ test_setup: null });
  });

  it('never show the target and the buyer of tests to anybody but the owner', async () => {
    const { get, change } = await owned();
    await change({ compliance_target: '3.77', test_setup: { account: { account_id: 'acc-of-nova' } } });
    const agent = path(AGENT).replace('/settings', '');
    for (const url of [agent, `${agent}/compliance`, LIST, '/api/registry/feed'])
      expect((await get(url)).body, url).not.toMatch(/acc-of-nova|3\.77/);
  });

  it.each([
    ['PATCH', 'settings', 'compliance_opt_out'],
    ['PUT', 'compliance/opt-out', 'opt_out'],
  ] as const)(
    'say when the next test is, once an opt-out is taken back: %s …/%s',
    async (method, at, name) => {
      const { server, get, key, clock, records } = await owned();
      const url = path(AGENT).replace('settings', at);
      const change = async (payload: object) => {
        const answer = await server.inject({ method, url, headers: bearer(key), payload });
        const kept = (await get(path(AGENT), bearer(key))).json();
        expect([answer.statusCode, answer.json().next_run_at]).toEqual([200, kept.next_run_at]);
        return kept.next_run_at;
      };
      expect(await change({ [name]: true })).toBeNull();
      expect(await records.runs.takeDue(9, clock.value, 60_000, 'a worker')).toEqual([]);
      clock.value += 3_600_000;
      expect(await change({ [name]: false })).toBe('2026-01-06T10:00:00.000Z'); // now: it waits for its turn
      const [taken] = await records.runs.takeDue(9, clock.value, 60_000, 'a worker');
      expect(taken).toMatchObject({ key: AGENT });
    },
  );

  it('say that no test is planned, once the opt-out of a paused agent is taken back', async () => {
    const { change } = await owned();
    await change({ compliance_opt_out: true, monitoring_paused: true });
    expect((await change({ compliance_opt_out: false })).json()).toMatchObject({ next_run_at: null });
    expect((await change({ monitoring_paused: false })).json().next_run_at).toEqual(expect.any(String));
  });

  it('take an agent that opts out from the list and the compliance operation by the time of the answer', async () => {
    let publish = async () => {};
    const { get, change, records, index, clock } = await owned({ onChanged: () => publish() });
    publish = () =>
      stitchNow({ records, index, clock, rederive: deriveStored }, (error) =>
        expect.unreachable(String(error)),
      );
    await change({ compliance_opt_out: true, lifecycle_stage: 'deprecated' });
    const short = { status: 'opted_out', lifecycle_stage: 'deprecated' };
    expect((await get(LIST)).json().agents[0]).not.toHaveProperty('compliance');
    const detail = await get(path(AGENT).replace('settings', 'compliance'));
    expect(detail.json()).toEqual({ agent_url: AGENT, compliance_opt_out: true, ...short });
    await change({ compliance_opt_out: false });
    expect((await get(LIST)).json().agents[0].compliance).toMatchObject({ status: 'unknown' });
  });

  it.each<[string, unknown, number, string, string | undefined]>([
    [
      'an interval that is too short',
      { check_interval_hours: 5 },
      400,
      'invalid_value',
      'check_interval_hours',
    ],
    ['one that is too long', { check_interval_hours: 169 }, 400, 'invalid_value', 'check_interval_hours'],
    ['a broken one', { check_interval_hours: 7.5 }, 400, 'invalid_value', 'check_interval_hours'],
    ['one as text', { check_interval_hours: '12' }, 400, 'invalid_value', 'check_interval_hours'],
    ['no boolean', { compliance_opt_out: 1 }, 400, 'invalid_value', 'compliance_opt_out'],
    ['null', { monitoring_paused: null }, 400, 'invalid_value', 'monitoring_paused'],
    ['another stage', { lifecycle_stage: 'retired' }, 400, 'invalid_value', 'lifecycle_stage'],
    ['a target with a slash', { compliance_target: '3.1/x' }, 400, 'invalid_value', 'compliance_target'],
    ['a target as number', { compliance_target: 3.1 }, 400, 'invalid_value', 'compliance_target'],
    ['a long target', { compliance_target: 'x'.repeat(65) }, 400, 'invalid_value', 'compliance_target'],
    ['an empty target', { compliance_target: '' }, 400, 'invalid_value', 'compliance_target'],
    ['a buyer as text', { test_setup: 'desk.example' }, 400, 'invalid_value', 'test_setup'],
    ['an empty buyer', { test_setup: {} }, 400, 'invalid_value', 'test_setup'],
    ['another field', { test_setup: { token: 'x' } }, 400, 'unknown_parameter', 'test_setup.token'],
    ['no domain', { test_setup: { operator: 'http://a.b' } }, 400, 'invalid_value', 'test_setup.operator'],
    ['a plain brand', { test_setup: { brand: 'a.example' } }, 400, 'invalid_value', 'test_setup.brand'],
    [
      'a brand without domain',
      { test_setup: { brand: {} } },
      ...([400, 'invalid_value', 'test_setup.brand.domain'] as const),
    ],
    [
      'more of an account than its id',
      { test_setup: { account: { account_id: 'a', sandbox: false } } },
      ...([400, 'unknown_parameter', 'test_setup.account.sandbox'] as const),
    ],
    [
      'an account id with a line break',
      { test_setup: { account: { account_id: 'a\nb' } } },
      ...([400, 'invalid_value', 'test_setup.account.account_id'] as const),
    ],
    [
      'a long account id',
      { test_setup: { account: { account_id: 'a'.repeat(256) } } },
      ...([400, 'invalid_value', 'test_setup.account.account_id'] as const),
    ],
    [
      'an unknown setting beside a good one',
      { monitoring_paused: true, x: 1 },
      400,
      'unknown_parameter',
      'x',
    ],
    ['a name of every object', { toString: true }, 400, 'unknown_parameter', 'toString'],
    ['a prototype', '{"__proto__": {"compliance_opt_out": true}}', 400, 'bad_request', undefined],
    ['nothing to change', {}, 400, 'bad_request', undefined],
    ['a list', [{ monitoring_paused: true }], 400, 'bad_request', undefined],
    ['null alone', 'null', 400, 'bad_request', undefined],
    ['broken JSON', '{', 400, 'bad_request', undefined],
    ['an empty body', '', 400, 'bad_request', undefined],
    ['an endless one', `"${'x'.repeat(5_000)}"`, 413, 'body_too_large', undefined],
  ])('refuse %s and change nothing', async (_what, payload, status, code, parameter) => {
    const { change, records } = await refusing();
    const answer = await change(payload);
    expect([answer.statusCode, answer.json().code, answer.json().parameter]).toEqual([
      status,
      code,
      parameter,
    ]);
    expect(await records.owners.settings(AGENT)).toMatchObject({ optedOut: false, monitoringPaused: false });
  });

  it('refuse a body that is no JSON', async () => {
    const { change } = await owned();
    const answer = await change('monitoring_paused=true', {
      'content-type': 'application/x-www-form-urlencoded',
    });
    expect([answer.statusCode, answer.json().code]).toEqual([415, 'unsupported_media_type']);
  });

  it('are one and the same 404 for everybody else, and for every agent', async () => {
    const registry = await owned();
    const { get, addKey, records } = registry;
    await registry.put([bareDocument('https://free.example/mcp')]);
    await records.members.register(
      { agent: 'https://b.example/', url: 'https://b.example/', member: 'nova' },
      1,
    );
    const stranger = bearer((await addKey('stranger')).key);
    const owner = bearer(registry.key);
    const answers = [
      await get(path(AGENT)),
      await get(path(AGENT), stranger),
      await changer(registry, {})({ monitoring_paused: true }),
      await changer(registry, stranger)({ monitoring_paused: true }),
      await changer(registry, stranger)({ nonsense: true }),
      await get(path('https://free.example/mcp'), owner),
      await get(path('https://b.example/'), owner), // registered, and not proven
      await get(path('https://nobody.example/'), owner),
    ];
    for (const { statusCode, body } of answers) expect([statusCode, body]).toEqual([404, answers[0]?.body]);
    expect(answers[0]?.json().code).toBe('not_found');
    expect(await records.owners.settings(AGENT)).toMatchObject({ monitoringPaused: false });
  });

  it('go with the ownership', async () => {
    const { get, change, key, addKey, records } = await owned();
    const other = bearer((await addKey('other')).key);
    expect((await get(path(AGENT), other)).statusCode).toBe(404);
    const challenge = { agent: AGENT, member: 'other', token: 'fresh', expiresAt: 9 };
    await records.owners.challenge(challenge, 1);
    await records.owners.prove({ agent: AGENT, member: 'other', token: 'fresh', via: 'dns' }, 2);
    expect((await get(path(AGENT), other)).statusCode).toBe(200);
    expect((await get(path(AGENT), bearer(key))).statusCode).toBe(404);
    expect((await change({ monitoring_paused: true })).statusCode).toBe(404);
  });

  it('are not changed by a key that is revoked while its request is under way', async () => {
    const { change, records, id } = await owned();
    const { owner } = records.owners;
    Object.assign(records.owners, {
      async owner(agent: string) {
        await records.keys.revoke(id, 1); // between the look at the key and the change
        return owner(agent);
      },
    });
    const answer = await change({ compliance_opt_out: true });
    expect([answer.statusCode, answer.json().code]).toEqual([401, 'invalid_key']);
    expect(await records.owners.settings(AGENT)).toMatchObject({ optedOut: false });
  });

  it('take no parameters', async () => {
    const { get, key } = await owned();
    expect((await get(`${path(AGENT)}?verbose=true`, bearer(key))).json()).toMatchObject({
      status: 400,
      code: 'unknown_parameter',
      parameter: 'verbose',
    });
  });

  it('write no key into the log, not even a wrong one', async () => {
    const lines: string[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    });
    const { get, change, key, records } = await owned({ logger: pino({ level: 'trace' }, sink) });
    await change({ monitoring_paused: true });
    await get(path(AGENT), bearer(`${key.slice(0, -4)}AAAA`));
    Object.assign(records.owners, { owner: () => Promise.reject(new Error('broken')) });
    expect((await get(path(AGENT), bearer(key))).statusCode).toBe(500);
    expect(lines.join('')).toContain('request failed');
    expect(lines.join('')).not.toContain(key.slice(21, 60));
  });
});
