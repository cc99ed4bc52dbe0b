import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FinishedRun } from '../../src/compliance/run-result.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { BADGE_ROLES } from '../../src/domain/badge.ts';
import { stitchAll } from '../../src/index/generations/keep-indexed.ts';
import { of } from '../compliance/support/badge-story.ts';
import {
  DEGRADED,
  DRY,
  FAILS,
  GAP,
  INCOMPLETE,
  INCONCLUSIVE,
  TIMED_OUT,
  UNREAD,
} from '../compliance/support/judged-runs.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT, type TestRegistry } from './support/registry.ts';
import { AGENT, BASE, bearer, optOut, SELLER, tested } from './support/tested-agent.ts';

/** What may differ between two answers: when it was given, and under which id it is logged. */
function comparable({ statusCode, headers, rawPayload }: Awaited<ReturnType<TestRegistry['get']>>) {
  const { date: _date, 'x-request-id': _id, ...others } = headers;
  return { statusCode, headers: others, names: Object.keys(headers), body: rawPayload.toString('base64') };
}

/** What only the owner may read: the agent's words, and what came instead of an answer. */
const WORDS = 'xyzzy';
const QUOTED: Partial<FinishedRun> = {
  ...of({ 'sales-guaranteed': 'fail' }),
  blocked_by: {
    ...{ step: 'sales_guaranteed/a/b', task: 'sync_accounts', code: WORDS, message: WORDS },
    steps_skipped: 3,
  },
  steps: [
    {
      ...{ storyboard_id: 'sales_guaranteed', phase_id: 'a', step_id: 'b', title: 'Report' },
      ...{ task: 'get_media_buy_delivery', result: 'fail', duration_ms: 1 },
      no_answer: { error_class: 'http_error', http_status: 500, content_type: `text/${WORDS}` },
      checks: [{ check: 'expect_success', result: 'fail', message: WORDS, expected: 1, actual: WORDS }],
      evidence: {
        ...{ task: 'get_media_buy_delivery', request: {}, outcome: 'failed', http_status: 500 },
        ...{ content_type: `text/${WORDS}`, response: { error_class: 'http_error', message: WORDS } },
      },
    },
  ],
};
const QUOTED_UNREAD = {
  ...({ request: 'tools/list', error_class: 'http_error', http_status: 503, message: WORDS } as const),
  content_type: `text/${WORDS}`,
};

describe('who sees what of an agent’s compliance', () => {
  it.each<readonly [string, Partial<FinishedRun>]>([
    ['a step that was not answered, and a blocking refusal', QUOTED],
    ['a declaration that was not read', { ...UNREAD, unread: QUOTED_UNREAD }],
  ])('has the agent’s words about %s for the owner only', async (_what, run) => {
    const registry = await tested(SELLER, { ...run, run_id: 'quoted' });
    const { get, owner, stranger, records, index, clock } = registry;
    await stitchAll({ records, index, clock, rederive: deriveStored });
    const encoded = encodeURIComponent(AGENT);
    const paths = [
      ...['', '/history', '/badges', '/diagnostics', '/runs/quoted'].map((path) => BASE + path),
      ...['/storyboard-status', ''].map((path) => BASE.replace('/compliance', path)),
      ...['/api/registry/agents?compliance=true', '/api/registry/feed', '/api/registry/changes'],
      ...[`/agents/${encoded}`, `/runs/${encoded}/quoted`, '/changes', '/'],
    ];
    for (const path of paths)
      for (const viewer of [{}, stranger, { accept: 'text/html' }]) {
        const { statusCode, body } = await get(path, viewer);
        expect([path, statusCode]).toEqual([path, 200]);
        for (const hidden of [WORDS, 'blocked_by', '"unread"', 'no_answer', 'evidence'])
          expect(body, `${path} has ${hidden}`).not.toContain(hidden);
      }
    expect((await get(`${BASE}/runs/quoted`, owner)).body).toContain(WORDS);
  });

  it('counts incomplete storyboards for everybody, and steps for the owner', async () => {
    const { get, owner, stranger } = await tested({ ...INCOMPLETE, run_id: 'partly' });
    const counts = { storyboards_passing: 1, storyboards_total: 2, storyboards_incomplete: 1 };
    const theirs = (await get(BASE, stranger)).json();
    expect(theirs).toMatchObject({ ...counts, tracks: { media_buy: 'skipped' }, storyboard_statuses: [] });
    expect(theirs.track_details[1]).toMatchObject({ status: 'skipped', has_coverage_gap_skip: true });
    const mine = (await get(BASE, owner)).json();
    expect(mine.storyboard_statuses[0]).toMatchObject({
      ...{ storyboard_id: 'buy', result: 'incomplete', steps_passed: 2, steps_total: 2, steps_skipped: 15 },
    });
    expect((await get(`${BASE}/history`)).json().runs[0]).toMatchObject(counts);
    const run = (await get(`${BASE}/runs/partly`)).json();
    expect(run).toMatchObject(counts);
    expect(run.storyboards.map(({ result }: { result: string }) => result)).toEqual(['pass', 'incomplete']);
    const path = encodeURIComponent(AGENT);
    for (const page of [`/agents/${path}`, `/runs/${path}/partly`])
      expect((await get(page, { accept: 'text/html' })).body).toContain('incomplete');
  });

  it('is everything for the proven owner, and the public part for everybody else', async () => {
    const { get, owner, stranger } = await tested(SELLER);
    const mine = (await get(BASE, owner)).json();
    const theirs = (await get(BASE, stranger)).json();
    expect(Object.keys(mine)).toEqual(Object.keys(theirs));
    expect(mine).toMatchObject({
      ...{ membership_tier: 'builder', membership_tier_label: 'Builder', subscription_status: 'active' },
      ...{ is_api_access_tier: true, triggered_by: 'heartbeat' },
    });
    expect(mine.storyboard_statuses).toHaveLength(2);
    expect(theirs).toMatchObject({
      ...{ status: 'passing', verified: true, verified_badges: [{ role: 'media-buy' }] },
      ...{ membership_tier: null, membership_tier_label: null, subscription_status: null },
      ...{ is_api_access_tier: false, triggered_by: null, storyboard_statuses: [] },
    });
  });

  it('has the trigger, notices and observations of the most recent check, and the status of the latest that counts', async () => {
    const notices = [{ code: 'own_network', severity: 'warning', message: 'our network was away' }];
    const observations = [{ category: 'speed', severity: 'info', message: 'slow' }];
    const last = { ...INCONCLUSIVE, trigger: 'manual', notices, observations } as const;
    const { get, owner } = await tested(SELLER, last);
    const mine = (await get(BASE, owner)).json();
    expect(mine).toMatchObject({ status: 'passing', triggered_by: 'manual', notices, observations });
    expect(mine.last_checked_at).toBe(new Date(PROBED_AT).toISOString());
    expect((await get(BASE)).json()).toMatchObject({ triggered_by: null, notices, observations });
  });

  it('is for a stranger byte for byte what it is for the public, whatever happened and whatever is sent', async () => {
    const kinds = [
      ...[SELLER, FAILS, DEGRADED, GAP, TIMED_OUT, INCONCLUSIVE, DRY],
      ...[INCOMPLETE, QUOTED, { ...UNREAD, unread: QUOTED_UNREAD }],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...kinds), { maxLength: 4 }),
        fc.boolean(),
        fc.constantFrom('none', 'public', 'owner', 'any'),
        async (runs, hasOptedOut, sent) => {
          const registry = await tested(...runs);
          const { get, owner, stranger } = registry;
          if (hasOptedOut) await optOut(registry);
          const ids = runs.map((_run, n) => `run-${PROBED_AT + n * 3_600_000}`);
          for (const path of [
            '',
            '/history',
            '/history?limit=1',
            '/runs/none',
            '/diagnostics',
            '/diagnostics?run_id=none',
            '/../storyboard-status',
            ...ids.map((id) => `/runs/${id}`),
          ]) {
            const tags = {
              none: {},
              public: { 'if-none-match': String((await get(BASE + path)).headers.etag) },
              owner: { 'if-none-match': String((await get(BASE + path, owner)).headers.etag) },
              any: { 'if-none-match': '*' },
            };
            const asked = tags[sent];
            const answer = await get(BASE + path, { ...stranger, ...asked });
            expect(comparable(answer)).toEqual(comparable(await get(BASE + path, asked)));
            if (sent === 'owner') expect(answer.statusCode).not.toBe(304);
            expect(answer.headers.vary).toBe('Authorization');
            if (answer.statusCode < 400) expect(answer.headers['cache-control']).toBe('private, no-cache');
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it('is never a 304 for a stranger with the owner’s tag, even where both are shown the same', async () => {
    const registry = await openRegistry([bareDocument(AGENT)]);
    await registry.addOwner(AGENT, 'nova'); // no tier, never tested
    const owner = bearer((await registry.addKey('nova')).key);
    const stranger = bearer((await registry.addKey('other')).key);
    const mine = await registry.get(BASE, owner);
    const tag = { 'if-none-match': String(mine.headers.etag) };
    expect(mine.body).toBe((await registry.get(BASE)).body);
    expect((await registry.get(BASE, { ...owner, ...tag })).statusCode).toBe(304);
    expect((await registry.get(BASE, { ...stranger, ...tag })).statusCode).toBe(200);
    expect((await registry.get(BASE, tag)).statusCode).toBe(200);
  });

  it('ends with the ownership', async () => {
    const { get, owner, records } = await tested(SELLER);
    await records.owners.disown(AGENT, 'nova', PROBED_AT);
    expect((await get(BASE, owner)).body).toBe((await get(BASE)).body);
  });

  it('is the short form for everybody once the agent opted out, and no group of the list, without any badge', async () => {
    const registry = await tested(SELLER);
    const { get, owner, records, index, clock } = registry;
    await optOut(registry);
    await stitchAll({ records, index, clock, rederive: deriveStored });
    const short = { status: 'opted_out', lifecycle_stage: 'production' };
    for (const path of ['', '/history', `/runs/run-${PROBED_AT}`])
      for (const headers of [{}, owner])
        expect((await get(BASE + path, headers)).json()).toEqual({
          ...{ agent_url: AGENT, compliance_opt_out: true },
          ...short,
        });
    expect((await get('/api/registry/agents?compliance=true')).json().agents[0]).not.toHaveProperty(
      'compliance',
    );
    expect((await get('/api/registry/agents?verified=true')).json().agents).toEqual([]);
  });

  it('is told by no log, feed or page once the agent opted out, from before or after', async () => {
    const registry = await tested(SELLER);
    const { get, records, index, clock } = registry;
    const stitch = () => stitchAll({ records, index, clock, rederive: deriveStored });
    const asked = `agent_url=${encodeURIComponent(AGENT)}`;
    const readers = [
      '/api/registry/changes',
      '/api/registry/feed?types=*',
      `/api/registry/feed.atom?${asked}`,
      '/api/registry/feed.atom',
      '/changes',
      `/agents/${encodeURIComponent(AGENT)}`,
      `/api/registry/agents/${encodeURIComponent(AGENT)}`,
    ];
    const telling = async () => {
      const bodies = await Promise.all(readers.map(async (path) => (await get(path)).body));
      return readers.filter((_, n) =>
        /passing|passes|Passing|earned|badges_lost|[Vv]erified for/.test(bodies[n] ?? ''),
      );
    };
    await stitch();
    expect(await telling()).toEqual(readers);
    const { cursor } = (await get('/api/registry/feed?types=*')).json();
    await optOut(registry);
    await stitch();
    expect(await telling()).toEqual([]);
    const { events } = (await get(`/api/registry/feed?types=*&cursor=${cursor}`)).json();
    const lost = events.filter((one: { event_type: string }) => one.event_type.endsWith('_lost'));
    // a reader that holds a badge drops it, and nobody learns which one it was
    expect(new Set(lost.map((one: { payload: { role: string } }) => one.payload.role))).toEqual(
      new Set(BADGE_ROLES),
    );
  });

  it('is no badge after opting out and in again: that revokes at once', async () => {
    const { server, get, owner } = await tested(SELLER);
    for (const optsOut of [true, false]) {
      const answer = await server.inject({
        method: 'PATCH',
        url: BASE.replace(/compliance$/, 'settings'),
        headers: owner,
        payload: { compliance_opt_out: optsOut },
      });
      expect(answer.statusCode).toBe(200);
    }
    expect((await get(BASE)).json()).toMatchObject({
      status: 'passing',
      verified: false,
      verified_badges: [],
    });
  });

  it('is the same in the list, where the badge filters follow it, grace included', async () => {
    const { get, records, index, clock } = await tested(SELLER);
    const list = async (query: string) => {
      await stitchAll({ records, index, clock, rederive: deriveStored });
      return (await get(`/api/registry/agents?${query}`)).json().agents;
    };
    expect(await list('compliance=true&verified=true&verification_mode=spec')).toMatchObject([
      { compliance: { status: 'passing', verified: true, verified_roles: ['media-buy'] } },
    ]);
    expect(await list('verification_mode=live')).toEqual([]);
    await keepRun(records, PROBED_AT + 3_600_000, of({ 'sales-guaranteed': 'fail' }), { agent: AGENT });
    expect(await list('compliance=true&verified=true')).toMatchObject([
      { compliance: { status: 'degraded' } },
    ]);
    await keepRun(records, PROBED_AT + 90 * 3_600_000, of({ 'sales-guaranteed': 'fail' }), { agent: AGENT });
    expect(await list('verified=true')).toEqual([]);
  });
});
