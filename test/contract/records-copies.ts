import { describe, expect, it } from 'vitest';
import type { CopiedContent, CopiedPublisher } from '../../src/records/agents/copies.ts';
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
        content: {
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
        },
      });
      expect(await copies.publishersBehind('b.example')).toEqual([read[1]]);
      expect(await copies.publishersBehind('news.example')).toEqual([]);
      const { content, ...head } = read[1] as CopiedPublisher;
      expect([await copies.publisher('news.example'), await copies.publisher('c.example')]).toEqual([
        head,
        undefined,
      ]);
      expect(joined(await allOf(copies.contentOf('news.example')))).toEqual(content);
      expect(await copies.count()).toEqual({ publishers: 2, entries: 3 });
    });

    it('leave the content of a long file to be read in pieces, each with a bound', async () => {
      const { copies } = world().records;
      const ids = Array.from({ length: 3_000 }, (_, n) => `p${n}-${'x'.repeat(200)}`);
      const file = { authorized_agents: ids.map((id) => entry([id], { countries: ['DE'] })) };
      await publish(world().records, 'news.example', file);
      const [read] = await copies.publishersBehind('');
      expect(read).toMatchObject({ publisher: 'news.example', url: expect.any(String) });
      expect(read).not.toHaveProperty('content');
      const pieces = await allOf(copies.contentOf('news.example'));
      expect(pieces.length).toBeGreaterThan(2);
      for (const piece of pieces) expect(JSON.stringify(piece).length).toBeLessThan(512 * 1024);
      const { entries, properties } = joined(pieces);
      expect(entries.map(({ covers }) => covers)).toEqual(ids.map((id) => ({ ids: `\n${id}\n` })));
      expect(properties).toEqual([]);
    });
  });
}

function joined(pieces: readonly CopiedContent[]): CopiedContent {
  return {
    properties: pieces.flatMap(({ properties }) => properties),
    entries: pieces.flatMap(({ entries }) => entries),
  };
}

async function allOf<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
