import { describe, expect, it } from 'vitest';
import { HOOKS } from '../webhooks/fixtures.ts';
import { BASE, PATH, wokenWorld } from './support/woken.ts';

describe('a subscription to the feed', () => {
  it('is told once what came together, signed, with a cursor from which all of it is read', async () => {
    const { subscribe, listed, pass, bodies, refusals, get, list } = await wokenWorld();
    const made = await subscribe();
    expect(made).toMatchObject({ url: HOOKS, types: '*', state: 'pending', verified_at: null });
    await pass(1);
    for (const name of ['a', 'b', 'c']) await listed(name);
    await pass(1);
    expect(bodies()).toEqual([]);
    await pass(1);
    expect([bodies().length, refusals]).toEqual([1, []]);
    const [body] = bodies();
    expect(body).toEqual({
      ...{ idempotency_key: expect.any(String), subscription_id: made.id, cursor: expect.any(String) },
      feed_url: `${BASE}/api/registry/feed?cursor=${body?.cursor}&types=*`,
      first_change_at: expect.stringMatching(/^2026-/),
    });
    const { events } = (await get(String(body?.feed_url).slice(BASE.length))).json();
    expect(events).toHaveLength(3);
    // not again for the same, and not sooner than in ten seconds for more
    await listed('d');
    await pass(6);
    await pass(2);
    expect(bodies()).toHaveLength(1);
    await pass(5);
    expect(bodies()).toHaveLength(2);
    await pass(60);
    expect(bodies()).toHaveLength(2);
    expect((await list()).subscriptions).toMatchObject([{ attempts: 0, first_change_at: null }]);
  });

  it('is told of its types alone', async () => {
    const { subscribe, listed, pass, bodies } = await wokenWorld();
    await subscribe({ url: HOOKS, types: 'authorization.*' });
    await listed('a');
    await pass(6);
    await pass(6);
    expect(bodies()).toEqual([]);
  });

  it('is tried again later, and keeps what it has to tell', async () => {
    const { subscribe, listed, pass, bodies, list } = await wokenWorld(503);
    await subscribe();
    await listed('a');
    await pass(1);
    await pass(1);
    const [told] = (await list()).subscriptions;
    expect(told).toMatchObject({ state: 'active', attempts: 1, last_error: 'the receiver answered 503' });
    await pass(10);
    expect(bodies()).toHaveLength(1);
    expect((await list()).subscriptions).toMatchObject([{ attempts: 0, last_error: null }]);
  });

  it.each([
    ['the receiver answers 410', [410], HOOKS, /410/],
    ['its address leads inside', [], 'https://10.0.0.1/x', /^blocked: /],
    [
      'the receiver redirects for half an hour',
      Array(7).fill(302),
      HOOKS,
      /redirects are not followed; stopped/,
    ],
  ])(
    'is dead when %s, and goes on where it stood when it is revived',
    async (_what, statuses, url, reason) => {
      const { subscribe, listed, pass, bodies, dead, list, send, records } = await wokenWorld(...statuses);
      const { id } = await subscribe();
      // one of before there was a rule for what is accepted
      const own = await records.subscriptions.list('nova');
      await records.subscriptions.keep(own.map((one) => ({ ...one, url })));
      await listed('a');
      for (let tries = 0; tries < 9; tries += 1) await pass(7_200);
      expect(dead).toHaveLength(1);
      const [told] = (await list()).subscriptions;
      expect(told).toMatchObject({ id, state: 'dead', last_error: expect.stringMatching(reason) });
      expect(bodies()).toEqual([]);
      const revived = (await send('POST', `${PATH}/${id}/revive`)).json();
      expect(revived).toMatchObject({ state: 'pending', attempts: 0, dead_at: null });
      for (const seconds of [6, 1, 2]) await pass(seconds);
      const [after] = (await list()).subscriptions;
      expect(after).toMatchObject(url === HOOKS ? { state: 'active', last_error: null } : { state: 'dead' });
      expect(bodies()).toHaveLength(url === HOOKS ? 1 : 0);
    },
  );

  it('is tested by hand, once in ten seconds, over the same way as for a change', async () => {
    const { subscribe, send, pass, bodies, refusals, list, get, records } = await wokenWorld(503);
    const { id } = await subscribe();
    await pass(6);
    const test = () => send('POST', `${PATH}/${id}/test`);
    const asked = (await test()).json();
    expect(asked).toMatchObject({ id, state: 'active', attempts: 0, last_told_at: null });
    expect(asked.next_try_at).toBe(asked.first_change_at);
    expect((await test()).json()).toEqual(asked);
    await pass(6);
    expect((await list()).subscriptions).toMatchObject([
      { attempts: 1, last_error: 'the receiver answered 503' },
    ]);
    await pass(10);
    expect([bodies().length, refusals]).toEqual([1, []]);
    const [body] = bodies();
    expect(body).toMatchObject({ subscription_id: id, cursor: asked.cursor });
    const { events, has_more: more } = (await get(String(body?.feed_url).slice(BASE.length))).json();
    expect([events, more]).toEqual([[], false]);
    const [told] = (await list()).subscriptions;
    expect(told).toMatchObject({ attempts: 0, last_error: null, first_change_at: null });
    const [record] = await records.owners.auditLog({ subject: id, limit: 1 });
    expect(record).toMatchObject({ action: 'subscription.test' });
  });

  it('is not tested by a stranger, nor when it was given up', async () => {
    const { subscribe, send, pass, listed, server, addKey } = await wokenWorld(410);
    const { id } = await subscribe();
    const { key } = await addKey('other');
    const other = {
      method: 'POST',
      url: `${PATH}/${id}/test`,
      headers: { authorization: `Bearer ${key}` },
    } as const;
    expect((await server.inject(other)).statusCode).toBe(404);
    await listed('a');
    await pass(1);
    await pass(1);
    const refused = await send('POST', `${PATH}/${id}/test`);
    expect([refused.statusCode, refused.json().code]).toEqual([409, 'subscription_dead']);
  });

  it.each([
    [{}, 'invalid_value'],
    [{ url: 'http://hooks.example/' }, 'invalid_value'],
    [{ url: 'https://me:secret@hooks.example/' }, 'invalid_value'],
    [{ url: `https://hooks.example/${'x'.repeat(2_000)}` }, 'invalid_value'],
    [{ url: 'https://127.0.0.1:9999/' }, 'invalid_value'],
    [{ url: 'https://localhost/' }, 'invalid_value'],
    [{ url: 'https://169.254.169.254/' }, 'invalid_value'],
    [{ url: 'https://10.0.0.1/' }, 'invalid_value'],
    [{ url: 'https://0x7f.1/' }, 'invalid_value'],
    [{ url: 'https://[::ffff:10.0.0.1]/' }, 'invalid_value'],
    [{ url: 'https://hooks.example:25/' }, 'invalid_value'],
    [{ url: 'https://hooks.example:80/' }, 'invalid_value'],
    [{ url: 'https://hooks.example:8443/' }, 'invalid_value'],
    [{ url: HOOKS, types: 'nothing.*' }, 'invalid_value'],
    [{ url: HOOKS, types: 7 }, 'invalid_value'],
    [{ url: HOOKS, secret: 'x' }, 'unknown_parameter'],
  ])('is not made of %j', async (body, code) => {
    const { send, list } = await wokenWorld();
    const answer = await send('POST', PATH, body);
    expect([answer.statusCode, answer.json().code]).toEqual([400, code]);
    expect((await list()).count).toBe(0);
  });

  it('is its member’s alone, who has twenty at most', async () => {
    const { subscribe, send, server, addKey, list, get } = await wokenWorld();
    const { id } = await subscribe();
    const { key } = await addKey('other');
    const other = { authorization: `Bearer ${key}` };
    expect((await server.inject({ method: 'DELETE', url: `${PATH}/${id}`, headers: other })).statusCode).toBe(
      404,
    );
    expect((await get(PATH)).statusCode).toBe(401);
    for (let count = 1; count < 20; count += 1) await subscribe();
    const more = await send('POST', PATH, { url: HOOKS });
    expect([more.statusCode, more.json().code]).toEqual([409, 'too_many_subscriptions']);
    expect((await send('DELETE', `${PATH}/${id}`)).json()).toMatchObject({ id });
    expect((await list()).count).toBe(19);
  });
});
