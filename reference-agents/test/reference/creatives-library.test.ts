import { describe, expect, it } from 'vitest';
import { advanceCreatives, setCreativeStatus } from '../../src/reference/creatives/library.ts';
import { findCreative } from '../../src/reference/creatives/stored.ts';
import { creativeHandlers } from '../../src/reference/handlers.ts';
import { aClip, aCreative, accountOf, anOrder, SELLER, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, BUYER, freshKey, OTHER_BUYER, startAgent } from './support.ts';

function sync(creatives: readonly object[], parts: object = {}, buyer = BUYER) {
  return { idempotency_key: freshKey(), account: accountOf(buyer), creatives, ...parts };
}

function callOf({ agent, clock }: AgentUnderTest, caller = BUYER) {
  return { agent, caller, now: clock.now() };
}

const statusOf = (seller: AgentUnderTest, id: string) => findCreative(callOf(seller), id, '').status;

const outcomes = ({ creatives }: Answer) =>
  creatives.map(({ creative_id, action, status }: Answer) => [creative_id, action, status]);

const WRONG = aCreative('wrong', { assets: {} });

describe('sync_creatives', () => {
  it('takes, changes and leaves creatives as they come', async () => {
    const seller = await startSeller();
    const first = await seller.call('sync_creatives', sync([aCreative('a'), aCreative('b')]));
    expect(outcomes(first)).toEqual([
      ['a', 'created', 'approved'],
      ['b', 'created', 'approved'],
    ]);
    const next = await seller.call(
      'sync_creatives',
      sync([aCreative('a'), aCreative('b', { name: 'Autumn' })]),
    );
    expect(outcomes(next)).toEqual([
      ['a', 'unchanged', 'approved'],
      ['b', 'updated', 'approved'],
    ]);
  });

  it('takes the neighbours of a bad creative, and keeps what was there under its name', async () => {
    const seller = await startSeller();
    await seller.call('sync_creatives', sync([aCreative('wrong')]));
    const answer = await seller.call('sync_creatives', sync([WRONG, aCreative('good')]));
    expect(outcomes(answer)).toEqual([
      ['wrong', 'failed', 'approved'],
      ['good', 'created', 'approved'],
    ]);
    expect(answer.creatives[0].errors).toMatchObject([
      { code: 'CREATIVE_REJECTED', pointer: '/creatives/0/assets/image', details: { rule: 'ASSET_MISSING' } },
    ]);
    expect(findCreative(callOf(seller), 'wrong', '').creative.assets).not.toEqual({});
  });

  it.each([
    [
      'a format that nobody knows',
      aCreative('x', { format_id: { agent_url: SELLER, id: 'moon' } }),
      'FORMAT_NOT_FOUND',
      '/creatives/1/format_id/id',
    ],
    [
      'a format of an unknown agent',
      aCreative('x', { format_id: { agent_url: 'https://strange.example/', id: 'display_300x250' } }),
      'FORMAT_NOT_FOUND',
      '/creatives/1/format_id/agent_url',
    ],
    ['an id that is there twice', aCreative('first'), 'VALIDATION_ERROR', '/creatives/1/creative_id'],
    [
      'a promise that nobody prints',
      aCreative('x', {
        assets: { ...aCreative().assets, headline: { asset_type: 'text', content: 'A miracle cure' } },
      }),
      'CREATIVE_REJECTED',
      '/creatives/1/assets/headline/content',
    ],
  ])('tells %s beside its creative', async (_what, creative, code, pointer) => {
    const seller = await startSeller();
    const answer = await seller.call('sync_creatives', sync([aCreative('first'), creative]));
    expect(answer.creatives[1].errors).toMatchObject([{ code, pointer }]);
    expect(answer.creatives[0]).toMatchObject({ action: 'created', status: 'approved' });
  });

  it('reviews what plays for half a minute', async () => {
    const seller = await startSeller();
    const answer = await seller.call('sync_creatives', sync([aClip('clip')]));
    expect(answer.creatives[0].status).toBe('pending_review');
    seller.clock.pass(29);
    expect(statusOf(seller, 'clip')).toBe('pending_review');
    seller.clock.pass(1);
    expect(statusOf(seller, 'clip')).toBe('approved');
    expect(advanceCreatives(seller.agent, seller.clock.now())).toBe(1);
    expect(advanceCreatives(seller.agent, seller.clock.now())).toBe(0);
    expect(statusOf(seller, 'clip')).toBe('approved');
  });

  it('keeps nothing of a dry run', async () => {
    const seller = await startSeller();
    const answer = await seller.call('sync_creatives', sync([aCreative('a'), WRONG], { dry_run: true }));
    expect(outcomes(answer).map(([, action]: string[]) => action)).toEqual(['created', 'failed']);
    expect(() => statusOf(seller, 'a')).toThrow('unknown creative');
  });

  it('deletes what the request does not name, but nothing that a media buy uses', async () => {
    const seller = await startSeller();
    await seller.call('sync_creatives', sync([aCreative('used'), aCreative('idle'), aCreative('kept')]));
    const line = {
      product_id: 'front-page',
      budget: 1_000,
      pricing_option_id: 'cpm',
      creative_assignments: [{ creative_id: 'used' }],
    };
    await seller.call('create_media_buy', anOrder({ packages: [line] }));
    const dry = await seller.call(
      'sync_creatives',
      sync([aCreative('kept')], { delete_missing: true, dry_run: true }),
    );
    expect(outcomes(dry)).toHaveLength(3);
    const answer = await seller.call('sync_creatives', sync([aCreative('kept')], { delete_missing: true }));
    expect(outcomes(answer).sort()).toEqual([
      ['idle', 'deleted', undefined],
      ['kept', 'unchanged', 'approved'],
      ['used', 'failed', undefined],
    ]);
    expect(() => statusOf(seller, 'idle')).toThrow('unknown creative');
    expect(statusOf(seller, 'used')).toBe('approved');
  });

  it('takes a creative in another format, which no longer runs where that is not taken', async () => {
    const seller = await startSeller();
    const buy = await seller.call('create_media_buy', anOrder());
    expect(buy.status).toBe('pending_start');
    const ask = { media_buy_ids: [buy.media_buy_id] };
    await seller.call('sync_creatives', sync([aClip('banner-1')]));
    expect(JSON.stringify(await seller.call('get_media_buy_delivery', ask))).toContain('pending_creatives');
    seller.clock.pass(31);
    advanceCreatives(seller.agent, seller.clock.now());
    expect(JSON.stringify(await seller.call('get_media_buy_delivery', ask))).toContain('pending_creatives');
  });

  it('lets creatives run in packages, and leaves out what it did not take', async () => {
    const seller = await startSeller();
    const buy = await seller.call('create_media_buy', anOrder());
    const { package_id } = buy.packages[0];
    const assignments = [{ media_buy_id: buy.media_buy_id, package_id, creative_ids: ['good', 'wrong'] }];
    const answer = await seller.call('sync_creatives', sync([WRONG, aCreative('good')], { assignments }));
    expect(answer.creatives[1].assigned_to).toEqual([package_id]);
    expect(answer.creatives[0].assigned_to).toBeUndefined();
  });

  it('keeps nothing when an assignment names what is not there', async () => {
    const seller = await startSeller();
    const assignments = [{ package_id: 'none', creative_ids: ['a', 'nowhere'] }];
    const refusal = await seller.refusal('sync_creatives', sync([aCreative('a')], { assignments }));
    expect(refusal).toMatchObject({ code: 'CREATIVE_NOT_FOUND', pointer: '/assignments/0/creative_ids/1' });
    expect(() => statusOf(seller, 'a')).toThrow('unknown creative');
  });

  it('keeps the libraries of two buyers apart, with the same ids and the same key', async () => {
    const seller = await startSeller({}, [BUYER, OTHER_BUYER]);
    const request = sync([aCreative('a')]);
    await seller.call('sync_creatives', request);
    const other = {
      ...request,
      account: accountOf(OTHER_BUYER),
      creatives: [aCreative('a', { name: 'Mine' })],
    };
    const answer = await seller.call('sync_creatives', other, OTHER_BUYER);
    expect(outcomes(answer)).toEqual([['a', 'created', 'approved']]);
    expect(findCreative(callOf(seller), 'a', '').creative.name).toBe('Spring');
  });

  it('wants an account that is active', async () => {
    const seller = await startSeller({}, [BUYER]);
    const refusal = await seller.refusal('sync_creatives', sync([aCreative()], {}, OTHER_BUYER), OTHER_BUYER);
    expect(refusal).toMatchObject({ code: 'ACCOUNT_NOT_FOUND', pointer: '/account' });
  });

  it('at a creative agent keeps a library without accounts and packages', async () => {
    const agent = startAgent({ type: 'creative', handlers: creativeHandlers });
    const creative = aCreative('a', {
      format_id: { agent_url: agent.agent.spec.url, id: 'display_300x250' },
    });
    expect(outcomes(await agent.call('sync_creatives', sync([creative])))).toEqual([
      ['a', 'created', 'approved'],
    ]);
    const assignments = [{ package_id: 'p', creative_ids: ['a'] }];
    const refusal = await agent.refusal('sync_creatives', sync([creative], { assignments }));
    expect(refusal).toMatchObject({ code: 'UNSUPPORTED_FEATURE', pointer: '/assignments' });
  });
});

describe('the status of a creative', () => {
  it('can be forced, and stays until the creative changes', async () => {
    const seller = await startSeller();
    await seller.call('sync_creatives', sync([aClip('clip')]));
    setCreativeStatus(callOf(seller), 'clip', 'rejected');
    seller.clock.pass(60);
    expect(advanceCreatives(seller.agent, seller.clock.now())).toBe(0);
    expect(statusOf(seller, 'clip')).toBe('rejected');
    const changed = { ...aClip('clip'), name: 'Another take' };
    const answer = await seller.call('sync_creatives', sync([changed]));
    expect(answer.creatives[0].status).toBe('pending_review');
  });

  it('moves the media buys that waited for it', async () => {
    const seller = await startSeller();
    const film = { product_id: 'film', budget: 500, pricing_option_id: 'cpcv', creatives: [aClip('clip')] };
    const buy = await seller.call('create_media_buy', anOrder({ packages: [film] }));
    expect(buy.status).toBe('pending_creatives');
    seller.clock.pass(31);
    advanceCreatives(seller.agent, seller.clock.now());
    const delivery = await seller.call('get_media_buy_delivery', { media_buy_ids: [buy.media_buy_id] });
    expect(JSON.stringify(delivery)).toContain('pending_start');
  });
});
