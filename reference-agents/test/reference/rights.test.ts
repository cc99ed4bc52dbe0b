import { describe, expect, it } from 'vitest';
import type { ApprovalCheck } from '../../src/reference/handler.ts';
import { rightsHandlers } from '../../src/reference/handlers.ts';
import { advanceRights } from '../../src/reference/rights/licences.ts';
import {
  type AgentUnderTestOptions,
  type Answer,
  BUYER,
  freshKey,
  OTHER_BUYER,
  startAgent,
} from './support.ts';

const FERRIES = { domain: 'tidewater-ferries.example' };
const JAM = { domain: 'bramble-jam.example' };

const start = (options: Partial<AgentUnderTestOptions> = {}) =>
  startAgent({ type: 'rights', handlers: rightsHandlers, ...options });

function acquisition(rights_id: string, parts: object = {}) {
  return { idempotency_key: freshKey(), rights_id, brand: FERRIES, ...parts };
}

function during(from: string, to: string, more: object = {}) {
  return { campaign: { period: { start: `${from}T00:00:00Z`, end: `${to}T00:00:00Z` }, ...more } };
}

const ids = ({ rights }: Answer): string[] => rights.map(({ rights_id }: Answer) => rights_id);

describe('get_rights', () => {
  it('ranks what suits the query', async () => {
    const found = await start().call('get_rights', { query: 'a warm old voice that tells stories' });
    expect(ids(found)[0]).toBe('voice-grandmother');
    expect(ids(found)).not.toContain('face-of-the-ferryman');
  });

  it('tells prices, uses and countries', async () => {
    const { rights } = await start().call('get_rights', { rights_ids: ['voice-of-the-harbour'] });
    expect(rights[0]).toMatchObject({
      rights_type: 'voice',
      uses: ['audio', 'video'],
      countries: ['NL', 'BE', 'IE'],
      available: true,
      pricing_options: [
        { model: 'flat_monthly', price: 900 },
        { model: 'cpm', price: 4.5 },
      ],
    });
  });

  it('leaves out what cannot be had, and says why', async () => {
    const request = { brand: { domain: 'kettle-stoves.example' }, uses: ['print'], countries: ['se'] };
    const found = await start().call('get_rights', request);
    const why = new Map(found.excluded.map(({ rights_id, reason }: Answer) => [rights_id, reason]));
    expect(why.get('character-captain-crab')).toBe('the holder does not license the right to this brand');
    expect(why.get('face-bicycle-champion')).toBe('another brand has an exclusive licence');
    expect(why.get('voice-young-and-quick')).toBe('available only for audio, video');
    expect(why.get('face-of-the-ferryman')).toBe('available only for NL, BE, IE');
    expect(found.rights).toEqual([]);
  });

  it('deals in works at the office of works', async () => {
    const agent = start({ spec: { url: 'https://cuttlebone.example/a2a' } });
    expect(ids(await agent.call('get_rights', { query: 'map with sea monsters' }))[0]).toBe(
      'map-of-the-estuary',
    );
    const refusal = await agent.refusal('get_rights', { rights_ids: ['voice-of-the-harbour'] });
    expect(refusal).toMatchObject({ code: 'REFERENCE_NOT_FOUND', pointer: '/rights_ids/0' });
  });
});

describe('acquire_rights', () => {
  it('licenses for the uses, countries and time that were asked, at the price of the months begun', async () => {
    const campaign = during('2026-04-01', '2026-05-15', { uses: ['audio'], countries: ['nl'] });
    const licence = await start().call('acquire_rights', acquisition('voice-of-the-harbour', campaign));
    expect(licence).toMatchObject({
      status: 'acquired',
      terms: {
        uses: ['audio'],
        countries: ['NL'],
        period: { start: '2026-04-01T00:00:00.000Z', end: '2026-05-15T00:00:00.000Z' },
        price: { amount: 1_800, currency: 'EUR' },
      },
    });
    expect(licence.usage_token).toMatch(/^use_/);
  });

  it('prices by the thousand impressions, to the cent', async () => {
    const parts = { pricing_option_id: 'voice-of-the-harbour-cpm', campaign: { impressions: 12_345 } };
    const { terms } = await start().call('acquire_rights', acquisition('voice-of-the-harbour', parts));
    expect(terms).toMatchObject({ price: { amount: 55.56, currency: 'EUR' }, impressions: 12_345 });
  });

  it('licenses once for one key', async () => {
    const agent = start();
    const request = acquisition('voice-of-the-harbour');
    const first = await agent.call('acquire_rights', request);
    expect(await agent.call('acquire_rights', request)).toEqual({ ...first, replayed: true });
  });

  it('asks some holders first, and tells their answer with the token', async () => {
    const agent = start();
    const push_notification_config = { url: 'https://buyer.example/hooks' };
    const waiting = await agent.call(
      'acquire_rights',
      acquisition('voice-grandmother', { push_notification_config }),
    );
    expect(waiting).toMatchObject({ status: 'pending_approval' });
    expect(waiting.usage_token).toBeUndefined();
    agent.clock.pass(600);
    expect(advanceRights(agent.agent, agent.clock.now())).toBe(1);
    expect(advanceRights(agent.agent, agent.clock.now())).toBe(0);
    expect(agent.webhooks).toMatchObject([
      {
        payload: {
          previous_status: 'pending_approval',
          sequence: 1,
          acquisition: { status: 'acquired', acquisition_id: waiting.acquisition_id },
        },
      },
    ]);
    expect(JSON.stringify(agent.webhooks)).toContain('use_');
  });

  it('tells a buyer that asked for nothing where it is registered', async () => {
    const agent = start();
    const buyer = { ...BUYER, webhookUrl: 'https://buyer.example/registered' };
    await agent.call('acquire_rights', acquisition('voice-grandmother'), buyer);
    agent.clock.pass(600);
    advanceRights(agent.agent, agent.clock.now());
    expect(agent.webhooks).toMatchObject([{ url: 'https://buyer.example/registered' }]);
  });

  it('gives what is exclusive to one brand at a time, across buyers', async () => {
    const agent = start();
    const face = (parts: object) => acquisition('face-of-the-ferryman', parts);
    await agent.call('acquire_rights', face(during('2026-04-01', '2026-05-01')));
    const overlapping = face({ brand: JAM, ...during('2026-04-30', '2026-05-20') });
    const taken = await agent.call('acquire_rights', overlapping, OTHER_BUYER);
    expect(taken).toEqual({
      rights_id: 'face-of-the-ferryman',
      status: 'rejected',
      reason: 'another brand has licensed the right for part of this period',
    });
    const after = face({ brand: JAM, ...during('2026-05-01', '2026-05-20') });
    expect(await agent.call('acquire_rights', after, OTHER_BUYER)).toMatchObject({ status: 'acquired' });
  });

  it.each([
    ['another use', 'voice-grandmother', { campaign: { uses: ['video'] } }, 'available only for audio'],
    [
      'another country',
      'voice-of-the-harbour',
      { campaign: { countries: ['JP'] } },
      'available only for NL, BE, IE',
    ],
    [
      'a brand that it is kept from',
      'character-captain-crab',
      { brand: { domain: 'Kettle-Stoves.example' } },
      'the holder does not license the right to this brand',
    ],
    ['what another brand has', 'face-bicycle-champion', {}, 'another brand has an exclusive licence'],
    [
      'two years',
      'voice-of-the-harbour',
      during('2026-04-01', '2028-04-01'),
      'the right can be licensed for at most 366 days',
    ],
  ])('answers rejected for %s', async (_what, rights_id, parts, reason) => {
    const answer = await start().call('acquire_rights', acquisition(rights_id, parts));
    expect(answer).toEqual({ rights_id, status: 'rejected', reason });
  });

  it.each([
    ['an unknown right', 'moon', {}, 'REFERENCE_NOT_FOUND', '/rights_id'],
    [
      'an unknown price',
      'voice-of-the-harbour',
      { pricing_option_id: 'gift' },
      'PRICING_OPTION_NOT_FOUND',
      '/pricing_option_id',
    ],
    [
      'a period that ends before it starts',
      'voice-of-the-harbour',
      during('2026-05-01', '2026-04-01'),
      'FLIGHT_INVALID',
      '/campaign/period/end',
    ],
    [
      'a period in the past',
      'voice-of-the-harbour',
      during('2026-01-01', '2026-04-01'),
      'FLIGHT_IN_PAST',
      '/campaign/period/start',
    ],
    [
      'a price by the thousand of nothing',
      'voice-of-the-harbour',
      { pricing_option_id: 'voice-of-the-harbour-cpm' },
      'INVALID_REQUEST',
      '/campaign/impressions',
    ],
    [
      'impressions beyond all people',
      'voice-of-the-harbour',
      { pricing_option_id: 'voice-of-the-harbour-cpm', campaign: { impressions: 1e300 } },
      'VALIDATION_ERROR',
      '/campaign/impressions',
    ],
    [
      'a plan without its approval',
      'voice-of-the-harbour',
      { plan_id: 'plan-1' },
      'APPROVAL_REQUIRED',
      '/governance_approval',
    ],
  ])('refuses %s', async (_what, rights_id, parts, code, pointer) => {
    const refusal = await start().refusal('acquire_rights', acquisition(rights_id, parts));
    expect(refusal).toMatchObject({ code, pointer });
  });

  it('is for callers that are known', async () => {
    const anonymous = { id: 'anonymous', signed: false };
    expect(
      await start().refusal('acquire_rights', acquisition('voice-of-the-harbour'), anonymous),
    ).toMatchObject({ code: 'AUTH_REQUIRED' });
  });

  it('uses an approval up once, and not for what it rejects or what costs more', async () => {
    const read: ApprovalCheck['read'] = async (_token, { now }) => ({
      issuer: 'https://governance-1.agents.example/mcp',
      jti: 'one',
      planId: 'plan-1',
      expiresAt: now + 600_000,
      conditions: [],
      budget: { amount: 900, currency: 'EUR' },
    });
    const agent = start({ parts: { approvals: { read } } });
    const approved = { plan_id: 'plan-1', governance_approval: 'a.b.c' };
    const dear = acquisition('voice-of-the-harbour', { ...approved, ...during('2026-04-01', '2026-06-01') });
    expect(await agent.refusal('acquire_rights', dear, BUYER)).toMatchObject({ code: 'APPROVAL_INVALID' });
    const never = acquisition('face-bicycle-champion', approved);
    expect(await agent.call('acquire_rights', never)).toMatchObject({ status: 'rejected' });
    const first = acquisition('voice-of-the-harbour', approved);
    expect(await agent.call('acquire_rights', first)).toMatchObject({ status: 'acquired' });
    const second = acquisition('voice-young-and-quick', approved);
    expect(await agent.refusal('acquire_rights', second)).toMatchObject({ code: 'APPROVAL_INVALID' });
  });
});
