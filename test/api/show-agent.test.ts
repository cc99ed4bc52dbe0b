import { describe, expect, it, vi } from 'vitest';
import { agentInFull } from '../../src/api/render/agent-in-full.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchAll } from '../../src/index/generations/keep-indexed.ts';
import { EXPOSED, facts, HOUR, mention, NOW, observed } from '../contract/records-fixtures.ts';
import { declare, probing, publish, takeOne } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';
import { AGENT, optOut, SELLER, tested } from './support/tested-agent.ts';

const LIST = '/api/registry/agents';
const PATH = `${LIST}/${encodeURIComponent(AGENT)}`;
const ALL = 'health=true&capabilities=true&properties=true&compliance=true';
const entry = { url: AGENT, authorized_for: 'Display' };

describe('GET /api/registry/agents/{encodedUrl}', () => {
  it('has the groups of the list, its badges, and the run that they are of, as the document says', async () => {
    const { get, clock } = await tested(SELLER);
    clock.value = PROBED_AT + 1;
    const shown = await get(PATH);
    const body = shown.json();
    expect(body).toMatchObject({
      url: AGENT,
      listed: true,
      health: { online: true },
      compliance: { status: 'passing' },
      verified_badges: [{ role: 'media-buy' }],
      provenance: {
        identity: { name: { by: 'inference' }, type: { by: 'inference' } },
        probe: { outcome: 'indexed', why: null, last_good_at: '2026-01-06T09:00:00.000Z' },
        run: { id: `run-${PROBED_AT}`, last_good_at: expect.any(String) },
      },
    });
    const document = (await get('/openapi.json')).json() as OpenApi;
    expect(breaches(document, `${LIST}/{encodedUrl}`, shown)).toEqual([]);
  });

  it('leads from an address that is mistyped to the agents that are near, and without the index to none', async () => {
    const { get, index } = await tested(SELLER);
    const path = `${LIST}/${encodeURIComponent(`${AGENT}x`)}`;
    const near = await get(path);
    expect([near.statusCode, near.json()]).toMatchObject([
      404,
      { code: 'unknown_agent', parameter: 'encodedUrl', valid_values: [AGENT] },
    ]);
    const suffix = new URL(AGENT).hostname.split('.').at(-1);
    for (const unknown of ['https://elsewhere.test/mcp', `https://zzz.${suffix}/mcp`]) {
      const far = await get(`${LIST}/${encodeURIComponent(unknown)}`);
      expect([unknown, far.statusCode, far.json().valid_values]).toEqual([unknown, 404, undefined]);
      const page = await get(`/agents/${encodeURIComponent(unknown)}`, { accept: 'text/html' });
      expect([unknown, page.statusCode, page.body.includes('Similar agents')]).toEqual([unknown, 404, false]);
    }
    vi.spyOn(index, 'find').mockRejectedValue(new Error('away'));
    const blind = await get(path);
    expect([blind.statusCode, blind.json().valid_values]).toEqual([404, undefined]);
  });

  it('says of each file that names the agent which line it is, whether it has a say, and how fresh it is', async () => {
    const { get, records, clock } = await openRegistry();
    clock.value = NOW + 1;
    await publish(records, 'news.example', {
      authorized_agents: [{ url: 'https://other.example/', authorized_for: 'x' }, entry],
    });
    const said = mention('claims.example', AGENT, { type: 'brand', name: 'Claimed' });
    await declare(records, 'claims.example', 'brand', '{}', facts({ mentions: [said] }));
    const { provenance, listed, ...record } = (await get(PATH)).json();
    expect(record.name).toBe('a.example');
    expect(listed).toBe(true);
    expect(provenance).toMatchObject({
      declared_by: [
        {
          domain: 'claims.example',
          file: 'brand',
          entry: '/agents/0',
          has_authority: false,
          name: 'Claimed',
        },
      ],
      authorized_by: [
        {
          domain: 'news.example',
          url: 'https://news.example/.well-known/adagents.json',
          line: 1,
          entry: '/authorized_agents/1',
          outcome: 'indexed',
          why: null,
          last_good_at: new Date(NOW).toISOString(),
          next_at: new Date(NOW + 1).toISOString(),
        },
      ],
      authorized_by_total: 1,
      findings: [{ code: 'claim_without_authority' }],
      run: null,
    });
  });

  it('goes on telling of an agent that has left the list', async () => {
    const { get, records, clock } = await openRegistry();
    await publish(records, 'news.example', { authorized_agents: [entry] });
    await publish(records, 'news.example', { authorized_agents: [] }, NOW + 1_000);
    clock.value = NOW + 2 * 86_400_000;
    expect((await get(PATH)).json()).toMatchObject({ url: AGENT, listed: false });
  });

  it('is the same for its owner, a stranger and the public, opted out or not', async () => {
    const registry = await tested(SELLER);
    const { get, owner, stranger } = registry;
    const views = async () =>
      Promise.all(
        [{}, owner, stranger].map(async (headers) => {
          const { headers: sent, body } = await get(PATH, headers);
          return [body, sent.etag, sent['cache-control'], sent.vary];
        }),
      );
    const [open, ...others] = await views();
    for (const other of others) expect(other).toEqual(open);
    await optOut(registry);
    const [hidden, ...same] = await views();
    for (const other of same) expect(other).toEqual(hidden);
    const body = JSON.parse(String(hidden?.[0]));
    expect(body).not.toHaveProperty('compliance');
    expect(body).toMatchObject({ verified_badges: [], provenance: { run: null } });
  });

  it('is revalidated by its tag, and refuses parameters and agents that nobody knows', async () => {
    const { get, server } = await tested(SELLER);
    const { etag } = (await get(PATH)).headers;
    expect((await get(PATH, { 'if-none-match': String(etag) })).statusCode).toBe(304);
    expect((await get(`${PATH}?health=true`)).json()).toMatchObject({ code: 'unknown_parameter' });
    expect((await get(`${LIST}/https%3A%2F%2Fnobody.example%2F`)).json()).toMatchObject({
      code: 'unknown_agent',
    });
    expect((await get(`${LIST}/nonsense`)).json()).toMatchObject({ code: 'bad_agent_url' });
    expect((await get(`${LIST}/search`)).json().code).not.toBe('bad_agent_url');
    expect((await server.inject({ method: 'DELETE', url: PATH })).json()).toMatchObject({
      code: 'method_not_allowed',
    });
  });

  it('ends before 256 KiB, whatever the agent and its publishers say, and marks what it leaves out', async () => {
    const { clock, records } = await openRegistry();
    clock.value = NOW + 1;
    await publish(records, 'news.example', { authorized_agents: [entry] });
    for (let at = 0; at < 10; at += 1) {
      const said = mention(`claims${at}.example`, AGENT, { name: 'n'.repeat(4_000) });
      await declare(records, said.declarer, 'brand', '{}', facts({ mentions: [said] }));
    }
    const long = { accreditations: [], description: 'd'.repeat(2_000) };
    const metrics = Array.from({ length: 500 }, (_, at) => ({ ...long, metric_id: `m${at}` }));
    const tools = Array.from({ length: 500 }, (_, at) => ({ ...long, name: `t${at}` }));
    const capabilities = { tools_count: 500, tools, measurement_capabilities: { metrics } };
    const seen = observed(AGENT, { exposed: { ...EXPOSED, capabilities } });
    await records.sources.commitProbe(probing(await takeOne(records, 'agent', AGENT, NOW + 1), seen));
    // what 10,000 files of publishers would make of it
    const publishers = Array.from({ length: 10_000 }, (_, at) => `${'x'.repeat(60)}.p${at}.example`);
    const portfolio = { publisherCount: 10_000, publishers, propertyCount: 0, countByType: {}, tags: [] };
    const agents: typeof records.agents = {
      ...records.agents,
      facts: async (asked) => (await records.agents.facts(asked)).map((known) => ({ ...known, portfolio })),
    };
    const shown = await agentInFull({ records: { ...records, agents }, baseUrl: '' }, AGENT, NOW + 1);
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(256 * 1024);
    expect(Buffer.byteLength(JSON.stringify(shown))).toBeGreaterThan(244 * 1024);
    expect(shown).toMatchObject({
      publisher_domains_truncated: true,
      stats: { publisher_count: 10_000 },
      capabilities: { tools_count: 500, measurement_capabilities: { metrics_truncated: true } },
      provenance: { authorized_by_total: 10_000 },
    });
    expect(shown?.stats?.publishers.length).toBeGreaterThan(100);
  });

  it('keeps the declared versions of the last good probe, in the list too', async () => {
    const { get, clock, records, index } = await openRegistry();
    await publish(records, 'news.example', { authorized_agents: [entry] });
    const probe = async (at: number, over: object) => {
      const work = await takeOne(records, 'agent', AGENT, at);
      await records.sources.commitProbe(
        probing(work, observed(AGENT, { at, ...over }), { at, nextVisitAt: at + 1 }),
      );
    };
    await probe(NOW + 1, { exposed: { ...EXPOSED, supportedVersions: ['3.1-beta', '3.0.0-rc.2'] } });
    await probe(NOW + 2, {
      ...{ health: { online: false, errorClass: 'timeout' }, exposed: undefined },
    });
    clock.value = NOW + 3;
    await stitchAll({ records, index, clock, rederive: deriveStored });
    const shown = await get(PATH);
    expect(shown.json()).toMatchObject({
      health: { online: false },
      capabilities: { supported_versions: ['3.1-beta', '3.0.0-rc.2'] },
    });
    const document = (await get('/openapi.json')).json() as OpenApi;
    expect(breaches(document, `${LIST}/{encodedUrl}`, shown)).toEqual([]);
    const [listed] = (await get(`${LIST}?capabilities=true`)).json().agents;
    expect(listed.capabilities).toEqual(shown.json().capabilities);
    const page = await get(`/agents/${encodeURIComponent(AGENT)}`, { accept: 'text/html' });
    expect(page.body).toContain(
      'Protocol versions (self-declared): <bdi>3.1-beta</bdi>, <bdi>3.0.0-rc.2</bdi>',
    );
  });

  it('shows the very record of the list', async () => {
    const { get, clock, records, index } = await openRegistry();
    clock.value = NOW + 1;
    await publish(records, 'news.example', { authorized_agents: [entry] });
    await stitchAll({ records, index, clock, rederive: deriveStored });
    const {
      listed: _,
      verified_badges: _badges,
      provenance: _provenance,
      ...record
    } = (await get(PATH)).json();
    const [other] = (await get(`${LIST}?${ALL}`)).json().agents;
    expect(record).toEqual(other);
    expect(Object.keys(record)).toEqual(Object.keys(other));
  });
});

describe('GET /api/registry/agents/{encodedUrl}/health/history', () => {
  const at = (hours: number) => PROBED_AT + hours * HOUR;
  const time = (hours: number) => new Date(at(hours)).toISOString();
  const away = { online: false, errorClass: 'timeout', error: 'no answer from 10.0.0.7' } as const;

  it('tells days, hours and incidents, as the document says, and the same of an agent that opted out', async () => {
    const { get, records, clock } = await tested();
    for (const [hour, health] of [
      [12, away],
      [13, { online: true, responseTimeMs: 40 }],
    ] as const) {
      const seen = observed(AGENT, { at: at(hour), health });
      const [work] = await records.sources.takeKeys('agent', [AGENT], at(hour), HOUR);
      if (work === undefined) throw new Error('it is not due');
      await records.sources.commitProbe(probing(work, seen, { at: at(hour), nextVisitAt: at(hour + 1) }));
    }
    clock.value = at(20);
    const history = await get(`${PATH}/health/history?days=2`);
    const body = history.json();
    const [latency, none] = [
      { p50: 12, p95: 12, p99: 12 },
      { latency_ms: null, probes: 0, answered: 0 },
    ];
    const both = { p50: 12, p95: 40, p99: 40 };
    expect({ ...body, hours: body.hours.slice(12, 14) }).toEqual({
      ...{ agent_url: AGENT, from: '2026-01-06T00:00:00.000Z', until: time(20) },
      ...{ uptime: 0.95, latency_ms: both, probes: 3, answered: 2 },
      days: [
        { date: '2026-01-06', uptime: 0.9333, latency_ms: both, probes: 3, answered: 2 },
        { date: '2026-01-07', uptime: 1, ...none },
      ],
      hours: [3, 4].map((hour) => ({ from: time(hour), uptime: 1, ...none })),
      incidents: [
        {
          ...{ from: time(12), until: time(13), last_good_at: time(0), why: 'timeout' },
          ...{ message: 'no response within the time limit', failed_probes: 1 },
        },
      ],
    });
    expect(body.hours[9]).toEqual({ from: time(0), uptime: 1, latency_ms: latency, probes: 1, answered: 1 });
    const document = (await get('/openapi.json')).json() as OpenApi;
    expect(breaches(document, `${LIST}/{encodedUrl}/health/history`, history)).toEqual([]);
    await optOut({ records });
    expect((await get(`${PATH}/health/history?days=2`)).body).toBe(history.body);
  });

  it.each([
    ['days=0', 'invalid_value'],
    ['days=91', 'invalid_value'],
    ['days=1.5', 'invalid_value'],
    ['days=', 'empty_value'],
    ['days=1&days=2', 'repeated_parameter'],
    ['day=1', 'unknown_parameter'],
    ['days=%zz', 'bad_encoding'],
  ])('refuses %s', async (query, code) => {
    const { get } = await openRegistry();
    const answer = await get(`${PATH}/health/history?${query}`);
    expect([answer.statusCode, answer.json().code]).toEqual([400, code]);
  });

  it('has 30 days without a parameter, and knows no agent that nobody named', async () => {
    const { get } = await tested();
    expect((await get(`${PATH}/health/history`)).json().days).toHaveLength(30);
    expect((await get(`${LIST}/${encodeURIComponent('https://x.example/')}/health/history`)).statusCode).toBe(
      404,
    );
  });
});
