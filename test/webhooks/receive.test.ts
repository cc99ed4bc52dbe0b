import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Fetcher } from '../../src/ports/fetcher.ts';
import { openAgentStates } from '../../src/records/sqlite/agent-state.ts';
import type { HttpRequest } from '../../src/signing/message.ts';
import { signMessage } from '../../src/signing/sign.ts';
import { INBOX_KEPT, openInbox } from '../../src/webhooks/inbox.ts';
import { createWebhookReceiver } from '../../src/webhooks/receiver.ts';
import { later } from '../budgets/later.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { fetcherFor, serve, type Web } from '../crawl/fetch/web.ts';
import type { TestKey } from '../signing/support.ts';
import {
  accountNews,
  HOOKS,
  news,
  type OwnedClock,
  ownedClock,
  SELLER,
  START,
  taskNews,
} from './fixtures.ts';
import { memoryState, type Receiving, receiving, webhookKey } from './support.ts';

let key: TestKey;
let clock: OwnedClock;
let buyer: Receiving;
let web: Web;
let fetcher: Fetcher;

beforeEach(async () => {
  key = await webhookKey();
  clock = ownedClock();
  buyer = receiving(key, clock, undefined, { sender: SELLER });
  web = await serve((request, response) => void buyer.handler(request, response));
  fetcher = fetcherFor(web);
  onTestFinished(() => web.close());
  onTestFinished(() => fetcher.close());
});

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

function message(payload: unknown, contentType = 'application/json'): HttpRequest {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return {
    method: 'POST',
    url: HOOKS,
    headers: [['content-type', contentType]],
    body: new TextEncoder().encode(text),
  };
}

function signed(unsigned: HttpRequest, by = key): Promise<HttpRequest> {
  const now = Math.floor(clock.now() / 1_000);
  return signMessage(unsigned, { kind: 'webhook', profile: '3.2', key: by.signer, now });
}

/** Posts to the receiver's server under the name that was signed. */
async function post({ method, headers, body }: HttpRequest): Promise<Answered> {
  const lines = headers.map(([name, value]): [string, string] => [name, value]);
  const init = { method, headers: lines, ...(body && { body: Uint8Array.from(body) }) };
  return fetcher.visit({ host: 'buyer.example', deadlineMs: 15_000 }, async (visit) => {
    const response = await visit.fetch(HOOKS, init);
    const told = (await response.json()) as Answered['body'];
    return { status: response.status, headers: response.headers, body: told };
  });
}

const send = async (payload: unknown) => post(await signed(message(payload)));

describe('a webhook that is received', () => {
  it('is acknowledged when it is kept, and again when it comes again', async () => {
    expect(await send(news('mb-1', 1))).toMatchObject({
      status: 200,
      body: { received: true, duplicate: false, out_of_order: false },
    });
    clock.set(START + 5_000);
    expect(await send(news('mb-1', 1))).toMatchObject({ status: 200, body: { duplicate: true } });
    expect(buyer.inbox.list()).toEqual([
      { sender: SELLER, keyid: 'wh', receivedAt: START, outOfOrder: false, payload: news('mb-1', 1) },
    ]);
  });

  it('is taken in the envelope of the public protocol, which names no agent and no event', async () => {
    const told = await post(await signed(message(taskNews('mb-1'))));
    expect([told.status, buyer.arrivals[0]?.webhook.sender]).toEqual([200, SELLER]);
    expect(await post(await signed(message(taskNews('mb-1'))))).toMatchObject({ body: { duplicate: true } });
    const { timestamp: _left, ...broken } = taskNews('mb-2');
    expect(await post(await signed(message(broken)))).toMatchObject({
      status: 400,
      body: { code: 'invalid_payload', detail: expect.stringContaining('timestamp') },
    });
    const other = { ...taskNews('mb-3'), agent_url: 'https://other.example/mcp' };
    expect(await post(await signed(message(other)))).toMatchObject({ body: { code: 'wrong_sender' } });
  });

  it('is marked when a later one was there before, for its media buy alone', async () => {
    await send(news('mb-1', 3));
    expect((await send(news('mb-1', 2))).body).toMatchObject({ out_of_order: true });
    expect((await send(news('mb-1', 4))).body).toMatchObject({ out_of_order: false });
    expect((await send(news('mb-2', 1))).body).toMatchObject({ out_of_order: false });
    expect(buyer.inbox.list()).toHaveLength(4);
  });

  it('is marked when a later one about the same account was there before', async () => {
    await send(accountNews('acc_1', 3));
    expect((await send(accountNews('acc_1', 2))).body).toMatchObject({ out_of_order: true });
    expect((await send(accountNews('acc_2', 1))).body).toMatchObject({ out_of_order: false });
  });

  it('is recognised after a restart, and only from the same sender', async () => {
    const path = join(tempFolder(), 'inbox.sqlite');
    for (const duplicate of [false, true]) {
      const states = openAgentStates(path);
      const inbox = openInbox(states.of('https://buyer.example/mcp'));
      expect(inbox.take(SELLER, 'wh', news('mb-1', 1), START)).toMatchObject({ duplicate });
      const other = inbox.take('https://other.example/mcp', 'wh', news('mb-1', 1), START);
      expect(other).toMatchObject({ duplicate, webhook: { outOfOrder: false } });
      expect(inbox.list()).toHaveLength(2);
      states.close();
    }
  });

  it('is forgotten after its time', () => {
    const inbox = openInbox(memoryState());
    inbox.take(SELLER, 'wh', news('mb-1', 1), START);
    inbox.take(SELLER, 'wh', news('mb-1', 2), START + INBOX_KEPT.ms);
    expect(inbox.list().map(({ payload }) => payload.sequence)).toEqual([2]);
  });
});

describe('the verification of a subscription', () => {
  const VERIFICATION = { type: 'subscription.verification', subscription_id: 'sub_1', challenge: 'c-1' };

  it('is answered with its challenge when its signature holds, and is not kept', async () => {
    expect(await send(VERIFICATION)).toMatchObject({ status: 200, body: { challenge: 'c-1' } });
    const stranger = await webhookKey('other');
    const refused = await post(await signed(message(VERIFICATION), stranger));
    expect([refused.status, 'challenge' in refused.body]).toEqual([401, false]);
    expect([buyer.inbox.list(), buyer.arrivals]).toEqual([[], []]);
  });

  it.each([
    [{ ...VERIFICATION, challenge: undefined }, '/challenge'],
    [{ ...VERIFICATION, challenge: 'x'.repeat(501) }, '/challenge'],
    [{ ...VERIFICATION, subscription_id: { a: 1 } }, '/subscription_id'],
  ])('is refused as %j', async (payload, place) => {
    const detail = expect.stringContaining(place);
    expect(await send(payload)).toMatchObject({ status: 400, body: { code: 'invalid_payload', detail } });
  });
});

describe('the sender that may send here', () => {
  it.each(['https://SALES.agents.example/mcp', 'https://sales.agents.example:443/mcp/'])(
    'may write its address as it likes: %s',
    async (agent_url) => {
      const answered = await post(await signed(message(news('mb-1', 1, { agent_url }))));
      expect([answered.status, answered.body.code]).toEqual([200, undefined]);
    },
  );
});

describe('what is refused', () => {
  const changed = (part: Partial<HttpRequest>) => (one: HttpRequest) => ({ ...one, ...part });

  it.each<[string, (one: HttpRequest) => HttpRequest, string]>([
    [
      'no signature',
      ({ headers, ...one }) => ({ ...one, headers: headers.slice(0, 1) }),
      'signature_required',
    ],
    ['another body', changed({ body: new TextEncoder().encode('{}') }), 'signature_digest_mismatch'],
    [
      'a signature for another address',
      (one) => one, // signed below for another URL
      'signature_invalid',
    ],
  ])('%s is a 401 that says which check failed', async (name, change, code) => {
    const unsigned = message(news('mb-1', 1));
    const elsewhere = name.includes('another address') ? { ...unsigned, url: `${HOOKS}/2` } : unsigned;
    const answer = await post(change(await signed(elsewhere)));
    expect([answer.status, answer.headers.get('www-authenticate'), answer.body.code]).toEqual([
      401,
      `Signature error="webhook_${code}"`,
      `webhook_${code}`,
    ]);
    expect(buyer.refusals).toMatchObject([{ status: 401, code: `webhook_${code}` }]);
    expect(buyer.inbox.list()).toEqual([]);
  });

  it('a message that is sent a second time, byte for byte', async () => {
    const once = await signed(message(news('mb-1', 1)));
    expect((await post(once)).status).toBe(200);
    expect(await post(once)).toMatchObject({ status: 401, body: { code: 'webhook_signature_replayed' } });
  });

  it('the signature of a stranger', async () => {
    const stranger = await webhookKey('other');
    const answer = await post(await signed(message(news('mb-1', 1)), stranger));
    expect(answer).toMatchObject({ status: 401, body: { code: 'webhook_signature_key_unknown' } });
  });

  it.each<[string, unknown, string, number, RegExp]>([
    [
      'no media buy',
      { ...news('mb-1', 1), media_buy_id: undefined },
      'invalid_payload',
      400,
      /\/media_buy_id/,
    ],
    ['a sequence that is none', news('mb-1', 0), 'invalid_payload', 400, /\/sequence/],
    ['a status that is none', news('mb-1', 1, { status: 'odd' }), 'invalid_payload', 400, /\/status/],
    ['a list', [], 'invalid_payload', 400, /must be/],
    ['what is no JSON', '{"a":', 'invalid_payload', 400, /the body is not valid JSON/],
    ['a name twice', '{"a":1,"a":2}', 'webhook_body_malformed', 401, /./],
    [
      'another sender',
      news('mb-1', 1, { agent_url: 'https://other.example/mcp' }),
      'wrong_sender',
      400,
      /agent_url/,
    ],
  ])('a payload with %s', async (_name, payload, code, status, detail) => {
    const answer = await send(payload);
    expect(answer).toMatchObject({ status, body: { code, status, detail: expect.stringMatching(detail) } });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(buyer.inbox.list()).toEqual([]);
  });

  it('what is no JSON by its type', async () => {
    const answer = await post(await signed(message(news('mb-1', 1), 'text/plain')));
    expect(answer).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  });

  it('another method', async () => {
    const answer = await fetch(`${web.origin}/webhooks`);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('more than a mebibyte, announced or not, without reading it all', async () => {
    const announced = await raw('content-length: 1048577\r\n\r\n');
    expect(announced).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const streamed = await raw(`transfer-encoding: chunked\r\n\r\n${chunk}${chunk}`);
    expect(streamed).toMatch(/^HTTP\/1\.1 413 .*"code":"body_too_large"/s);
  });

  it('everything while nothing can be kept, so that it is sent again', async () => {
    const broken = createWebhookReceiver({
      gate: () => Promise.reject(new Error('the disk is full')),
      inbox: buyer.inbox,
      clock,
      origin: 'https://buyer.example',
      validate: () => undefined,
    });
    buyer = { ...buyer, handler: broken };
    const answer = await send(news('mb-1', 1));
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable', detail: 'try again later' } });
  });
});

/** What the server answers to a POST with these headers and this body. */
function raw(rest: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(web.port, '127.0.0.1', () =>
      socket.write(
        `POST /webhooks HTTP/1.1\r\nhost: buyer.example\r\ncontent-type: application/json\r\n${rest}`,
      ),
    );
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

describe('an address that sends too much', () => {
  it('is told to wait before its request is read, and another address is not', async () => {
    later(0); // the window does not go on meanwhile
    let from = '192.0.2.1';
    const counting = receiving(key, clock, undefined, { sender: SELLER, callerOf: () => from });
    buyer = counting;
    for (let n = 0; n < 600; n += 1) await fetch(web.origin).then((answer) => answer.arrayBuffer());
    const refused = await post(await signed(message(news('mb-9', 1))));
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'rate_limited',
      '60',
    ]);
    from = '192.0.2.2';
    expect((await send(news('mb-9', 1))).status).toBe(200);
    from = '192.0.2.1';
    later(60_000);
    expect((await send(news('mb-9', 2))).status).toBe(200);
  });
});
