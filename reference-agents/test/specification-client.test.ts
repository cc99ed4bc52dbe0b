import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../src/sandbox.ts';
import { startSandbox } from '../src/start-sandbox.ts';
import { directUrl } from '../src/web/direct.ts';
import { freshKey } from './reference/support.ts';

// A client that knows nothing but the fields of the specification, 4.3, over real servers. Where the specification
// leaves something open (how a plan comes to be), it is given beforehand.

const SALES = 'https://sales-1.agents.example/mcp';
const OTHER_SALES = 'https://sales-2.agents.example/mcp';
const CREATIVE = 'https://creative-1.agents.example/mcp';
const SIGNALS = 'https://signals-1.agents.example/mcp';
const GOVERNANCE = 'https://governance-1.agents.example/mcp';
const BRAND = 'https://brand-1.agents.example/mcp';
const ALL = [SALES, CREATIVE, SIGNALS, GOVERNANCE, BRAND];
const BUYER = 'https://buyer-1.agents.example/mcp';
const DAY_MS = 86_400_000;

const brand = { domain: 'tidewater-kayaks.example' };
const account = { brand, operator: 'tidewater-group.example' };

let sandbox: Sandbox;
const clients = new Map<string, Client>();

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, publishers: 5, managed: 0, vocabulary: 'proto' });
});

afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await sandbox.close();
});

async function clientOf(url: string): Promise<Client> {
  const open = clients.get(url);
  if (open !== undefined) return open;
  const client = new Client({ name: 'specification', version: '1.0.0' });
  const requestInit = { headers: { authorization: 'Bearer sandbox-tidewater' } };
  const transport = new StreamableHTTPClientTransport(new URL(directUrl(sandbox.origin, url)), {
    requestInit,
  });
  await client.connect(transport as Transport);
  clients.set(url, client);
  return client;
}

// biome-ignore lint/suspicious/noExplicitAny: the tests say themselves what they expect in answers
type Answer = any;

async function ask(url: string, task: string, request: object): Promise<{ refused: boolean; data: Answer }> {
  const answer = await (await clientOf(url)).callTool({ name: task, arguments: { ...request } });
  return { refused: answer.isError === true, data: answer.structuredContent };
}

async function done(url: string, task: string, request: object): Promise<Answer> {
  const { refused, data } = await ask(url, task, request);
  expect(refused, `${task}: ${JSON.stringify(data)}`).toBe(false);
  return data;
}

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

describe('a client that knows nothing but the fields of the specification', () => {
  // biome-ignore lint/suspicious/noExplicitAny: as above
  let product: any;
  let priced: string;
  let order: object;
  let approval: string;
  let mediaBuyId: string;

  it.each(ALL)('reads the capabilities of %s', async (url) => {
    expect(await done(url, 'get_proto_capabilities', {})).toMatchObject({ proto: {} });
  });

  it('opens an account and sees it', async () => {
    const accounts = [{ ...account, billing: 'operator' }];
    const opened = await done(SALES, 'sync_accounts', { idempotency_key: freshKey(), accounts });
    expect(opened.accounts).toMatchObject([{ status: 'active' }]);
    expect((await done(SALES, 'list_accounts', {})).accounts).toMatchObject([{ status: 'active', brand }]);
  });

  it('finds products by a brief and refines them', async () => {
    const found = await done(SALES, 'get_products', {
      buying_mode: 'brief',
      brief: 'display in local papers of the coast',
      brand,
    });
    [product] = found.products;
    expect(product).toMatchObject({
      product_id: expect.any(String),
      name: expect.any(String),
      channels: [expect.any(String)],
      pricing_options: expect.arrayContaining([
        expect.objectContaining({
          model: expect.any(String),
          price: expect.any(Number),
          currency: expect.any(String),
        }),
      ]),
      forecast: { impressions: { min: expect.any(Number), max: expect.any(Number) } },
    });
    expect(product.format_ids[0]).toEqual({ agent_url: expect.any(String), id: expect.any(String) });
    const refined = await done(SALES, 'get_products', {
      buying_mode: 'refine',
      brand,
      refine: [
        { scope: 'product', product_id: product.product_id, action: 'more_like_this' },
        { scope: 'request', ask: 'nothing below the fold' },
      ],
    });
    expect(refined.products.length).toBeGreaterThan(0);
    const [opened] = (await done(SALES, 'list_accounts', {})).accounts;
    const option = product.pricing_options.find(({ currency }: Answer) => currency === opened.currency);
    priced = option.pricing_option_id;
  });

  it('learns formats, has a creative built, and brings its own', async () => {
    const { formats } = await done(CREATIVE, 'list_creative_formats', { type: 'video' });
    expect(formats.length).toBeGreaterThan(0);
    const built = await done(CREATIVE, 'build_creative', {
      idempotency_key: freshKey(),
      message: 'a calm banner for kayaks',
      brand,
      target_format_ids: product.format_ids.slice(0, 1),
    });
    const { assets, format_id } = built.creative_manifests[0];
    const creatives = [{ creative_id: 'kayaks', name: 'Kayaks', format_id, assets }];
    const synced = await done(SALES, 'sync_creatives', { idempotency_key: freshKey(), account, creatives });
    expect(synced.creatives).toMatchObject([{ creative_id: 'kayaks' }]);
  });

  it('has an order approved with plan_id, caller, tool and payload, for the only seller of its operator', async () => {
    // how a plan comes to be is not shown by the specification
    const plan = { plan_id: 'walk', budget: { total: 1_000_000, currency: 'EUR' } };
    await done(GOVERNANCE, 'sync_plans', { idempotency_key: freshKey(), plans: [plan] });
    const { min_spend: budget = 1_000 } =
      product.pricing_options.find(({ pricing_option_id: id }: Answer) => id === priced) ?? {};
    order = {
      idempotency_key: freshKey(),
      account,
      brand,
      start_time: inDays(1),
      end_time: inDays(8),
      packages: [{ product_id: product.product_id, budget, pricing_option_id: priced }],
    };
    const request = { plan_id: 'walk', caller: BUYER, tool: 'create_media_buy' };
    const check = await done(GOVERNANCE, 'check_governance', { ...request, payload: order });
    expect(check.decision).toBe('approved');
    approval = check.governance_approval;
  });

  it('buys with it; asked again with the same key the answer is the same, replayed', async () => {
    const wanted = { ...order, governance_approval: approval };
    const bought = await done(SALES, 'create_media_buy', wanted);
    mediaBuyId = bought.media_buy_id;
    expect(bought.notifications).toMatchObject({
      url: 'https://buyer-1.agents.example/webhooks/sales-1.agents.example',
      from: 'registration',
    });
    expect(await done(SALES, 'create_media_buy', wanted)).toMatchObject({
      media_buy_id: mediaBuyId,
      replayed: true,
    });
  });

  it('is told the candidates when its operator has several sellers', async () => {
    const accounts = [{ ...account, billing: 'operator' }];
    await done(OTHER_SALES, 'sync_accounts', { idempotency_key: freshKey(), accounts });
    const request = { plan_id: 'walk', caller: BUYER, tool: 'create_media_buy', payload: order };
    const { refused, data } = await ask(GOVERNANCE, 'check_governance', request);
    expect(refused).toBe(true);
    expect(JSON.stringify(data)).toContain(`${SALES}, ${OTHER_SALES}`);
  });

  it('is told when an approval that travels with a check is broken', async () => {
    const request = {
      plan_id: 'walk',
      caller: BUYER,
      tool: 'update_media_buy',
      payload: { media_buy_id: mediaBuyId },
    };
    const whole = await ask(GOVERNANCE, 'check_governance', { ...request, governance_approval: approval });
    expect(whole.refused).toBe(false);
    const [head, claims, signature = ''] = approval.split('.');
    const forged = [head, claims, signature.replace(/^./, (sign) => (sign === 'A' ? 'B' : 'A'))].join('.');
    for (const broken of [forged, 'not.a.token', '']) {
      const { refused, data } = await ask(GOVERNANCE, 'check_governance', {
        ...request,
        governance_approval: broken,
      });
      expect(refused).toBe(true);
      expect(JSON.stringify(data)).toContain('APPROVAL_INVALID');
    }
  });

  it('changes the order, and sees delivery, the log and the brand', async () => {
    const moved = { idempotency_key: freshKey(), media_buy_id: mediaBuyId, end_time: inDays(7) };
    await done(SALES, 'update_media_buy', moved);
    const delivery = await done(SALES, 'get_media_buy_delivery', { media_buy_ids: [mediaBuyId] });
    expect(delivery).toMatchObject({
      impressions: expect.any(Number),
      clicks: expect.any(Number),
      spend: { amount: expect.any(Number), currency: 'EUR' },
      by_package: [{ product_id: product.product_id, impressions: expect.any(Number) }],
    });
    const { entries } = await done(GOVERNANCE, 'get_plan_audit_logs', { plan_id: 'walk' });
    expect(entries[0]).toMatchObject({
      timestamp: expect.any(String),
      actor: expect.any(String),
      action: 'submit_plan',
      details: {},
    });
    expect(await done(BRAND, 'get_brand_identity', { brand })).toMatchObject({
      colors: {},
      logos: expect.any(Array),
    });
  });

  it('sends audiences, events, feedback and catalogues', async () => {
    const key = () => ({ idempotency_key: freshKey() });
    const audiences = [{ audience_id: 'owners', name: 'Owners', audience_type: 'suppression' }];
    await done(SALES, 'sync_audiences', { ...key(), account, audiences });
    await done(SALES, 'log_event', {
      ...key(),
      event_source_id: 'shop',
      events: [
        {
          event_id: 'e-1',
          event_type: 'purchase',
          event_time: new Date().toISOString(),
          action_source: 'website',
          custom_data: { value: 49.5, currency: 'EUR' },
        },
      ],
    });
    const feedback = await ask(SALES, 'provide_performance_feedback', {
      ...key(),
      media_buy_id: mediaBuyId,
      measurement_period: { start: inDays(-1), end: inDays(0) },
      performance_index: 1.2,
    });
    // the request is understood; nothing has run yet that could be measured
    expect(JSON.stringify(feedback.data)).toContain('no delivery to measure');
    const catalogs = [
      {
        catalog_id: 'kayaks',
        name: 'Kayaks',
        type: 'product',
        url: 'https://tidewater-kayaks.example/feed.xml',
        feed_format: 'google_merchant_center',
        update_frequency: 'daily',
      },
    ];
    await done(SALES, 'sync_catalogs', { ...key(), account, catalogs });
  });

  it('finds a segment and activates it, billed to its only active account', async () => {
    const { signals } = await done(SIGNALS, 'get_signals', { signal_spec: 'tea and cocoa drinkers' });
    const wanted = () => ({
      idempotency_key: freshKey(),
      signal_agent_segment_id: signals[0].signal_agent_segment_id,
      destinations: [{ type: 'platform', platform: 'northlight-dsp.example' }],
    });
    const without = await ask(SIGNALS, 'activate_signal', wanted());
    expect(without.refused).toBe(true);
    const open = (domain: string) =>
      done(SIGNALS, 'sync_accounts', {
        idempotency_key: freshKey(),
        accounts: [{ brand: { domain }, operator: account.operator, billing: 'operator' }],
      });
    await open(brand.domain);
    const { activations } = await done(SIGNALS, 'activate_signal', wanted());
    expect(activations).toMatchObject([{ status: expect.stringMatching(/pending|active/) }]);
    await open('tidewater-sails.example');
    const several = await ask(SIGNALS, 'activate_signal', wanted());
    expect(JSON.stringify(several.data)).toContain('several active accounts');
  });
});
