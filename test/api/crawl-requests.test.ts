import { describe, expect, it } from 'vitest';
import { later } from '../budgets/later.ts';
import { fileVisit, publish } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT, type TestRegistry } from './support/registry.ts';
import { bearer } from './support/tested-agent.ts';

const PATH = '/api/registry/crawl-request';
const AGENT = 'https://a.example/mcp';
const MINUTE = 60_000;

/** Asks by POST, and finds nothing in the answer that the document does not say. */
async function post(
  { server }: TestRegistry,
  url: string,
  payload?: object,
  headers: Record<string, string> = {},
) {
  const answer = await server.inject({ method: 'POST', url, headers, ...(payload && { payload }) });
  const path = url.replace(encodeURIComponent(AGENT), '{encodedUrl}');
  const document = (await server.inject('/openapi.json')).json<OpenApi>();
  expect(breaches(document, path, answer, 'post')).toEqual([]);
  return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
}

async function state({ get }: TestRegistry, id: string) {
  const answer = await get(`${PATH}/${id}`);
  expect(breaches((await get('/openapi.json')).json<OpenApi>(), `${PATH}/{id}`, answer)).toEqual([]);
  return answer.json();
}

/** Visits a domain as the crawler does. */
async function visit({ records, clock }: TestRegistry, domain: string, over: object = {}) {
  const at = clock.value;
  const [work] = await records.sources.takeKeys('domain', [domain], at, MINUTE);
  const sources = work?.sources ?? [];
  const files = sources.map(({ source: { kind } }) =>
    fileVisit(work as never, kind, { nextVisitAt: at + 360 * MINUTE, ...(kind === 'adagents' && over) }),
  );
  await records.sources.commitDomainVisit({ domain, at, files, found: [] });
}

describe('asking for a visit', () => {
  it('is answered with a request, which says what came of it: last good, last tried, why, next', async () => {
    const registry = await openRegistry();
    const asked = await post(registry, PATH, { domain: 'NEWS.example' });
    expect(asked).toMatchObject({
      status: 202,
      body: { domain: 'news.example', message: 'Crawl request accepted' },
    });
    const id = asked.body.crawl_request_id;
    expect(asked.headers).toMatchObject({ location: `${PATH}/${id}`, 'retry-after': '10' });
    expect(await state(registry, id)).toMatchObject({
      status: 'queued',
      visits: [{ state: 'unseen' }, { state: 'unseen' }],
    });
    registry.clock.value += MINUTE;
    await publish(registry.records, 'news.example', { authorized_agents: [] }, registry.clock.value);
    const now = new Date(registry.clock.value).toISOString();
    expect(await state(registry, id)).toMatchObject({
      status: 'completed',
      completed_at: now,
      visits: [{ state: 'fresh', last_good_at: now }, {}],
    });
    registry.clock.value += 20 * MINUTE;
    const again = (await post(registry, '/api/registry/brand-crawl-request', { domain: 'news.example' }))
      .body;
    expect(again.crawl_request_id).not.toBe(id);
    const error = { code: 'http_404', detail: 'the server says that there is no such file' };
    const absence = { absentSince: registry.clock.value, absentVisits: 1 };
    await visit(registry, 'news.example', { outcome: 'absent', error, ...absence });
    const gone = await state(registry, again.crawl_request_id);
    expect(gone.visits[0]).toMatchObject({
      what: 'adagents',
      state: 'absent',
      last_good_at: now,
      why: 'http_404',
    });
  });

  it('that our own network spoils says nothing of a file', async () => {
    const registry = await openRegistry();
    const since = registry.clock.value;
    const spoilt = { outcome: 'failed', error: { code: 'own_network', detail: 'away' } };
    const gone = { absentSince: since, absentVisits: 1 };
    const steps = [
      [spoilt, { state: 'unread', why: 'own_network' }, null],
      [{ outcome: 'absent', ...gone }, { state: 'absent', why: null }, false],
      [{ ...spoilt, ...gone }, { state: 'absent', why: 'own_network' }, false],
    ] as const;
    for (const [over, seen, isValid] of steps) {
      registry.clock.value += 20 * MINUTE;
      const asked = await post(registry, PATH, { domain: 'late.example' });
      await visit(registry, 'late.example', over);
      expect((await state(registry, asked.body.crawl_request_id)).visits[0]).toMatchObject(seen);
      const publisher = (await registry.get('/api/registry/publisher?domain=late.example')).json();
      expect([publisher.adagents_valid, publisher.hosting.mode]).toEqual([isValid, 'none']);
      expect(publisher.visit).toMatchObject(seen);
    }
  });

  it('is one visit for all, and has to wait 10 minutes after it, whoever asks', async () => {
    const registry = await openRegistry();
    const key = bearer((await registry.addKey('nova')).key);
    const ids = [{}, key].map(
      async (headers) => (await post(registry, PATH, { domain: 'news.example' }, headers)).body,
    );
    const [one, other] = await Promise.all(ids);
    expect(one.crawl_request_id).toBe(other.crawl_request_id);
    await visit(registry, 'news.example');
    registry.clock.value += 4 * MINUTE;
    for (const headers of [{}, key]) {
      const soon = await post(registry, PATH, { domain: 'news.example' }, headers);
      expect([soon.status, soon.body.code, soon.headers['retry-after']]).toEqual([
        429,
        'crawl_cooldown',
        '360',
      ]);
    }
  });

  it('brings in few domains that are new, of a stranger fewer than of a member', async () => {
    const registry = await openRegistry();
    const key = bearer((await registry.addKey('nova')).key);
    later(0); // the window does not go on meanwhile
    const fresh = (n: number, headers = {}) => post(registry, PATH, { domain: `new-${n}.example` }, headers);
    const answers: number[] = [];
    for (let n = 0; n < 5; n += 1) answers.push((await fresh(n)).status);
    expect(answers).toEqual([202, 202, 202, 429, 429]);
    expect((await fresh(9)).headers['retry-after']).toBe('86400');
    expect((await fresh(9, key)).status).toBe(202);
    expect(await registry.records.sources.get({ kind: 'adagents', key: 'new-4.example' })).toBeUndefined();
  });

  it('leaves the owner of a site its share, whatever strangers have asked for there', async () => {
    const registry = await openRegistry([bareDocument(AGENT)]);
    await registry.addOwner(AGENT, 'nova');
    const key = bearer((await registry.addKey('nova')).key);
    const ask = async (domain: string, remoteAddress: string, headers = {}) => {
      const payload = { domain };
      const asked = { method: 'POST', url: PATH, headers, remoteAddress, payload } as const;
      return (await registry.server.inject(asked)).statusCode;
    };
    const names = Array.from({ length: 30 }, (_, n) => `made-up-${n}.a.example`);
    await registry.records.sources.add(
      names.map((name) => ({ kind: 'domain', key: name, foundVia: 'operator' }) as const),
      PROBED_AT,
    );
    const asked: number[] = [];
    for (const [n, name] of names.entries()) asked.push(await ask(name, `127.${n}.0.1`));
    expect(asked.filter((status) => status === 202)).toHaveLength(20);
    expect(await ask('a.example', '127.0.0.9', key)).toBe(202);
  });

  it('of an agent is a probe, if anybody declares or registers it', async () => {
    const registry = await openRegistry([bareDocument(AGENT)]);
    await registry.addOwner(AGENT, 'nova');
    const refresh = `/api/registry/agents/${encodeURIComponent(AGENT)}/refresh`;
    registry.clock.value = PROBED_AT + 20 * MINUTE;
    const asked = await post(registry, refresh);
    expect(asked).toMatchObject({ status: 202, body: { domain: 'a.example', agent_url: AGENT } });
    expect(await registry.records.sources.due('agent', 10, registry.clock.value)).toMatchObject([
      { key: AGENT },
    ]);
    expect((await state(registry, asked.body.crawl_request_id)).visits).toMatchObject([
      { what: 'agent', state: 'fresh' },
    ]);
    const typed = await registry.server.inject({
      ...{ method: 'POST', url: refresh, payload: '' },
      headers: { 'content-type': 'application/json', 'content-length': '0' },
    });
    expect([typed.statusCode, typed.json().crawl_request_id]).toEqual([202, asked.body.crawl_request_id]);
    const nobody = encodeURIComponent('https://nobody.example/mcp');
    const unknown = await registry.server.inject({
      method: 'POST',
      url: `/api/registry/agents/${nobody}/refresh`,
    });
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'unknown_agent']);
  });

  it('refuses what names no domain', async () => {
    const registry = await openRegistry();
    const wrong = [
      undefined,
      {},
      [],
      { domain: 7 },
      { domain: '' },
      { domain: '10.0.0.1' },
      { domain: 'localhost' },
    ];
    const more = [
      { domain: 'a.example', fresh: true },
      { domain: 'a'.repeat(300) },
      { domain: 'https://a.example/' },
    ];
    for (const body of [...wrong, ...more])
      expect([body, (await post(registry, PATH, body)).status]).toEqual([body, 400]);
    expect((await registry.get(`${PATH}/never`)).statusCode).toBe(404);
    const manager = '/api/registry/manager-revalidation-request';
    for (const body of [{ manager_domain: 'a.example' }, { domain: 'a.example' }])
      expect((await post(registry, manager, body)).status).toBe(202);
  });
});

it('asks for no visit of a public suffix, and for one of a site below which others have theirs', async () => {
  const registry = await openRegistry();
  const refused = await post(registry, PATH, { domain: 'co.uk' });
  expect(refused).toMatchObject({
    status: 400,
    body: { parameter: 'domain', detail: expect.stringContaining('name a domain below it') },
  });
  expect((await post(registry, PATH, { domain: 'github.io' })).status).toBe(202);
});

describe('the figures of the registry', () => {
  const SELLS = {
    ...{ specialisms: [], channels: [], deliveryTypes: [], formatKinds: [], hasTmp: false },
    markets: ['DE', 'at', 'everywhere', 'x1'],
  };

  it('are counted once a minute, and show what waits longest for its visit', async () => {
    const registry = await openRegistry([{ ...bareDocument(AGENT), inventory: SELLS }]);
    const { records, get, clock } = registry;
    const stats = async () => {
      const answer = await get('/api/registry/stats');
      const document = (await get('/openapi.json')).json<OpenApi>();
      expect(breaches(document, '/api/registry/stats', answer)).toEqual([]);
      return answer.json();
    };
    const domains = Array.from({ length: 3 }, (_, n) => `d-${n}.example`);
    const visits = domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const);
    await records.sources.add(visits, clock.value);
    await visit(registry, 'd-0.example');
    clock.value += 30 * MINUTE;
    await visit(registry, 'd-1.example', { outcome: 'absent' });
    const first = await stats();
    expect(first).toMatchObject({
      agents: {
        ...{ total: 1, verified: 0, by_protocol: { a2a: 0 }, by_country: { AT: 1, DE: 1 } },
        by_compliance_status: { unknown: 1, passing: 0 },
      },
      sources: {
        adagents: {
          ...{ total: 3, valid: 0, by_status: { absent: 1, never_visited: 1, unchanged: 1 } },
          freshness_minutes: { p50: 30, p99: 30 },
        },
        brand: { freshness_minutes: { p50: 0, p90: 30 } },
        agent: { total: 1, by_status: { indexed: 1 } },
      },
      due: { domains: 1, oldest_due_seconds: 1_800, oldest_due_at: new Date(PROBED_AT).toISOString() },
    });
    await visit(registry, 'd-2.example');
    clock.value += MINUTE / 2;
    expect(await stats()).toEqual(first);
    clock.value += MINUTE;
    await stats(); // the last ones, while new ones are counted
    await expect
      .poll(stats)
      .toMatchObject({ due: { domains: 0 }, sources: { adagents: { by_status: { unchanged: 2 } } } });
  });
});
