import { describe, expect, it } from 'vitest';
import { of } from '../compliance/support/badge-story.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { PROBED_AT } from './support/registry.ts';
import { AGENT, BASE, optOut, SELLER, tested } from './support/tested-agent.ts';

const DAY = 86_400_000;
const FAILS = of({ 'sales-guaranteed': 'fail' });
const TIMELINE = `${BASE}/badges`;
const DESCRIBED = '/api/registry/agents/{encodedUrl}/compliance/badges';

/** Earned, in grace, recovered, in grace again, revoked. */
async function withStory() {
  const registry = await tested(SELLER);
  for (const [days, run] of [
    [1, FAILS],
    [2, SELLER],
    [3, FAILS],
    [6, FAILS],
  ] as const)
    await keepRun(registry.records, PROBED_AT + days * DAY, run, { agent: AGENT });
  return registry;
}

describe('GET …/compliance/badges', () => {
  it('says why each badge came or went, newest first, and by which run', async () => {
    const { get } = await withStory();
    const answer = await get(TIMELINE);
    const { events, ...rest } = answer.json();
    expect(rest).toEqual({ agent_url: AGENT, badges: [], next_cursor: null });
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual([
      'revoked',
      'grace',
      'recovered',
      'grace',
      'earned',
    ]);
    expect(events[0]).toEqual({
      ...{ at: '2026-01-12T09:00:00.000Z', kind: 'revoked', role: 'media-buy', line: '3.0' },
      reason:
        'Revoked: sales-guaranteed does not pass, and no run has passed since 2026-01-09T09:00:00.000Z.',
      run_id: `run-${PROBED_AT + 6 * DAY}`,
    });
    expect(breaches((await get('/openapi.json')).json<OpenApi>(), DESCRIBED, answer)).toEqual([]);
  });

  it('shows the active badges as the compliance operation does', async () => {
    const { get } = await tested(SELLER);
    expect((await get(TIMELINE)).json().badges).toEqual((await get(BASE)).json().verified_badges);
  });

  it('comes in pages, without a gap or a repetition', async () => {
    const { get } = await withStory();
    const whole = (await get(TIMELINE)).json().events;
    const pages = [(await get(`${TIMELINE}?limit=2`)).json()];
    while (pages.at(-1).next_cursor !== null)
      pages.push((await get(`${TIMELINE}?limit=2&cursor=${pages.at(-1).next_cursor}`)).json());
    expect(pages.map(({ events }) => events.length)).toEqual([2, 2, 1]);
    expect(pages.flatMap(({ events }) => events)).toEqual(whole);
  });

  it('is the same for the owner, a stranger and the public, tag and all', async () => {
    const { get, owner, stranger } = await withStory();
    const answers = [await get(TIMELINE), await get(TIMELINE, stranger), await get(TIMELINE, owner)];
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.etag)).size).toBe(1);
    const again = await get(TIMELINE, { 'if-none-match': String(answers[0]?.headers.etag) });
    expect(again.statusCode).toBe(304);
  });

  it('says nothing of tier, subscription and owner, which are the owner’s business', async () => {
    const reasons = new Set<string>();
    const lost = [
      { tier: 'explorer', subscriptionStatus: 'active' },
      { tier: 'builder', subscriptionStatus: 'canceled' },
      {},
    ];
    for (const standing of lost) {
      const { get, records } = await tested(SELLER);
      const member = { slug: 'nova', displayName: 'nova', foundingMember: false };
      await records.members.import([{ ...member, ...standing }], PROBED_AT);
      await keepRun(records, PROBED_AT + DAY, SELLER, { agent: AGENT });
      reasons.add((await get(TIMELINE)).json().events[0].reason);
    }
    const { get, records } = await tested(SELLER);
    await records.owners.disown(AGENT, 'nova', PROBED_AT);
    await keepRun(records, PROBED_AT + DAY, SELLER, { agent: AGENT });
    reasons.add((await get(TIMELINE)).json().events[0].reason);
    expect([...reasons]).toEqual(['Revoked: the owner has no membership that grants badges.']);
  });

  it('gives the short form of an agent that opted out, and is empty for one that was never tested', async () => {
    const { get, records } = await tested(SELLER);
    await optOut({ records });
    expect((await get(TIMELINE)).json()).toMatchObject({ status: 'opted_out', compliance_opt_out: true });
    const fresh = await tested();
    expect((await fresh.get(TIMELINE)).json()).toMatchObject({ badges: [], events: [], next_cursor: null });
  });

  it.each([
    ['an agent never heard of', TIMELINE.replace('a.example', 'nobody.example'), 404, 'unknown_agent'],
    ['a cursor of a history', `${TIMELINE}?cursor=1.run`, 400, 'invalid_cursor'],
    ['a limit of nothing', `${TIMELINE}?limit=0`, 400, 'invalid_value'],
    ['another parameter', `${TIMELINE}?role=brand`, 400, 'unknown_parameter'],
  ])('refuses %s', async (_what, url, status, code) => {
    const { get } = await tested();
    const { statusCode, ...answer } = await get(url);
    expect([statusCode, answer.json().code]).toEqual([status, code]);
  });
});
