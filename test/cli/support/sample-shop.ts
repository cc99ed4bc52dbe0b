import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { serve } from '../../calling/support/serve.ts';
import { type Shop, TRANSPORTS } from '../../calling/support/shop.ts';
import { run, tempFolder } from './cli.ts';
import { follows } from './schemas.ts';

const PRODUCTS = {
  products: [
    {
      product_id: 'evening-video',
      name: 'Evening video',
      channels: ['olv'],
      pricing_options: [{ pricing_option_id: 'cpm-1', model: 'cpm', price: 14, currency: 'EUR' }],
      forecast: { impressions: { min: 20_000, max: 90_000 } },
      format_ids: [{ agent_url: 'https://creative.example/mcp', id: 'video_16x9_15s' }],
    },
  ],
};

const ERROR = {
  code: 'PRODUCT_NOT_FOUND',
  message: '/packages/0/product_id is not the id of a product here',
  pointer: '/packages/0/product_id',
  recovery: 'correctable',
  suggestion: 'take one that get_products gives',
  retry_after: 30,
};

/** Sells one product, refuses every purchase, and keeps the requests that came. */
export function sampleShop(): { readonly shop: Shop; readonly seen: { task: string; input: unknown }[] } {
  const seen: { task: string; input: unknown }[] = [];
  const shop: Shop = (task, input) => {
    seen.push({ task, input });
    if (task === 'create_media_buy') return { error: ERROR };
    return { data: task === 'get_products' ? PRODUCTS : { adcp: {}, any: input } };
  };
  return { shop, seen };
}

/** Serves a shop over one of the transports, by its name; resolves to its URL. */
export async function open(shop: Shop, name = 'mcp, json'): Promise<string> {
  const transport = TRANSPORTS.find((one) => one.name === name);
  if (transport === undefined) throw new Error(`there is no transport ${name}`);
  return `${await serve(transport.listen(shop))}${transport.path}`;
}

/** The fields of a request that follows its schema. */
export const BRIEF = ['buying_mode=brief', 'brief=coffee in Ghent', 'brand.domain=acme.example'] as const;

/** A purchase that follows its schema. */
export const BUY = {
  idempotency_key: 'k-1',
  account: { brand: { domain: 'acme.example' }, operator: 'agency.example' },
  brand: { domain: 'acme.example' },
  start_time: '2027-03-01T00:00:00Z',
  end_time: '2027-04-01T00:00:00Z',
  packages: [{ product_id: 'none', budget: 5_000, pricing_option_id: 'cpm-1' }],
};

/** A file with this JSON, for as long as the test runs. */
export function fileOf(value: unknown): string {
  const file = join(tempFolder(), 'request.json');
  writeFileSync(file, JSON.stringify(value));
  return file;
}

/** Calls with JSON as the output, which is held against its schema, as the exit code is against what is expected. */
export async function call(code: number, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const ran = await run('call', ...args, '--format', 'json');
  expect(ran.code, ran.stderr).toBe(code);
  return follows<Record<string, unknown>>(ran.stdout, 'cli/call.json');
}
