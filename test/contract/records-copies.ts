import { describe, expect, it } from 'vitest';
import { HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { publish } from './records-steps.ts';

const AGENT = 'https://sales.example/mcp';
const entry = (ids: readonly string[], more: object = {}): object => ({
  url: AGENT,
  authorized_for: 'x',
  authorization_type: 'property_ids',
  property_ids: ids,
  ...more,
});
const home = {
  property_id: 'home',
  property_type: 'website',
  name: 'Home',
  identifiers: [{ type: 'domain', value: 'news.example' }],
};

/** What a copy of the directory is made of. */
export function describeCopies(world: () => RecordsWorld): void {
  describe('what copies are made of', () => {
    it('are the publishers whose file counts, in order, each with all that its live rows say', async () => {
      const { copies } = world().records;
      const limits = { countries: ['DE'] };
      const file = { authorized_agents: [entry(['home'], limits), entry(['gone'])], properties: [home] };
      await publish(world().records, 'news.example', file);
      await publish(world().records, 'b.example', { authorized_agents: [entry(['home'])] });
      await publish(world().records, 'news.example', { ...file, properties: [] }, NOW + 24 * HOUR);
      await publish(world().records, 'news.example', file, NOW + 48 * HOUR);
      const read = await copies.publishersBehind('');
      expect(read.map(({ publisher }) => publisher)).toEqual(['b.example', 'news.example']);
      expect(read[1]).toEqual({
        publisher: 'news.example',
        url: 'https://news.example/.well-known/adagents.json',
        source: {
          ...{ failures: 0, firstSeenAt: NOW, lastVisitAt: NOW + 48 * HOUR, lastSuccessAt: NOW + 48 * HOUR },
          nextVisitAt: expect.any(Number),
        },
        properties: [
          {
            ...{ propertyId: 'home', propertyType: 'website', name: 'Home', tags: [] },
            identifiers: home.identifiers,
          },
        ],
        // the first began anew with its property
        entries: [
          { agent: AGENT, entry: '/authorized_agents/1', covers: { ids: '\ngone\n' } },
          { agent: AGENT, entry: '/authorized_agents/0', covers: { ids: '\nhome\n' }, limits },
        ],
      });
      expect(await copies.publishersBehind('b.example')).toEqual([read[1]]);
      expect(await copies.publishersBehind('news.example')).toEqual([]);
      expect([await copies.publisher('news.example'), await copies.publisher('c.example')]).toEqual([
        read[1],
        undefined,
      ]);
      expect(await copies.count()).toEqual({ publishers: 2, entries: 3 });
    });
  });
}
