import { expect, it } from 'vitest';
import { visitState } from '../../src/api/render/visit-state.ts';
import { ADAGENTS, type Handler } from './support/web.ts';
import { adagents, DAY, openWorld } from './support/world.ts';

const NEWS = 'news.example';
const CONTROL = 'control.example';
const cut: Handler = (request) => void request.socket.destroy();
const answers: Handler = (_request, response) => response.writeHead(404).end();
const broken: Handler = (_request, response) => response.writeHead(500).end();

/** What a visit meets at the publisher, and at the site that tells whether our own network works. */
const DAYS = {
  good: { [NEWS]: { [ADAGENTS]: adagents(NEWS, 'https://a.nova.example/mcp') }, [CONTROL]: answers },
  gone: { [NEWS]: {}, [CONTROL]: answers },
  wrong: { [NEWS]: { [ADAGENTS]: { authorized_agents: 'none' } }, [CONTROL]: answers },
  // with a robots.txt that cannot be had, a site is refused and not unreachable
  ours: { [NEWS]: { '/robots.txt': answers, [ADAGENTS]: cut }, [CONTROL]: cut },
  theirs: { [NEWS]: broken, [CONTROL]: answers },
} as const;

/** Days of one file, each with one visit, and the state after each. */
const STORIES: readonly (readonly (readonly [keyof typeof DAYS, string])[])[] = [
  [
    ['ours', 'unread'],
    ['gone', 'absent'],
    ['ours', 'absent'],
    ['theirs', 'absent'],
    ['good', 'fresh'],
  ],
  [
    ['gone', 'absent'],
    ['theirs', 'absent'],
    ['wrong', 'unread'],
    ['ours', 'unread'],
    ['gone', 'absent'],
  ],
  [
    ['good', 'fresh'],
    ['ours', 'stale'],
    ['theirs', 'stale'],
    ['good', 'fresh'],
  ],
  [
    ['good', 'fresh'],
    ['gone', 'absent'],
    ['ours', 'absent'],
    ['gone', 'absent'],
    ['theirs', 'absent'],
  ],
  // its grace is over: what was read last does not count any more, however long ago it was
  [
    ['good', 'fresh'],
    ['gone', 'absent'],
    ['gone', 'absent'],
    ['wrong', 'unread'],
    ['good', 'fresh'],
  ],
];

it.each(STORIES.map((story) => [story.map(([day]) => day).join(', '), story] as const))(
  'what a visit does not learn of a file, it does not change: %s',
  async (_days, story) => {
    const world = await openWorld({}, { controlUrls: [`https://${CONTROL}/`] });
    for (const [number, [day, state]] of story.entries()) {
      world.web.pages = DAYS[day];
      world.clock.value += DAY;
      await world.crawl([NEWS], { depth: 0 });
      const { source } = await world.journey('adagents', NEWS);
      const seen = visitState('adagents', source, world.clock.value);
      expect([number, day, seen.state]).toEqual([number, day, state]);
      expect(seen.why === 'own_network').toBe(day === 'ours');
    }
  },
);
