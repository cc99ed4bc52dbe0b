import { describe, expect, it } from 'vitest';
import { domainsNear } from '../../src/api/domains-near.ts';

/** Domains in their order, as both stores read them. */
function known(domains: readonly string[]) {
  const sorted = domains.toSorted();
  const after = (begin: string, limit: number) => sorted.filter((one) => one > begin).slice(0, limit);
  return {
    graph: {
      publishers: async (begin: string, limit: number) => after(begin, limit).map((domain) => ({ domain })),
    },
    brands: { domains: async (page: { after: string; limit: number }) => after(page.after, page.limit) },
  } as unknown as Parameters<typeof domainsNear>[0];
}

const MANY = Array.from({ length: 2_000 }, (_, n) => `canal-${String(n).padStart(4, '0')}.example`);

describe('the domains near one that nobody knows', () => {
  it.each([
    ['its end is mistyped', 'candlewick-courir.example'],
    ['its middle is mistyped', 'candlewik-courier.example'],
    ['its beginning is mistyped', 'candelwick-courier.example'],
    ['it has a www', 'www.candlewick-courier.example'],
    ['it is an address', 'https://candlewick-courier.example/about'],
  ])('are found among many of the same first letters where %s', async (_, asked) => {
    const records = known([...MANY, 'candlewick-courier.example', 'candlewick-fm.example']);
    for (const kind of ['publishers', 'brands'] as const)
      expect((await domainsNear(records, kind, asked))[0]).toBe(
        asked.startsWith('https') ? 'candlewick-fm.example' : 'candlewick-courier.example',
      );
  });
});
