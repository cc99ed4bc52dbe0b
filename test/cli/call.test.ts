import { describe, expect, it } from 'vitest';
import { serve } from '../calling/support/serve.ts';
import { shopOverA2a, shopOverMcp, TRANSPORTS } from '../calling/support/shop.ts';
import { run } from './support/cli.ts';
import { BRIEF, BUY, call, fileOf, open, sampleShop } from './support/sample-shop.ts';

describe.each(TRANSPORTS)('agent-registry call over $name', ({ name, protocol }) => {
  it('sends the fields of the command line and prints the answer', async () => {
    const { shop, seen } = sampleShop();
    const called = await call(0, await open(shop, name), 'get_products', ...BRIEF);
    expect(called).toMatchObject({ outcome: 'answered', protocol, task: 'get_products', issues: [] });
    expect(called.data).toMatchObject({ products: [{ product_id: 'evening-video' }] });
    expect(seen).toEqual([
      {
        task: 'get_products',
        input: { buying_mode: 'brief', brief: 'coffee in Ghent', brand: { domain: 'acme.example' } },
      },
    ]);
  });

  it('prints a refusal the same as over every other', async () => {
    const url = await open(sampleShop().shop, name);
    const ran = await run('call', url, 'create_media_buy', '--json', fileOf(BUY));
    expect(ran.code).toBe(1);
    expect(ran.stdout.split('\n').slice(1)).toEqual([
      '  PRODUCT_NOT_FOUND: is not the id of a product here',
      '  at /packages/0/product_id',
      '  correctable: correct the request and try again',
      '  retry after 30 s',
      '  suggestion: take one that get_products gives',
      '',
    ]);
  });
});

describe('the protocol', () => {
  it('may be chosen: the card is found at the origin of an MCP URL', async () => {
    const { shop } = sampleShop();
    const [overMcp, overA2a] = [shopOverMcp(shop), shopOverA2a(shop)];
    const origin = await serve((request, response) => {
      const isMcp = request.url === '/mcp';
      if (isMcp) request.url = '/';
      void (isMcp ? overMcp : overA2a)(request, response);
    });
    for (const protocol of ['mcp', 'a2a']) {
      const called = await call(0, `${origin}/mcp`, 'get_products', ...BRIEF, '--protocol', protocol);
      expect(called).toMatchObject({ protocol });
    }
  });
});
