// A small seller with the field's JavaScript server, as its own words give it: MCP on one port, A2A on another. Both are
// free ones; the line that it writes when it listens says which.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createIdempotencyStore, memoryBackend } from '@adcp/sdk/server';
import { createA2AAdapter, createAdcpServer, serve } from '@adcp/sdk/server/legacy/v5';
import express from 'express';

for (const name of ['log', 'info', 'warn', 'error', 'debug']) console[name] = () => {};

const products = [
  {
    product_id: 'front-page',
    name: 'Front page',
    description: 'Banners on the front page',
    publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
    format_ids: [{ agent_url: 'https://creative.example/mcp', id: 'display_300x250' }],
    channels: ['display'],
    delivery_type: 'guaranteed',
    pricing_options: [
      { pricing_option_id: 'cpm-usd', pricing_model: 'cpm', fixed_price: 12, currency: 'USD' },
    ],
    reporting_capabilities: {
      available_reporting_frequencies: ['daily'],
      expected_delay_minutes: 60,
      timezone: 'UTC',
      supports_webhooks: false,
      available_metrics: ['impressions'],
      date_range_support: 'date_range',
    },
  },
];

const idempotency = createIdempotencyStore({ backend: memoryBackend(), ttlSeconds: 86_400 });
const create = () =>
  createAdcpServer({
    name: 'small seller',
    version: '1.0.0',
    idempotency,
    resolveSessionKey: () => 'peers',
    mediaBuy: {
      getProducts: async () => ({ products, cache_scope: 'public' }),
      createMediaBuy: async () => ({
        errors: [{ code: 'PRODUCT_NOT_FOUND', message: 'there is no such product', recovery: 'correctable' }],
      }),
    },
  });

const portOf = async (server) => {
  if (!server.listening) await once(server, 'listening');
  return server.address().port;
};

const mcp = await portOf(serve(create, { port: 0 }));
const app = express();
const a2a = await portOf(createServer(app).listen(0, '127.0.0.1'));
createA2AAdapter({
  server: create(),
  agentCard: {
    name: 'small seller',
    description: 'A seller of the field',
    url: `http://127.0.0.1:${a2a}/a2a`,
    version: '1.0.0',
    provider: { organization: 'Small', url: 'https://small.example' },
  },
}).mount(app);
process.stdout.write(`${JSON.stringify({ mcp, a2a })}\n`);
