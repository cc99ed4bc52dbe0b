import { describe, expect, it } from 'vitest';
import { accountOf, startSeller } from './media-buys-support.ts';
import { type AgentUnderTest, type Answer, BUYER, freshKey, OTHER_BUYER } from './support.ts';

const FEED = {
  catalog_id: 'teas',
  name: 'Teas',
  type: 'product',
  url: 'https://acme.example/feed.jsonl',
  feed_format: 'json_lines',
  update_frequency: 'daily',
};

async function sync(
  seller: AgentUnderTest,
  catalogs: readonly object[],
  parts: object = {},
  buyer = BUYER,
): Promise<Answer[]> {
  const request = { idempotency_key: freshKey(), account: accountOf(buyer), catalogs, ...parts };
  return (await seller.call('sync_catalogs', request, buyer)).catalogs;
}

describe('catalogues', () => {
  it('behind a feed are processing, and say when it would be read', async () => {
    const seller = await startSeller();
    expect(await sync(seller, [FEED])).toEqual([
      {
        catalog_id: 'teas',
        action: 'created',
        status: 'processing',
        next_fetch_at: '2026-03-03T09:00:00.000Z',
      },
    ]);
    seller.clock.pass(60);
    expect(await sync(seller, [FEED])).toMatchObject([
      { action: 'unchanged', next_fetch_at: '2026-03-03T09:00:00.000Z' },
    ]);
    expect(await sync(seller, [{ catalog_id: 'teas', update_frequency: 'hourly' }])).toMatchObject([
      { action: 'updated', status: 'processing', next_fetch_at: '2026-03-02T10:01:00.000Z' },
    ]);
  });

  it('are ready by the items that come with them, without those that have no id of their own', async () => {
    const seller = await startSeller();
    const items = [{ id: 'a' }, { item_id: 7 }, { id: 'a' }, { name: 'nameless' }, { id: null }];
    const [result] = await sync(seller, [{ catalog_id: 'few', items }]);
    expect(result).toMatchObject({ action: 'created', status: 'ready', item_count: 2, items_rejected: 3 });
    expect(result.errors.map((error: Answer) => error.pointer)).toEqual([
      '/catalogs/0/items/2',
      '/catalogs/0/items/3',
      '/catalogs/0/items/4',
    ]);
    expect(await sync(seller, [{ catalog_id: 'few', items: [{}] }])).toMatchObject([
      { status: 'rejected', item_count: 0 },
    ]);
    expect(await sync(seller, [{ ...FEED, catalog_id: 'few' }])).toMatchObject([{ status: 'processing' }]);
  });

  it.each([
    ['neither feed nor items', { url: undefined }, '/catalogs/0'],
    ['both', { items: [] }, '/catalogs/0/items'],
    ['a feed without https', { url: 'http://acme.example/feed' }, '/catalogs/0/url'],
    ['a feed with a password', { url: 'https://a:b@acme.example/feed' }, '/catalogs/0/url'],
    ['a format that nobody reads', { feed_format: 'parchment' }, '/catalogs/0/feed_format'],
    ['a frequency that nobody keeps', { update_frequency: 'when it rains' }, '/catalogs/0/update_frequency'],
  ])('with %s fail alone', async (_why, parts, pointer) => {
    const seller = await startSeller();
    const [bad, good] = await sync(seller, [
      { ...FEED, ...parts },
      { ...FEED, catalog_id: 'good' },
    ]);
    expect(bad).toMatchObject({ action: 'failed', errors: [{ code: 'VALIDATION_ERROR', pointer }] });
    expect(good.action).toBe('created');
  });

  it('that a request does not name are deleted when it asks for that', async () => {
    const seller = await startSeller();
    await sync(seller, [FEED, { ...FEED, catalog_id: 'coffees' }, { ...FEED, catalog_id: 'cups' }]);
    const rest = await sync(seller, [{ ...FEED, feed_format: 'parchment' }], { delete_missing: true });
    expect(rest.map(({ catalog_id, action }) => [catalog_id, action])).toEqual([
      ['teas', 'failed'],
      ['coffees', 'deleted'],
      ['cups', 'deleted'],
    ]);
    expect(await sync(seller, [{ catalog_id: 'teas', delete: true }])).toEqual([
      { catalog_id: 'teas', action: 'deleted' },
    ]);
    expect(await sync(seller, [{ catalog_id: 'teas', delete: true }])).toMatchObject([
      { action: 'failed', errors: [{ code: 'REFERENCE_NOT_FOUND', pointer: '/catalogs/0/catalog_id' }] },
    ]);
  });

  it('are only imagined in a dry run', async () => {
    const seller = await startSeller();
    await sync(seller, [FEED]);
    const dry = { dry_run: true, delete_missing: true };
    expect(await sync(seller, [{ ...FEED, catalog_id: 'cups' }], dry)).toMatchObject([
      { action: 'created' },
      { catalog_id: 'teas', action: 'deleted' },
    ]);
    expect(await sync(seller, [FEED])).toMatchObject([{ action: 'unchanged' }]);
    expect(await sync(seller, [{ ...FEED, catalog_id: 'cups' }])).toMatchObject([{ action: 'created' }]);
  });

  it('belong to one account, and at most a hundred to each', async () => {
    const seller = await startSeller({}, [BUYER, OTHER_BUYER]);
    const many = Array.from({ length: 100 }, (_, index) => ({ ...FEED, catalog_id: `cat-${index}` }));
    await sync(seller, many);
    expect(await sync(seller, [FEED])).toMatchObject([
      { action: 'failed', errors: [{ code: 'INVALID_STATE' }] },
    ]);
    expect(await sync(seller, [FEED], {}, OTHER_BUYER)).toMatchObject([{ action: 'created' }]);
    const fresh = Array.from({ length: 100 }, (_, index) => ({ ...FEED, catalog_id: `new-${index}` }));
    expect(await sync(seller, fresh, { delete_missing: true })).toHaveLength(200);
  });

  it('named twice fail the second time', async () => {
    const seller = await startSeller();
    expect(await sync(seller, [FEED, FEED])).toMatchObject([
      { action: 'created' },
      { action: 'failed', errors: [{ code: 'VALIDATION_ERROR', pointer: '/catalogs/1/catalog_id' }] },
    ]);
  });
});
