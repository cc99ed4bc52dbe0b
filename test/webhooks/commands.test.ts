import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { member } from '../../src/base/json.ts';
import { parseConnectTo } from '../../src/crawl/fetch/connect-to.ts';
import { openAgentStates } from '../../src/records/sqlite/agent-state.ts';
import type { WebhookPayload } from '../../src/webhooks/delivery.ts';
import { createWebhookQueue } from '../../src/webhooks/queue.ts';
import { begin, run, start, tempFolder } from '../cli/support/cli.ts';
import { follows } from '../cli/support/schemas.ts';
import { fetcherFor, serve } from '../crawl/fetch/web.ts';
import type { TestKey } from '../signing/support.ts';
import { accountNews, BUYER, HOOKS, news, SELLER, SYSTEM_CLOCK, taskNews } from './fixtures.ts';
import { fail, sender, until, webhookKey } from './support.ts';

let folder: string;
let key: TestKey;

beforeEach(async () => {
  folder = tempFolder();
  key = await webhookKey();
});

function jwks(): string {
  const file = join(folder, 'jwks.json');
  writeFileSync(file, JSON.stringify({ keys: [key.public] }));
  return file;
}

/** A listener, and the origin where it listens. */
async function listening(...args: readonly string[]) {
  const begun = begin('webhooks', 'listen', '--origin', BUYER, ...args);
  onTestFinished(() => void begun.stop());
  const stream = args.includes('--json') ? 'stderr' : 'stdout';
  const line = await begun.until(stream, /listening on .*\n/);
  return { ...begun, origin: originIn(line) };
}

const originIn = (line: string) => /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';

/** Sends webhooks to a listener until each is settled. */
async function send(origin: string, ...payloads: readonly WebhookPayload[]) {
  const connectTo = parseConnectTo([`buyer.example=${origin}`]);
  const { queue, deliverer } = sender(key, fetcherFor(undefined, { connectTo }), SYSTEM_CLOCK);
  for (const payload of payloads) queue.add({ url: HOOKS, payload });
  await deliverer.deliverDue();
  return queue.list().map(({ state, lastStatus }) => `${state} ${lastStatus}`);
}

describe('agent-registry webhooks listen', () => {
  it('prints each webhook as a line, and a refusal on stderr', async () => {
    const listener = start(['webhooks', 'listen', '--origin', BUYER, '--jwks', jwks()]);
    const origin = originIn(await listener.until('stdout', /listening on .*\n/));
    const third = news('mb-1', 2, { idempotency_key: 'other', previous_status: undefined, status: 'paused' });
    expect(await send(origin, news('mb-1', 3), third)).toEqual(['delivered 200', 'delivered 200']);
    expect(await send(origin, news('mb-1', 3))).toEqual(['delivered 200']);
    expect((await fetch(`${origin}/webhooks`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await fetch(`${origin}/elsewhere`, { method: 'POST' })).status).toBe(404);
    listener.child.kill('SIGTERM');
    const { code, stdout, stderr } = await listener.ended;
    expect([code, stdout.split('\n').slice(1)]).toEqual([
      0,
      [
        'verified by wh: media_buy.status_changed of mb-1, pending_start → active, sequence 3',
        'verified by wh: media_buy.status_changed of mb-1, paused, sequence 2 (out of order)',
        'verified by wh: media_buy.status_changed of mb-1, pending_start → active, sequence 3 (duplicate)',
        '',
      ],
    ]);
    expect(stderr).toContain('refused with 401: webhook_signature_required: ');
  });

  it('counts by whom a proxy that is trusted names, so that a stranger keeps no sender out', async () => {
    vi.useFakeTimers({ toFake: ['Date'] }); // all in one minute, on a busy machine too
    onTestFinished(() => void vi.useRealTimers());
    vi.stubEnv('REGISTRY_TRUSTED_PROXIES', '127.0.0.1');
    onTestFinished(() => void vi.unstubAllEnvs());
    const listener = await listening('--jwks', jwks());
    const ask = async (from: string) => {
      const answer = await fetch(`${listener.origin}/webhooks`, { headers: { 'x-forwarded-for': from } });
      await answer.arrayBuffer();
      return answer.status;
    };
    for (let times = 0; times < 600; times += 1) expect(await ask('192.0.2.1')).toBe(405);
    expect([await ask('192.0.2.1'), await ask('192.0.2.2')]).toEqual([429, 405]);
    await listener.stop();
  });

  it('prints JSON lines, and recognises a webhook after a restart', async () => {
    const flags = ['--jwks', jwks(), '--json', '--store', `sqlite:${join(folder, 'inbox.sqlite')}`];
    for (const duplicate of [false, true]) {
      const listener = await listening(...flags);
      expect(await send(listener.origin, news('mb-1', 1))).toEqual(['delivered 200']);
      const { stdout } = await listener.stop();
      expect(follows(stdout, 'cli/webhooks-listen.json')).toMatchObject({
        sender: SELLER,
        key_id: 'wh',
        duplicate,
        previous_status: 'pending_start',
        payload: news('mb-1', 1),
      });
    }
  });

  it('prints a webhook about something else than a media buy too', async () => {
    const listener = await listening('--jwks', jwks(), '--json');
    const sent = await send(listener.origin, accountNews('acc_1', 1), taskNews('mb-9'));
    expect(sent).toEqual(['delivered 200', 'delivered 200']);
    const { stdout } = await listener.stop();
    const lines = stdout.trim().split('\n').sort();
    const printed = lines.map((line) => follows(line, 'cli/webhooks-listen.json'));
    expect(printed.find((one) => member(one, 'media_buy_id') === null)).toMatchObject({
      subject: 'account acc_1',
      sequence: 1,
    });
    expect(printed.find((one) => member(one, 'media_buy_id') !== null)).toMatchObject({
      ...{ sender: 'key wh', event: 'create_media_buy', subject: 'media_buy mb-9', status: 'active' },
      ...{ media_buy_id: 'mb-9', previous_status: null, sequence: null },
    });
  });

  /** The web in which the sales agent has its brand.json and keys, and a publisher its file. */
  async function webWith(adagents: unknown) {
    const files: Record<string, unknown> = {
      'agents.example/.well-known/brand.json': {
        house: { domain: 'agents.example', name: 'Sales' },
        brands: [],
        agents: [{ type: 'sales', url: SELLER }],
      },
      'sales.agents.example/.well-known/jwks.json': { keys: [key.public] },
      'news.example/.well-known/adagents.json': adagents,
    };
    const web = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(files[`${request.headers.host}${request.url}`] ?? null));
    });
    onTestFinished(() => web.close());
    return ['--agent', SELLER, '--connect-to', `*.example=${web.origin}`] as const;
  }

  it('finds the keys of an agent through its brand.json', async () => {
    const listener = await listening(...(await webWith(null)));
    expect(await send(listener.origin, news('mb-1', 1))).toEqual(['delivered 200']);
    const other = news('mb-1', 2, { agent_url: 'https://other.example/mcp' });
    expect(await send(listener.origin, other)).toEqual(['pending 400']);
  });

  it('believes the keys alone that a publisher pins for the agent', async () => {
    const file = (pin: TestKey) => ({
      properties: [
        {
          property_id: 'news',
          property_type: 'website',
          name: 'News',
          identifiers: [{ type: 'domain', value: 'news.example' }],
        },
      ],
      authorized_agents: [
        {
          url: SELLER,
          authorized_for: 'all',
          authorization_type: 'property_ids',
          property_ids: ['news'],
          signing_keys: [pin.public],
        },
      ],
    });
    const pinned = await webWith(file(key));
    const agreed = await listening(...pinned, '--publisher', 'news.example');
    expect(await send(agreed.origin, news('mb-1', 1))).toEqual(['delivered 200']);
    const another = await webWith(file(await webhookKey('another')));
    const refused = await listening(...another, '--publisher', 'news.example');
    expect(await send(refused.origin, news('mb-1', 1))).toEqual(['pending 401']);
  });

  it('does not listen when an entry that could pin keys counts for nothing', async () => {
    const file = { authorized_agents: [{ url: SELLER, authorized_for: 'all', signing_keys: [key.public] }] };
    const ran = await run('webhooks', 'listen', ...(await webWith(file)), '--publisher', 'news.example');
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('/authorized_agents/0')]);
  });

  it('does not listen when the file of a pinning publisher cannot be read', async () => {
    const flags = ['webhooks', 'listen', ...(await webWith('nonsense')), '--publisher', 'news.example'];
    const ran = await run(...flags);
    expect([ran.code, ran.stderr]).toEqual([
      1,
      expect.stringContaining('the pinned keys of https://news.example'),
    ]);
  });

  it.each([
    ['no keys', [], /--jwks FILE or --agent URL/],
    ['two kinds of keys', ['--jwks', 'x', '--agent', SELLER], /--jwks FILE or --agent URL/],
    ['a brand.json without an agent', ['--jwks', 'x', '--brand-json', 'https://a.example/b'], /give both/],
    ['an address that is no agent', ['--agent', 'sales'], /--agent is not the URL of an agent/],
    ['an origin with a path', ['--jwks', 'x', '--origin', HOOKS], /is not an origin/],
    ['a path that is none', ['--jwks', 'x', '--path', 'webhooks'], /must begin with/],
    ['a file that is not there', ['--jwks', '/nowhere/jwks.json'], /cannot read/],
  ])('says what is wrong with %s', async (_name, flags, expected) => {
    const ran = await run('webhooks', 'listen', ...flags);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(expected)]);
  });
});

interface Listed {
  readonly webhooks: readonly Readonly<Record<string, unknown>>[];
}

describe('agent-registry webhooks list, dead and replay', () => {
  const OTHER = 'https://other.agents.example/mcp';
  let state: readonly string[];

  /** Two agents; each has delivered one webhook and given one up. */
  beforeEach(async () => {
    const path = join(folder, 'agents.sqlite');
    state = ['--state', `sqlite:${path}`];
    const web = await serve((request, response) =>
      response.writeHead(request.url === '/gone' ? 410 : 200).end(),
    );
    const states = openAgentStates(path);
    for (const agent of [SELLER, OTHER]) {
      const { queue, deliverer } = sender(key, fetcherFor(web), SYSTEM_CLOCK, { state: states.of(agent) });
      queue.add({ url: HOOKS, payload: news('mb-1', 1) });
      queue.add({ url: `${BUYER}/gone`, payload: news('mb-1', 1) });
      await deliverer.deliverDue();
    }
    states.close();
    await web.close();
  });

  const json = async (...args: readonly string[]): Promise<Listed['webhooks']> => {
    const ran = await run('webhooks', ...args, ...state, '--json');
    expect(ran.code, ran.stderr).toBe(0);
    return follows<Listed>(ran.stdout, 'cli/webhooks.json').webhooks;
  };

  it('list shows all of all agents, or of one', async () => {
    expect((await json('list')).map(({ agent, id, state: at }) => [agent, id, at])).toEqual([
      [OTHER, 'wh-000000000001', 'delivered'],
      [OTHER, 'wh-000000000002', 'ended'],
      [SELLER, 'wh-000000000001', 'delivered'],
      [SELLER, 'wh-000000000002', 'ended'],
    ]);
    expect(await json('list', '--agent', SELLER)).toHaveLength(2);
  });

  it('dead shows what was given up, and why', async () => {
    expect(await json('dead', '--agent', SELLER)).toMatchObject([
      { id: 'wh-000000000002', attempts: 1, last_status: 410, last_error: 'the receiver answered 410' },
    ]);
    const plain = await run('webhooks', 'dead', ...state);
    expect(plain.stdout).toMatch(
      /^webhook +state +tries .*\nwh-000000000002 {2}ended {2}1 try {2}media_buy mb-1 {2}\S+ → https:\/\/buyer\.example\/gone {2}the receiver answered 410\n/,
    );
  });

  it('replay makes one due, or all of them, and a deliverer elsewhere takes them', async () => {
    const ambiguous = await run('webhooks', 'replay', 'wh-000000000002', ...state);
    expect([ambiguous.code, ambiguous.stderr]).toEqual([2, expect.stringContaining('--agent')]);
    const agent = ['--agent', SELLER];
    expect(await json('replay', 'wh-000000000002', ...agent)).toMatchObject([
      { state: 'pending', attempts: 0, replays: 1, next_attempt_at: expect.any(String) },
    ]);
    expect(await json('dead', ...agent)).toEqual([]);
    expect(await json('replay', '--all')).toMatchObject([{ agent: OTHER }]);
    const again = await run('webhooks', 'replay', 'wh-000000000002', ...state);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('webhooks dead')]);
    expect((await run('webhooks', 'dead', ...state)).stdout).toBe('no webhooks\n');
  });

  it('a deliverer that runs takes what another process replays', async () => {
    const web = await serve((_request, response) => response.writeHead(200).end());
    onTestFinished(() => web.close());
    const states = openAgentStates(join(folder, 'agents.sqlite'));
    onTestFinished(() => states.close());
    const parts = sender(key, fetcherFor(web), SYSTEM_CLOCK, { state: states.of(SELLER) });
    const stop = new AbortController();
    const running = parts.deliverer.run(stop.signal, fail);
    expect((await start(['webhooks', 'replay', '--all', ...state]).ended).code).toBe(0);
    const queue = createWebhookQueue(states.of(SELLER), { clock: SYSTEM_CLOCK });
    await until(() => queue.list().every((one) => one.state === 'delivered'));
    stop.abort();
    await running;
  });

  it.each([
    ['nothing to replay', ['replay'], 2, /give an id/],
    ['an id and --all', ['replay', 'wh-000000000002', '--all'], 2, /give an id/],
    [
      'an agent that is not there',
      ['list', '--agent', 'https://no.example/mcp'],
      1,
      /agents in the file: https:/,
    ],
  ])('say what is wrong with %s', async (_name, args, code, expected) => {
    const ran = await run('webhooks', ...args, ...state);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(expected)]);
  });

  it('make no state where there is none', async () => {
    const none = join(folder, 'none.sqlite');
    const ran = await run('webhooks', 'list', '--state', `sqlite:${none}`);
    expect([ran.code, ran.stderr, existsSync(none)]).toEqual([3, expect.stringContaining('--state'), false]);
    expect((await run('webhooks', 'list', '--state', none)).code).toBe(2);
  });
});
