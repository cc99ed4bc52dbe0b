import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { GetProductsRequest, TaskRequests } from '../../src/protocol/generated/types.ts';
import { protocolTypes } from '../../tools/protocol-types.ts';

const FILE = new URL('../../src/protocol/generated/types.ts', import.meta.url);

it('the types are those of the schemas; if not, run tools/generate-protocol-types.ts', async () => {
  expect(await protocolTypes('3.0.0')).toBe(readFileSync(FILE, 'utf8'));
});

it('the types name what the schemas name, and are readonly', () => {
  const request: TaskRequests['get_products'] = {
    buying_mode: 'brief',
    brief: 'tea',
    brand: { domain: 'acme.example' },
  };
  const same: GetProductsRequest = request;
  // @ts-expect-error: what came over the wire is not changed in place
  const change = () => (same.brief = 'coffee');
  expect(typeof change).toBe('function');
});
