import { describe, expect, it } from 'vitest';
import { ADAGENTS } from './support/web.ts';
import { adagents, openWorld } from './support/world.ts';

const flood = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://victim.example/${index}`);

describe('one file with 50,000 agents on somebody else’s domain', () => {
  it('brings in 500, says so, and its neighbours are unharmed', async () => {
    const world = await openWorld(
      {
        'flood.example': { [ADAGENTS]: adagents('flood.example', ...flood(50_000)) },
        'news.example': { [ADAGENTS]: adagents('news.example', 'https://sales.nova.example/mcp') },
      },
      { probesPerHour: 1 },
    );
    const tally = await world.crawl(['flood.example', 'news.example']);
    expect(tally.newAgents).toBe(501);
    expect(await world.listed()).toHaveLength(501);
    const { lastFindings } = await world.journey('adagents', 'flood.example');
    expect(lastFindings.map((finding) => finding.code)).toContain('too_many_agents');
    expect(await world.authorised('news.example')).toEqual(['https://sales.nova.example/mcp']);
    const probed = world.requests().filter((line) => line.startsWith('victim.example /'));
    expect(new Set(probed.map((line) => line.split(' ')[1]?.split('/')[1])).size).toBeLessThanOrEqual(2);
  }, 90_000);
});

describe('the bounds of one file', () => {
  it.each([3, 520])(
    'are the operator’s: %i agents',
    async (maxAgentsPerFile) => {
      const world = await openWorld(
        { 'flood.example': { [ADAGENTS]: adagents('flood.example', ...flood(1_000)) } },
        { maxAgentsPerFile, probesPerHour: 1 },
      );
      const tally = await world.crawl(['flood.example']);
      expect(tally.newAgents).toBe(maxAgentsPerFile);
      expect(await world.authorised('flood.example')).toHaveLength(Math.min(maxAgentsPerFile, 100));
    },
    90_000,
  );
});
