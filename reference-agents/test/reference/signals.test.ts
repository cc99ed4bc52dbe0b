import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApprovalCheck } from '../../src/reference/handler.ts';
import { accountHandlers, signalsHandlers } from '../../src/reference/handlers.ts';
import { advanceActivations } from '../../src/reference/signals/activations.ts';
import { PLATFORMS, SEGMENTS } from '../../src/reference/signals/segment-table.ts';
import { accountOf } from './media-buys-support.ts';
import {
  type AgentUnderTestOptions,
  type Answer,
  BUYER,
  freshKey,
  OTHER_BUYER,
  startAgent,
} from './support.ts';

const NORTHLIGHT = { type: 'platform', platform: 'northlight-dsp.example' };

async function start(parts: AgentUnderTestOptions['parts'] = {}) {
  const agent = startAgent({ type: 'signals', handlers: { ...accountHandlers, ...signalsHandlers }, parts });
  for (const buyer of [BUYER, OTHER_BUYER]) {
    await agent.call('sync_accounts', { idempotency_key: freshKey(), accounts: [accountOf(buyer)] }, buyer);
  }
  return agent;
}

const ids = ({ signals }: Answer): string[] => signals.map(({ signal_agent_segment_id: id }: Answer) => id);

function activation(parts: object = {}) {
  return {
    idempotency_key: freshKey(),
    signal_agent_segment_id: 'tea-drinkers',
    destinations: [NORTHLIGHT],
    account: accountOf(),
    ...parts,
  };
}

describe('get_signals', () => {
  it.each([
    ['People who take the ferry to the islands', 'ferry-regulars'],
    ['commuters on bicycles', 'cyclists-daily'],
    ['Parents with small children', 'young-parents'],
    ['listeners of the radio in the morning', 'breakfast-radio'],
    ['who buys a wood-burning stove', 'stove-buyers'],
  ])('finds for "%s" above all %s', async (signal_spec, best) => {
    expect(ids(await (await start()).call('get_signals', { signal_spec }))[0]).toBe(best);
  });

  it('tells prices, coverage and where a segment can be used, the best first', async () => {
    const { signals } = await (await start()).call('get_signals', { signal_spec: 'tea and cocoa drinkers' });
    expect(signals[0]).toMatchObject({
      signal_agent_segment_id: 'tea-drinkers',
      coverage_percentage: 12.4,
      pricing_options: [
        { pricing_option_id: 'tea-drinkers-cpm', model: 'cpm', price: 1.4, currency: 'EUR' },
        {},
      ],
    });
    expect(signals[0].activation_options[0]).toEqual({
      ...NORTHLIGHT,
      status: 'available',
      estimated_minutes: 32,
    });
    const scores = signals.map(({ score }: Answer) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
  });

  it('leaves out what has nothing to do with it', async () => {
    const found = await (await start()).call('get_signals', { signal_spec: 'quantum chromodynamics' });
    expect(found.signals).toEqual([]);
  });

  it('holds every filter, whatever it is', async () => {
    const agent = await start();
    const filters = fc.record(
      {
        signal_types: fc.subarray(['owned', 'marketplace']),
        max_price: fc.integer({ min: 0, max: 5 }),
        min_coverage_percentage: fc.integer({ min: 0, max: 40 }),
      },
      { requiredKeys: [] },
    );
    const signal_agent_segment_ids = SEGMENTS.map(({ id }) => id);
    await fc.assert(
      fc.asyncProperty(filters, fc.constantFrom(...PLATFORMS), async (limits, platform) => {
        const destinations = [{ type: 'platform', platform }];
        const request = { signal_agent_segment_ids, filters: limits, destinations, countries: ['SE'] };
        const found = new Set(ids(await agent.call('get_signals', request)));
        const wanted = SEGMENTS.filter(
          (segment) =>
            segment.countries.includes('SE') &&
            segment.platforms.includes(platform) &&
            (limits.signal_types?.includes(segment.signalType as 'owned') ?? true) &&
            (segment.pricing[0]?.price ?? 0) <= (limits.max_price ?? 99) &&
            segment.coverage >= (limits.min_coverage_percentage ?? 0),
        );
        expect(found).toEqual(new Set(wanted.map(({ id }) => id)));
      }),
      { numRuns: 40 },
    );
  });

  it('gives pages', async () => {
    const agent = await start();
    const signal_spec = 'drinks kitchen garden travel family';
    const whole = ids(await agent.call('get_signals', { signal_spec }));
    const first = await agent.call('get_signals', { signal_spec, pagination: { max_results: 3 } });
    const cursor = first.pagination.cursor;
    const second = await agent.call('get_signals', { signal_spec, pagination: { max_results: 3, cursor } });
    expect([...ids(first), ...ids(second)]).toEqual(whole.slice(0, 6));
  });

  it.each([
    [
      'an unknown segment',
      { signal_agent_segment_ids: ['tea-drinkers', 'moon-walkers'] },
      'SIGNAL_NOT_FOUND',
      '/signal_agent_segment_ids/1',
    ],
    [
      'an unknown platform',
      { signal_spec: 'tea', destinations: [{ type: 'platform', platform: 'moon.example' }] },
      'REFERENCE_NOT_FOUND',
      '/destinations/0/platform',
    ],
    [
      'an unknown agent',
      { signal_spec: 'tea', destinations: [{ type: 'agent', agent_url: 'https://moon.example/' }] },
      'REFERENCE_NOT_FOUND',
      '/destinations/0/agent_url',
    ],
    [
      'an unknown account',
      { signal_spec: 'tea', account: { brand: { domain: 'bramble-jam.example' }, operator: BUYER.operator } },
      'ACCOUNT_NOT_FOUND',
      '/account',
    ],
  ])('refuses %s', async (_what, request, code, pointer) => {
    expect(await (await start()).refusal('get_signals', request)).toMatchObject({ code, pointer });
  });
});

describe('activate_signal', () => {
  it('is pending first, and active when its time has come', async () => {
    const agent = await start();
    const begun = await agent.call('activate_signal', activation());
    expect(begun.activations).toEqual([{ ...NORTHLIGHT, status: 'pending', estimated_minutes: 32 }]);
    agent.clock.pass(32 * 60);
    const asked = { signal_agent_segment_ids: ['tea-drinkers'], destinations: [NORTHLIGHT] };
    const [found] = (await agent.call('get_signals', asked)).signals;
    expect(found.activation_options).toMatchObject([
      { ...NORTHLIGHT, status: 'active', activated_at: '2026-03-02T09:32:00.000Z' },
    ]);
    expect(found.activation_options[0].activation_key).toMatch(/^tea-drinkers_/);
  });

  it('changes nothing for what is active or under way, whatever the key', async () => {
    const agent = await start();
    await agent.call('activate_signal', activation());
    agent.clock.pass(60 * 60);
    const again = await agent.call('activate_signal', activation());
    expect(again.activations[0]).toMatchObject({
      status: 'active',
      activated_at: '2026-03-02T09:32:00.000Z',
    });
  });

  it('lets each destination fail by itself', async () => {
    const agent = await start();
    const destinations = [
      { type: 'platform', platform: 'moon.example' },
      { type: 'platform', platform: 'harbour-audio.example' },
      { type: 'agent', agent_url: 'https://SALES-1.agents.example/mcp/' },
      { type: 'elsewhere' },
    ];
    const { activations } = await agent.call('activate_signal', activation({ destinations }));
    expect(activations).toMatchObject([
      { status: 'failed', errors: [{ code: 'REFERENCE_NOT_FOUND', pointer: '/destinations/0/platform' }] },
      { status: 'failed', errors: [{ code: 'UNSUPPORTED_FEATURE', pointer: '/destinations/1/platform' }] },
      { status: 'pending', agent_url: 'https://sales-1.agents.example/mcp', estimated_minutes: 5 },
      { status: 'failed', errors: [{ code: 'VALIDATION_ERROR', pointer: '/destinations/3/type' }] },
    ]);
  });

  it('can be undone and done again', async () => {
    const agent = await start();
    await agent.call('activate_signal', activation());
    const stop = activation({ action: 'deactivate', account: undefined });
    const stopped = await agent.call('activate_signal', stop);
    expect(stopped.activations).toEqual([{ ...NORTHLIGHT, status: 'inactive' }]);
    agent.clock.pass(3_600);
    expect(advanceActivations(agent.agent, agent.clock.now())).toBe(0);
    expect((await agent.call('activate_signal', activation())).activations[0].status).toBe('pending');
  });

  it('shows the activations of one buyer to nobody else', async () => {
    const agent = await start();
    await agent.call('activate_signal', activation());
    const asked = { signal_agent_segment_ids: ['tea-drinkers'], destinations: [NORTHLIGHT] };
    const status = (answer: Answer) => answer.signals[0].activation_options[0].status;
    expect(status(await agent.call('get_signals', asked))).toBe('pending');
    expect(status(await agent.call('get_signals', asked, OTHER_BUYER))).toBe('available');
  });

  it('tells whoever asked when it is active, once', async () => {
    const agent = await start();
    const push_notification_config = { url: 'https://buyer.example/hooks', token: 'mine' };
    await agent.call('activate_signal', activation({ push_notification_config }));
    agent.clock.pass(3_600);
    expect(advanceActivations(agent.agent, agent.clock.now())).toBe(1);
    expect(advanceActivations(agent.agent, agent.clock.now())).toBe(0);
    expect(agent.webhooks).toMatchObject([
      {
        url: 'https://buyer.example/hooks',
        payload: {
          event: 'signal.activation_changed',
          sequence: 1,
          token: 'mine',
          occurred_at: '2026-03-02T09:32:00.000Z',
          activation: { status: 'active' },
        },
      },
    ]);
  });

  it('tells a buyer that asked for nothing where it is registered', async () => {
    const agent = await start();
    const buyer = { ...BUYER, webhookUrl: 'https://buyer.example/registered' };
    await agent.call('activate_signal', activation(), buyer);
    agent.clock.pass(3_600);
    advanceActivations(agent.agent, agent.clock.now());
    expect(agent.webhooks).toMatchObject([{ url: 'https://buyer.example/registered' }]);
  });

  it('costs nobody an account where it costs nothing', async () => {
    const free = activation({ signal_agent_segment_id: 'free-sample', account: undefined });
    expect((await (await start()).call('activate_signal', free)).activations[0].status).toBe('pending');
  });

  it.each([
    [
      'an unknown segment',
      { signal_agent_segment_id: 'moon' },
      'SIGNAL_NOT_FOUND',
      '/signal_agent_segment_id',
    ],
    [
      'an unknown price',
      { pricing_option_id: 'stove-buyers-cpm' },
      'PRICING_OPTION_NOT_FOUND',
      '/pricing_option_id',
    ],
    [
      'an account of somebody else',
      { account: accountOf(OTHER_BUYER) },
      'PERMISSION_DENIED',
      '/account/operator',
    ],
    ['a plan without its approval', { plan_id: 'plan-1' }, 'APPROVAL_REQUIRED', '/governance_approval'],
    [
      'a webhook in the open',
      { push_notification_config: { url: 'http://buyer.example/' } },
      'VALIDATION_ERROR',
      '/push_notification_config/url',
    ],
  ])('refuses %s', async (_what, parts, code, pointer) => {
    expect(await (await start()).refusal('activate_signal', activation(parts))).toMatchObject({
      code,
      pointer,
    });
  });

  it('uses an approval up, once for all destinations and never again', async () => {
    const read: ApprovalCheck['read'] = async (_token, { now }) => ({
      issuer: 'https://governance-1.agents.example/mcp',
      jti: 'one',
      planId: 'plan-1',
      expiresAt: now + 600_000,
      conditions: [],
      budget: { amount: 100, currency: 'EUR' },
    });
    const agent = await start({ approvals: { read } });
    const approved = { plan_id: 'plan-1', governance_approval: 'a.b.c' };
    const destinations = PLATFORMS.slice(0, 2).map((platform) => ({ type: 'platform', platform }));
    await agent.call('activate_signal', activation({ ...approved, destinations }));
    const other = activation({ ...approved, signal_agent_segment_id: 'home-cooks' });
    expect(await agent.refusal('activate_signal', other)).toMatchObject({ code: 'APPROVAL_INVALID' });
  });
});
