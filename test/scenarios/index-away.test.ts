import { describe, expect, it } from 'vitest';
import { RegistryError } from '../../src/errors.ts';
import { ADAGENTS } from './support/web.ts';
import { adagents, openWorld } from './support/world.ts';

const AGENT = 'https://sales.agents.example/mcp';
const AWAY = new RegistryError('index_unavailable', 'no answer');

describe('a crawl while the index is away', () => {
  it.each(['list', 'write'] as const)(
    'goes on to its end when %s fails, and the index catches up later',
    async (call) => {
      const world = await openWorld({ 'news.example': { [ADAGENTS]: adagents('news.example', AGENT) } });
      const { generations } = world.store.index;
      const healthy = generations[call];
      Object.assign(generations, { [call]: () => Promise.reject(AWAY) });
      const tally = await world.crawl(['news.example']);
      expect([tally.failedDomains, tally.newAgents]).toEqual([0, 1]);
      expect(await world.document(AGENT)).toMatchObject({ url: AGENT }); // stitched without it
      expect(await world.listed()).toEqual([]);
      Object.assign(generations, { [call]: healthy });
      await world.derive();
      expect(await world.listed()).toEqual([AGENT]);
    },
  );
});
