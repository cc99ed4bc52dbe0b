import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Budgets, createBudgets } from '../../src/budgets/budgets.ts';
import { RETRIES } from '../../src/webhooks/schedule.ts';
import { later } from '../budgets/later.ts';
import { HOOKS } from '../webhooks/fixtures.ts';
import { PATH, wokenWorld } from './support/woken.ts';

const HOW =
  'answer the verification request with status 200 and the JSON {"challenge": "…"}, with the challenge of the request';
type Posted = Readonly<Record<string, unknown>>;
type Answer = (response: ServerResponse, posted: Posted) => void;

const echo: Answer = (response, { challenge }) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ challenge }));
const notFound: Answer = (response) => void response.writeHead(404).end();

/** A registry with one receiver that answers everything alike, and all that was posted to it. */
async function asking(answer: Answer) {
  const posted: Posted[] = [];
  const receiver = (response: ServerResponse) => {
    const { req } = response as ServerResponse & { req: IncomingMessage };
    let text = '';
    req.on('data', (part) => {
      text += part;
    });
    req.on('end', () => {
      posted.push(JSON.parse(text));
      answer(response, posted.at(-1) ?? {});
    });
  };
  const world = await wokenWorld(...Array(1_000).fill(receiver));
  const create = async (url = HOOKS) => (await world.send('POST', PATH, { url })).json();
  const own = async (): Promise<Posted> => (await world.list()).subscriptions[0];
  return { ...world, posted, create, own };
}

describe('the receiver of a new subscription', () => {
  it('gets a signed verification alone until it agrees, and then what changed since the subscription was made', async () => {
    let agrees = false;
    const { posted, create, own, listed, pass, clock } = await asking((response, body) =>
      agrees ? echo(response, body) : notFound(response, body),
    );
    const { id } = await create();
    await listed('a');
    await pass(2);
    await pass(30);
    expect(posted).toEqual([
      { type: 'subscription.verification', subscription_id: id, challenge: expect.any(String) },
    ]);
    expect(await own()).toMatchObject({
      ...{ state: 'pending', verified_at: null, attempts: 1, first_change_at: null },
      last_error: `the receiver answered 404 without the challenge; ${HOW}`.replace(
        ' without the challenge',
        '',
      ),
    });
    agrees = true;
    await pass(60);
    const verifiedAt = new Date(clock.value).toISOString();
    expect(await own()).toMatchObject({ state: 'active', verified_at: verifiedAt, last_error: null });
    expect(new Set(posted.map(({ challenge }) => challenge)).size).toBe(2);
    await pass(1);
    await pass(2);
    expect(posted).toHaveLength(3);
    expect(posted.at(-1)).toMatchObject({ subscription_id: id, feed_url: expect.any(String) });
  });

  it('is asked by a message that its keys verify', async () => {
    const { subscribe, list, refusals, bodies } = await wokenWorld();
    await subscribe();
    expect((await list()).subscriptions).toMatchObject([{ state: 'active' }]);
    expect([refusals, bodies()]).toEqual([[], []]);
  });

  it.each<readonly [string, string, Answer]>([
    ['no body', '204 without the challenge', (response) => void response.writeHead(204).end()],
    [
      'another challenge',
      '200 without the challenge',
      (response) => echo(response, { challenge: 'something else' }),
    ],
    ['HTML', '200 without the challenge', (response) => void response.end('<p>hello')],
    [
      'the challenge as it was asked, in a text',
      '200 without the challenge',
      (response, { challenge }) => void response.end(String(challenge)),
    ],
    [
      'more than 16 KiB',
      '200 without the challenge',
      (response, { challenge }) => void response.end(JSON.stringify({ challenge, more: 'x'.repeat(20_000) })),
    ],
    [
      '201 and the challenge',
      '201 without the challenge',
      (response, { challenge }) => void response.writeHead(201).end(JSON.stringify({ challenge })),
    ],
    [
      'all that it was sent',
      '200 and repeated the whole request',
      (response, posted) => void response.end(JSON.stringify(posted)),
    ],
    ['an error', '500', (response) => void response.writeHead(500).end()],
  ])('does not agree by %s, and is asked a bounded number of times', async (_what, reason, answer) => {
    const { posted, create, own, pass, listed, dead } = await asking(answer);
    await create();
    await listed('a');
    await pass(1);
    const lastError = `the receiver answered ${reason}; ${HOW}`;
    expect(await own()).toMatchObject({ state: 'pending', attempts: 1, last_error: lastError });
    for (let hours = 0; hours < 20; hours += 1) await pass(3_600);
    expect(posted).toHaveLength(RETRIES.verifyTries);
    expect(new Set(posted.map(({ type }) => type))).toEqual(new Set(['subscription.verification']));
    expect(await own()).toMatchObject({ state: 'dead', last_error: lastError });
    expect(dead).toHaveLength(1);
  });

  it('is asked no more when it answers 410', async () => {
    const { posted, create, own, pass } = await asking((response) => void response.writeHead(410).end());
    await create();
    await pass(1);
    await pass(3_600);
    expect(posted).toHaveLength(1);
    expect(await own()).toMatchObject({
      state: 'dead',
      last_error: `the receiver answered 410; ${HOW}`,
    });
  });

  it('is asked again by a test, which adds no tries', async () => {
    const { posted, create, own, pass, send } = await asking(notFound);
    const { id } = await create();
    for (let tests = 0; tests < 12; tests += 1) {
      await pass(10);
      await send('POST', `${PATH}/${id}/test`);
    }
    await pass(1);
    expect(posted).toHaveLength(RETRIES.verifyTries);
    expect(await own()).toMatchObject({ state: 'dead' });
  });

  it('is sent so much in an hour at most, whatever members make, test and revive', async () => {
    const { posted, pass, addKey, server, clock } = await asking(notFound);
    const began = clock.value;
    const members = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => {
        const headers = { authorization: `Bearer ${(await addKey(name)).key}` };
        return (url: string, payload?: object) =>
          server.inject({ method: 'POST', url, headers, ...(payload && { payload }) });
      }),
    );
    const ids = [];
    for (const send of members)
      for (let count = 0; count < 10; count += 1) {
        const made = await send(PATH, { url: `${HOOKS}?${count}` });
        ids.push([send, made.json().id] as const);
      }
    for (let rounds = 0; rounds < 30; rounds += 1) {
      await pass(100);
      for (const [send, id] of ids)
        for (const deed of ['test', 'revive']) await send(`${PATH}/${id}/${deed}`);
    }
    expect(clock.value - began).toBeLessThan(3_600_000);
    expect(posted).toHaveLength(21);
  });

  it('is asked for the owner of its site, whatever others have used up', async () => {
    const { posted, pass, addKey, addOwner, server } = await asking(notFound);
    const make = async (member: string, count: number) => {
      const headers = { authorization: `Bearer ${(await addKey(member)).key}` };
      for (let each = 0; each < count; each += 1)
        await server.inject({ method: 'POST', url: PATH, headers, payload: { url: `${HOOKS}?${each}` } });
    };
    for (const stranger of ['a', 'b', 'c', 'd']) await make(stranger, 10);
    await pass(1);
    await pass(60);
    const before = posted.length;
    await make('stranger', 1);
    await pass(1);
    expect(posted).toHaveLength(before);
    await make('owner', 1);
    await addOwner('https://agents.buyer.example/mcp', 'owner');
    await pass(1);
    expect(posted).toHaveLength(before + 1);
  });

  it('is counted once for each message, however many processes see that it is due', async () => {
    const { posted, create, records, waking, clock } = await asking(notFound);
    const shared = createBudgets(records);
    const spent: string[] = [];
    const budgets: Pick<Budgets, 'spend'> = {
      spend(name, use) {
        spent.push(name);
        return shared.spend(name, use);
      },
    };
    const processes = [1, 2, 3].map(() => waking({ budgets }));
    await create();
    clock.value += 1_000;
    await Promise.all(processes.map((one) => one.look()));
    await Promise.all(processes.map((one) => one.idle()));
    expect([posted.length, spent]).toEqual([1, ['subscriptionVerifications']]);
  });

  it('is not what a member may have contacted without end: the deeds at one site are counted', async () => {
    later(0); // the window does not go on meanwhile
    const { create, send } = await asking(notFound);
    const { id } = await create();
    for (let count = 1; count < 60; count += 1)
      expect((await send('POST', `${PATH}/${id}/test`)).statusCode).toBe(200);
    for (const path of [PATH, `${PATH}/${id}/test`, `${PATH}/${id}/revive`]) {
      const refused = await send('POST', path, { url: 'https://www.buyer.example/other' });
      expect([path, refused.statusCode, refused.json().code]).toEqual([path, 429, 'rate_limited']);
      expect(refused.headers['retry-after']).toBe('3600');
    }
    expect((await send('POST', PATH, { url: 'https://hooks.example/' })).statusCode).toBe(201);
    expect((await send('DELETE', `${PATH}/${id}`)).statusCode).toBe(200);
  });
});
