import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentSpec } from '../src/agents/agent.ts';
import { publicRefusal } from '../src/dialect/errors.ts';
import { publicAnswer } from '../src/dialect/translate.ts';
import { publicWebhooks } from '../src/dialect/webhooks.ts';
import { postsTo } from '../src/reference/posts-to.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { startSandbox } from '../src/start-sandbox.ts';

const SALES = 'sales-1.agents.example';
const DAY = 86_400_000;
const RIGHTS_SPEC: AgentSpec = {
  ...{ name: 'The rights office', description: 'under test', url: 'https://rights-1.agents.example/mcp' },
  ...{ type: 'rights', transport: { protocol: 'mcp', style: 'json' } },
};
const ACCOUNT = { brand: { domain: 'kayaks.example' }, operator: 'desk.example', sandbox: true };

// biome-ignore lint/suspicious/noExplicitAny: answers as a stranger reads them
type Any = any;

let sandboxes: Record<'adcp' | 'proto', Sandbox>;

beforeAll(async () => {
  const [adcp, proto] = await Promise.all(
    (['adcp', 'proto'] as const).map((vocabulary) =>
      startSandbox({ seed: 1, vocabulary, publishers: 1, managed: 0 }),
    ),
  );
  sandboxes = { adcp, proto } as typeof sandboxes;
});

afterAll(() => Promise.all(Object.values(sandboxes).map((sandbox) => sandbox.close())));

async function post(
  vocabulary: 'adcp' | 'proto',
  path: string,
  method: string,
  params: object,
): Promise<Any> {
  const { origin, buyers } = sandboxes[vocabulary];
  const response = await fetch(`${origin}/@${SALES}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${buyers.at(-1)?.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: unknown }).result;
}

/** What a task answers over either transport. */
async function answerOf(
  transport: 'mcp' | 'a2a',
  task: string,
  request: unknown,
  { vocabulary = 'adcp', form = 'parameters' }: { vocabulary?: 'adcp' | 'proto'; form?: string } = {},
): Promise<Any> {
  if (transport === 'mcp') {
    const call = { name: task, arguments: request };
    return (await post(vocabulary, '/mcp', 'tools/call', call)).structuredContent;
  }
  const data = { skill: task, [form]: request };
  const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'data', data }] };
  const sent = await post(vocabulary, '/a2a', 'message/send', { message });
  return sent.artifacts[0].parts.at(-1).data;
}

describe('an agent of the public vocabulary', () => {
  it.each(['mcp', 'a2a'] as const)(
    'refuses under adcp_error, with place and context, over %s',
    async (transport) => {
      const request = { media_buy_ids: ['mb_nothing'], context: { trace: 't' } };
      expect(await answerOf(transport, 'get_media_buy_delivery', request)).toMatchObject({
        adcp_error: { code: 'MEDIA_BUY_NOT_FOUND', field: 'media_buy_ids[0]', recovery: 'correctable' },
        context: { trace: 't' },
      });
    },
  );

  it.each(['mcp', 'a2a'] as const)(
    'reads a pre-release of its line and refuses another with the supported versions, over %s',
    async (transport) => {
      const brief = 'papers of the coast';
      const read = await answerOf(transport, 'get_products', { brief, adcp_version: '3.0-rc.1' });
      expect(read).toHaveProperty(['products', 0, 'product_id']);
      expect(await answerOf(transport, 'get_products', { brief, adcp_version: '3.1-beta' })).toMatchObject({
        adcp_error: {
          code: 'VERSION_UNSUPPORTED',
          field: 'adcp_version',
          details: { supported_versions: ['3.0.0'] },
        },
      });
    },
  );

  it.each([
    ['get_products', { adcp_version: '9.9' }, '/proto_version', 'adcp_version'],
    ['get_products', { proto_version: '9.9' }, '/proto_version', 'proto_version'],
    [
      'get_signals',
      { filters: { catalog_types: [1] } },
      '/filters/signal_types/0',
      'filters.catalog_types[0]',
    ],
    ['preview_creative', { creative_manifest: 7 }, '/creative', 'creative_manifest'],
    ['get_rights', {}, '/brand', 'buyer_brand'],
    ['create_media_buy', { packages: [{}] }, '/packages/0/budget', 'packages[0].budget'],
    ['no_task', null, '/__proto__/0', '__proto__[0]'],
  ])('names a place of %s as it was sent, or as it should be: %j', (task, request, pointer, field) => {
    const issues = [{ pointer, message: `${pointer} is wrong` }];
    const shown: Any = publicRefusal({ pointer, message: `${pointer} is wrong`, issues }, task, request);
    const place = shown.adcp_error.pointer;
    expect(shown.adcp_error).toMatchObject({
      field,
      message: `${place} is wrong`,
      issues: [{ pointer: place }],
    });
  });

  it('names what it has as its callers know it, where it does not have a task', async () => {
    const { adcp_error: error } = await answerOf('mcp', 'sell_everything', { context: { trace: 't' } });
    expect(error.suggestion).toMatch(/get_adcp_capabilities.*get_media_buys/);
    expect(error.suggestion).not.toContain('get_proto_capabilities');
  });

  it('says why a plan was not taken: beside the plans, which have no place for it', () => {
    const [code, pointer] = ['VALIDATION_ERROR', '/plans/0/budget/total'];
    const plans = [{ plan_id: 'p', action: 'failed', errors: [{ code, message: 'm', pointer }] }];
    expect(publicAnswer('sync_plans', { plans }, {}, {} as never)).toEqual({
      status: 'completed',
      plans: [{ plan_id: 'p', status: 'error', version: 0 }],
      errors: [{ code, message: 'm', pointer, field: 'plans[0].budget.total' }],
    });
  });

  it('repeats the context of what it answers, in its envelope', async () => {
    const answer = await answerOf('mcp', 'list_accounts', { context: { trace: 't' } });
    expect(answer).toMatchObject({ status: 'completed', context: { trace: 't' } });
  });

  it.each(['parameters', 'input'])('reads %s over A2A', async (form) => {
    const { products } = await answerOf('a2a', 'get_products', { brief: 'papers' }, { form });
    expect(products[0].pricing_options[0]).toMatchObject({ pricing_model: 'cpm', model: 'cpm' });
  });

  it.each(['/a2a/.well-known/agent-card.json', '/.well-known/agent-card.json'])(
    'has its card at %s',
    async (path) => {
      const card = await fetch(`${sandboxes.adcp.origin}/@${SALES}${path}`);
      expect(await card.json()).toMatchObject({
        url: expect.stringContaining('/a2a'),
        supportedInterfaces: [{}, {}],
      });
    },
  );

  it('keeps times with an offset in UTC, knows an account by its id, and a patch of its line', async () => {
    const accounts = [{ ...ACCOUNT, billing: 'operator' }];
    const synced = await answerOf('mcp', 'sync_accounts', {
      idempotency_key: 'accounts-of-kayaks-1',
      accounts,
    });
    const { products } = await answerOf('mcp', 'get_products', { buying_mode: 'wholesale' });
    const [start, end] = [Date.now() + 3 * DAY, Date.now() + 9 * DAY].map((time) =>
      new Date(time).toISOString(),
    );
    const order = {
      adcp_version: '3.0.6',
      idempotency_key: 'an-order-of-kayaks-1',
      account: { account_id: synced.accounts[0].account_id },
      start_time: `${new Date(Date.parse(start as string) + 7_200_000).toISOString().slice(0, -1)}+02:00`,
      end_time: end,
      packages: [
        {
          product_id: products[0].product_id,
          pricing_option_id: products[0].pricing_options[0].pricing_option_id,
          budget: 5_000,
        },
      ],
    };
    const bought = await answerOf('mcp', 'create_media_buy', order);
    expect(bought).toMatchObject({
      start_time: start,
      account: { status: 'active', operator: 'desk.example' },
    });
    const again = await answerOf('a2a', 'create_media_buy', order);
    expect(again).toMatchObject({ media_buy_id: bought.media_buy_id, replayed: true });
    const { media_buys: kept } = await answerOf('mcp', 'get_media_buys', {
      media_buy_ids: [bought.media_buy_id],
    });
    expect(kept).toMatchObject([{ total_budget: 5_000, currency: 'EUR' }]);
  });

  it('posts webhooks in the envelope of the task', () => {
    const sent: { payload: object }[] = [];
    const payload = {
      event: 'media_buy.status_changed',
      idempotency_key: 'mb.2',
      media_buy_id: 'mb',
      status: 'active',
      occurred_at: 'then',
    };
    publicWebhooks({ add: (one) => sent.push(one) }, RIGHTS_SPEC).add({
      url: 'https://b.example/hooks/op_7',
      payload,
    });
    expect(sent[0]?.payload).toMatchObject({
      ...{ operation_id: 'op_7', task_id: 'mb.2', task_type: 'create_media_buy', timestamp: 'then' },
      ...{ status: 'completed', result: { media_buy_id: 'mb', status: 'active' } },
    });
    const named = { ...payload, idempotency_key: 'mb.3', operation_id: 'its-own' };
    publicWebhooks({ add: (one) => sent.push(one) }, RIGHTS_SPEC).add({
      url: 'https://b.example/hooks/op_7',
      payload: named,
    });
    const account = { account_id: 'acc', ...ACCOUNT, status: 'pending_review' };
    const activation = { type: 'platform', platform: 'dsp', status: 'active', activation_key: 'key' };
    const terms = {
      period: { start: '2026-04-01T00:00:00.000Z', end: '2026-04-30T00:00:00.000Z' },
      price: { amount: 500, currency: 'EUR' },
    };
    const acquisition = { rights_id: 'voice-grandmother', acquisition_id: 'l', status: 'acquired', terms };
    for (const [event, about] of [
      ['account.status_changed', { account }],
      ['signal.activation_changed', { activation }],
      ['rights.acquisition_changed', { acquisition }],
    ] as const)
      publicWebhooks({ add: (one) => sent.push(one) }, RIGHTS_SPEC).add({
        url: 'https://b.example',
        payload: { event, ...about },
      });
    expect(sent.slice(2).map(({ payload }) => (payload as Any).result)).toMatchObject([
      { accounts: [{ account_id: 'acc', status: 'pending_approval', setup: {} }] },
      { deployments: [{ platform: 'dsp', is_live: true, activation_key: { segment_id: 'key' } }] },
      // as `acquire_rights` answers: brand/acquire-rights-response.json wants these
      {
        ...{ rights_id: 'voice-grandmother', status: 'acquired', brand_id: 'the_rights_office' },
        terms: {
          pricing_option_id: expect.any(String),
          amount: 500,
          start_date: '2026-04-01',
          uses: ['voice', 'commercial'],
        },
        ...{
          generation_credentials: [],
          rights_constraint: { rights_id: 'voice-grandmother', valid_until: terms.period.end },
        },
      },
    ]);
    // `authentication` is a switch, which its clients set by themselves: it goes with the webhook
    const authentication = { schemes: ['HMAC-SHA256'], credentials: 'x'.repeat(32) } as const;
    const switched = { url: 'https://b.example', authentication };
    const { facts } = { facts: { vocabulary: 'adcp', publisherDomains: [], metrics: [] } } as const;
    publicWebhooks({ add: (one) => sent.push(one) }, RIGHTS_SPEC).add({
      ...postsTo(switched, { facts }),
      payload,
    });
    expect(sent.pop()).toMatchObject(switched);
    // the field's receivers take one outcome of a task, and refuse another
    expect(sent[1]?.payload).toMatchObject({ operation_id: 'its-own', task_id: 'mb.3' });
  });
});

describe('a request that is none', () => {
  const CASES = (['mcp', 'a2a'] as const).flatMap((transport) =>
    [[1], 'text', 7, null].map((request) => [transport, request] as const),
  );

  it.each(CASES)('over %s is refused in one form: %j', async (transport, request) => {
    const wrong = { code: 'INVALID_REQUEST', message: 'the request must be an object' };
    const proto = await answerOf(transport, 'list_accounts', request, { vocabulary: 'proto', form: 'input' });
    expect(proto).toMatchObject(wrong);
    expect(await answerOf(transport, 'list_accounts', request)).toMatchObject({ adcp_error: wrong });
  });
});
