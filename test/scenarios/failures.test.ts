import { describe, expect, it } from 'vitest';
import { patientTime } from '../support/patient-time.ts';
import { ADAGENTS, type Handler, type Page } from './support/web.ts';
import { adagents, DAY, declared, HOUR, openWorld, START } from './support/world.ts';

const AGENT = 'https://sales.nova.example/mcp';
const GOOD = { 'news.example': { [ADAGENTS]: adagents('news.example', AGENT) } };

describe('the last good declaration stands', () => {
  const hang = () => {};
  const cut: Page = (_request, response) => response.socket?.destroy();
  it.each<[string, Page, string, string]>([
    ['a 500', { status: 500 }, 'failed', 'http_500'],
    ['a 503 without a word on when', { status: 503 }, 'failed', 'http_503'],
    ['a 403', { status: 403, body: 'no' }, 'refused', 'http_403'],
    ['a 401', { status: 401 }, 'refused', 'http_401'],
    ['a 429', { status: 429, headers: { 'retry-after': '60' } }, 'throttled', 'http_429'],
    ['broken JSON', '{"agents": [', 'invalid', 'syntax'],
    ['an HTML page', '<!doctype html><p>hello', 'invalid', 'html_not_json'],
    ['JSON that says nothing', { hello: 1 }, 'invalid', 'nothing_declared'],
    ['a connection that breaks', cut, 'unreachable', 'refused'],
    ['a server that never answers', hang, 'unreachable', 'timeout'],
    [
      'a redirect to somebody else',
      { status: 302, headers: { location: `https://other.example${ADAGENTS}` } },
      'refused',
      'redirect',
    ],
  ])('through %s', async (_name, page, outcome, code) => {
    if (page === hang) patientTime(); // a busy machine takes longer than that for a good visit
    const world = await openWorld(GOOD, page === hang ? { visitDeadlineMs: 500 } : {});
    await world.crawl(['news.example']);
    world.web.pages = { 'news.example': { [ADAGENTS]: page } };
    for (let visits = 0; visits < 3; visits += 1) {
      world.clock.value += 2 * DAY;
      await world.crawl(['news.example']);
    }
    const { source, declarations } = await world.journey('adagents', 'news.example');
    expect(source).toMatchObject({ lastOutcome: outcome, failures: 3, lastSuccessAt: START });
    expect(source.lastError?.code).toBe(code);
    expect(declarations).toHaveLength(1);
    expect(await world.authorised('news.example')).toEqual([AGENT]);
    expect(await world.listed()).toEqual([AGENT]);
  });
});

describe('a file that is gone', () => {
  it.each([404, 410])('ends what it said after a day and two visits: %i', async (status) => {
    const world = await openWorld(GOOD);
    await world.crawl(['news.example']);
    world.web.pages = { 'news.example': { [ADAGENTS]: { status } } };
    world.clock.value += 6 * HOUR;
    await world.crawl(['news.example']);
    expect(await world.authorised('news.example')).toEqual([AGENT]);
    world.clock.value += DAY - 1;
    await world.crawl(['news.example']);
    expect(await declared(world, 'adagents', 'news.example')).toBe(true);
    world.clock.value += 1;
    await world.crawl(['news.example']);
    expect(await declared(world, 'adagents', 'news.example')).toBe(false);
    expect(await world.authorised('news.example')).toEqual([]);
  });

  it('is due again when its grace ends, and not later', async () => {
    const world = await openWorld(GOOD);
    await world.crawl(['news.example']);
    world.web.pages = {};
    for (let visits = 0; visits < 8 && (await declared(world, 'adagents', 'news.example')); visits += 1) {
      const { source } = await world.journey('adagents', 'news.example');
      world.clock.value = source.nextVisitAt;
      await world.due();
    }
    const { source } = await world.journey('adagents', 'news.example');
    expect(source.absentSince).toBeDefined();
    const gone = world.clock.value - (source.absentSince ?? 0);
    expect(gone).toBeGreaterThanOrEqual(DAY);
    expect(gone).toBeLessThan(DAY * 1.05);
  });

  it('takes nothing back when it is there again at the second visit', async () => {
    const world = await openWorld(GOOD);
    await world.crawl(['news.example']);
    world.web.pages = {};
    world.clock.value += 6 * HOUR;
    await world.crawl(['news.example']);
    world.web.pages = GOOD;
    world.clock.value += 2 * DAY;
    await world.crawl(['news.example']);
    const { source, authorisations, declarations } = await world.journey('adagents', 'news.example');
    expect(source).toMatchObject({ absentVisits: 0, failures: 0, lastOutcome: 'unchanged' });
    expect(declarations).toHaveLength(1);
    expect(authorisations).toHaveLength(1);
    expect(authorisations[0]).toMatchObject({ seenFrom: START });
    expect(authorisations[0]).not.toHaveProperty('seenUntil');
  });

  it('is read anew when it comes back after its end, same bytes or not', async () => {
    const world = await openWorld(GOOD);
    await world.crawl(['news.example']);
    world.web.pages = {};
    for (const wait of [HOUR, DAY]) {
      world.clock.value += wait;
      await world.crawl(['news.example']);
    }
    expect(await declared(world, 'adagents', 'news.example')).toBe(false);
    world.web.pages = GOOD;
    world.clock.value += DAY;
    await world.crawl(['news.example']);
    expect(await world.authorised('news.example')).toEqual([AGENT]);
  });

  it('leaves the agent in the list for its own day of grace, then takes it out', async () => {
    const world = await openWorld(GOOD);
    await world.crawl(['news.example']);
    world.web.pages = {};
    for (const wait of [HOUR, DAY]) {
      world.clock.value += wait;
      await world.crawl(['news.example']);
    }
    expect(await world.authorised('news.example')).toEqual([]);
    world.clock.value += DAY - 1;
    await world.derive();
    expect(await world.listed()).toEqual([AGENT]);
    world.clock.value += 1;
    world.requests();
    await world.derive();
    expect(await world.listed()).toEqual([]);
    expect(world.requests()).toEqual([]);
    const changes = await world.store.records.agents.changes(0, 100);
    expect(changes.at(-1)).toMatchObject({ agent: AGENT, kind: 'delisted' });
  });
});

describe('an entry that is gone from a valid file', () => {
  it('ends at once, and its neighbours stay', async () => {
    const other = 'https://other.nova.example/mcp';
    const world = await openWorld({ 'news.example': { [ADAGENTS]: adagents('news.example', other, AGENT) } });
    await world.crawl(['news.example']);
    expect(await world.authorised('news.example')).toEqual([other, AGENT]);
    world.web.pages = { 'news.example': { [ADAGENTS]: adagents('news.example', other) } };
    world.clock.value += 7 * HOUR;
    await world.crawl(['news.example']);
    expect(await world.authorised('news.example')).toEqual([other]);
    const { authorisations, declarations } = await world.journey('adagents', 'news.example');
    expect(authorisations.find((edge) => edge.agent === AGENT)?.seenUntil).toBe(world.clock.value);
    expect(declarations).toHaveLength(2);
  });
});

describe('a domain that does not answer', () => {
  const cut: Handler = (request) => void request.socket.destroy();
  const seen = async (control: Handler) => {
    const world = await openWorld(
      {
        'news.example': { [ADAGENTS]: adagents('news.example', 'https://a.nova.example/mcp') },
        'control.example': control,
      },
      { controlUrls: ['https://control.example/'] },
    );
    await world.crawl(['news.example'], { depth: 0 });
    world.web.pages = { 'news.example': cut, 'control.example': control };
    world.clock.value += 7 * HOUR;
    await world.due();
    const { source } = await world.journey('adagents', 'news.example');
    return [source.lastError?.code, source.failures, source.nextVisitAt - world.clock.value < HOUR];
  };

  it('loses nothing while our own network is away, and is visited again soon', async () => {
    expect(await seen(cut)).toEqual(['own_network', 0, true]);
  });

  it('is away when a control site answers', async () => {
    const answer: Handler = (_request, response) => response.writeHead(404).end();
    expect(await seen(answer)).toEqual(['refused', 1, false]);
  });
});
