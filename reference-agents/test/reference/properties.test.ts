import { describe, expect, it } from 'vitest';
import { ANONYMOUS } from '../../src/reference/handler.ts';
import { PUBLISHERS, seller } from './products-support.ts';

describe('list_authorized_properties', () => {
  it('names the publishers, page by page', async () => {
    const agent = seller();
    const first = await agent.call('list_authorized_properties', { pagination: { max_results: 3 } });
    const { cursor } = first.pagination;
    const second = await agent.call('list_authorized_properties', { pagination: { cursor } }, ANONYMOUS);
    expect([...first.publisher_domains, ...second.publisher_domains]).toEqual(PUBLISHERS);
    expect(first.primary_channels.length).toBeGreaterThan(2);
  });

  it.each([
    [{ tags: ['food'] }, ['gulltown-kitchen-table.example']],
    [{ tags: ['local'] }, ['larkhaven-courier.example', 'osterby-fm.example']],
    [{ tags: ['beekeeping'] }, ['beekeeping-00020.example']],
    [{ tags: ['__proto__'] }, []],
    [{ publisher_domains: ['Osterby-FM.example', 'nobody.example'] }, ['osterby-fm.example']],
    [{ publisher_domains: ['osterby-fm.example'], tags: ['food'] }, []],
  ])('%j', async (request, expected) => {
    expect((await seller().call('list_authorized_properties', request)).publisher_domains).toEqual(expected);
  });
});
