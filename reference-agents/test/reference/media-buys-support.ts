import type { Caller } from '../../src/reference/handler.ts';
import {
  accountHandlers,
  audienceHandlers,
  creativeLibraryHandlers,
  mediaBuyHandlers,
} from '../../src/reference/handlers.ts';
import type { StoredMediaBuy, StoredPackage } from '../../src/reference/media-buys/stored.ts';
import { controllerHandlers } from '../../src/reference/test-controller/comply-test-controller.ts';
import {
  type AgentUnderTest,
  type AgentUnderTestOptions,
  type Answer,
  BUYER,
  freshKey,
  startAgent,
} from './support.ts';

export const SELLER = 'https://sales-1.agents.example/mcp';
export const DAY_MS = 86_400_000;

/** Noon on the day before the flight of `aBuy` starts is -0.5, its middle is 5. */
export const START = Date.parse('2026-03-10T00:00:00Z');

/** A package with one approved creative, 1,000 euros for ten days at 10 euros for a thousand impressions. */
export function aPackage(parts: Partial<StoredPackage> = {}): StoredPackage {
  return {
    packageId: 'pkg-1',
    productId: 'front-page',
    pricingOptionId: 'cpm',
    price: { model: 'cpm', price: 10 },
    minSpend: 0,
    rates: { click: 0.002, completion: 0 },
    budget: 100_000,
    paused: false,
    canceled: false,
    assignments: [{ creativeId: 'cr-1', approved: true }],
    formats: [],
    audienceIds: [],
    segmentIds: [],
    pace: 1,
    segments: [],
    extras: [],
    ...parts,
  };
}

/** A media buy of ten days that waits for its start. */
export function aBuy(parts: Partial<StoredMediaBuy> = {}): StoredMediaBuy {
  return {
    mediaBuyId: 'mb-1',
    accountId: 'acc-1',
    account: { brand: { domain: 'acme.example' }, operator: 'agency.example' },
    brand: { domain: 'acme.example' },
    currency: 'EUR',
    status: 'pending_start',
    statusSince: START - 2 * DAY_MS,
    paused: false,
    startsAt: START,
    endsAt: START + 10 * DAY_MS,
    packages: [aPackage()],
    revision: 1,
    createdAt: START - 2 * DAY_MS,
    updatedAt: START - 2 * DAY_MS,
    sequence: 0,
    ...parts,
  };
}

/** The creative that a display product of the tests takes; it is approved at once. */
export function aCreative(id = 'banner-1', parts: object = {}) {
  return {
    creative_id: id,
    name: 'Spring',
    format_id: { agent_url: SELLER, id: 'display_300x250' },
    assets: {
      image: {
        asset_type: 'image',
        url: 'https://cdn.example/spring.png',
        width: 300,
        height: 250,
        mime_type: 'image/png',
        file_size_bytes: 40_000,
      },
      landing_page: { asset_type: 'url', url: 'https://acme.example/spring' },
    },
    ...parts,
  };
}

/** The products that the tests of this folder buy; `front-page` wants pictures, `film` clips, `poem` only a brief. */
const PRODUCTS = [
  {
    product_id: 'front-page',
    pricing_options: [
      { pricing_option_id: 'cpm', model: 'cpm', price: 10, currency: 'EUR', min_spend: 100 },
      { pricing_option_id: 'cpm-gbp', model: 'cpm', price: 9, currency: 'GBP' },
    ],
    format_ids: [{ agent_url: SELLER, id: 'display_300x250' }],
  },
  {
    product_id: 'film',
    pricing_options: [{ pricing_option_id: 'cpcv', model: 'cpcv', price: 0.05, currency: 'EUR' }],
    format_ids: [{ agent_url: SELLER, id: 'video_16x9_15s' }],
    channels: ['olv'],
  },
  {
    product_id: 'poem',
    pricing_options: [{ pricing_option_id: 'flat', model: 'flat_rate', price: 500, currency: 'EUR' }],
    format_ids: [{ agent_url: SELLER, id: 'display_300x250' }],
    generative: true,
  },
];

export const HANDLERS = {
  ...accountHandlers,
  ...audienceHandlers,
  ...creativeLibraryHandlers,
  ...mediaBuyHandlers,
  ...controllerHandlers,
};

/** A seller where the buyers of the tests have an account, and the products above. */
export async function startSeller(
  options: Partial<AgentUnderTestOptions> = {},
  buyers: readonly Caller[] = [BUYER],
) {
  const seller = startAgent({ type: 'sales', handlers: HANDLERS, ...options });
  for (const buyer of buyers) {
    await seller.call('sync_accounts', { idempotency_key: freshKey(), accounts: [accountOf(buyer)] }, buyer);
    for (const product of PRODUCTS) await control(seller, 'seed_product', { product }, buyer);
  }
  return seller;
}

export function accountOf(buyer: Caller = BUYER) {
  return { brand: { domain: 'acme.example' }, operator: buyer.operator as string };
}

/** Carries out a scenario of the test controller; the whole answer. */
export function control(
  seller: AgentUnderTest,
  scenario: string,
  params: object = {},
  buyer: Caller = BUYER,
): Promise<Answer> {
  return seller.call('comply_test_controller', { scenario, params, account: accountOf(buyer) }, buyer);
}

/** An order of one package with its creative, from 10 to 20 March, that waits for its start. */
export function anOrder(parts: object = {}, buyer: Caller = BUYER) {
  return {
    idempotency_key: freshKey(),
    account: accountOf(buyer),
    brand: { domain: 'acme.example' },
    start_time: '2026-03-10T00:00:00Z',
    end_time: '2026-03-20T00:00:00Z',
    packages: [aLine()],
    ...parts,
  };
}

/** A line of an order: 1,000 euros on the front page. */
export function aLine(parts: object = {}) {
  return {
    product_id: 'front-page',
    budget: 1_000,
    pricing_option_id: 'cpm',
    creatives: [aCreative()],
    ...parts,
  };
}

/** A clip, which somebody reviews for half a minute before it runs. */
export function aClip(id = 'clip-1') {
  return {
    creative_id: id,
    name: 'Steam and rain',
    format_id: { agent_url: SELLER, id: 'video_16x9_15s' },
    assets: {
      video: {
        asset_type: 'video',
        url: 'https://cdn.example/steam.mp4',
        width: 1920,
        height: 1080,
        duration_ms: 15_000,
        codec: 'h264',
        mime_type: 'video/mp4',
        file_size_bytes: 4_000_000,
      },
      landing_page: { asset_type: 'url', url: 'https://acme.example/spring' },
    },
  };
}
