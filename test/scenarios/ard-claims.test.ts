import { expect, it } from 'vitest';
import { readArd } from '../../src/discovery/read-ard.ts';
import type { Pages } from './support/web.ts';
import { adagents, DAY, HOUR, openWorld } from './support/world.ts';

const ARD = '/.well-known/ard.json';
const OLDER = '/.well-known/ai-catalog.json';
const BRAND = '/.well-known/brand.json';
const MCP = 'application/mcp-server-card+json';
const A2A = 'application/a2a-agent-card+json';

const entry = (name: string, over: object = {}) => ({
  identifier: `urn:air:acme.example:agent:${name}`,
  displayName: `Agent ${name}`,
  type: MCP,
  url: `https://${name}.acme.example/mcp`,
  ...over,
});
const manifest = (...entries: readonly unknown[]) => ({ entries });

/** A world in which an operator types `acme.example`. */
async function typed(pages: Pages) {
  const world = await openWorld({ ...pages });
  await world.store.records.sources.add(
    [{ kind: 'domain', key: 'acme.example', foundVia: 'operator', ard: true }],
    world.clock.value,
  );
  await world.due();
  await world.derive();
  const findings = async () =>
    (await world.journey('ard', 'acme.example')).lastFindings.map(
      ({ code, pointer }) => `${code} ${pointer}`,
    );
  return { ...world, findings };
}

it('agents of an ard.json are found, as claims of their domain, and authorised by nobody', async () => {
  const { listed, document, journey, store } = await typed({
    'acme.example': {
      [ARD]: manifest(
        entry('one'),
        entry('two', { type: A2A, url: 'https://two.acme.example/.well-known/agent-card.json' }),
        entry('three', { url: undefined, data: { remotes: [{ url: 'https://three.acme.example/mcp' }] } }),
        entry('four', { type: A2A, url: undefined, data: { url: 'https://four.acme.example/a2a' } }),
        entry('skill', { type: 'application/agent-skills+zip' }),
      ),
    },
  });
  const agents = ['four', 'one', 'three', 'two'].map((name) => `https://${name}.acme.example`);
  expect(await listed()).toEqual([
    `${agents[0]}/a2a`,
    `${agents[1]}/mcp`,
    `${agents[2]}/mcp`,
    `${agents[3]}/`,
  ]);
  const said = await document(`${agents[1]}/mcp`);
  expect(said?.base).toMatchObject({ type: 'unknown', name: 'one.acme.example' });
  expect(await store.records.agents.authorisations(`${agents[1]}/mcp`, 10)).toEqual([]);
  const { lastFindings, mentions, authorisations } = await journey('ard', 'acme.example');
  expect({ lastFindings, authorisations, files: mentions.map(({ file }) => file) }).toEqual({
    lastFindings: [],
    authorisations: [],
    files: ['ard', 'ard', 'ard', 'ard'],
  });
});

it('the name that the format had before is asked for only where there is no ard.json', async () => {
  const older = { specVersion: '1.0', entries: [entry('old')] };
  const { listed, requests } = await typed({ 'acme.example': { [OLDER]: older } });
  expect(await listed()).toEqual(['https://old.acme.example/mcp']);
  const both = await typed({ 'acme.example': { [ARD]: manifest(entry('new')), [OLDER]: older } });
  expect(await both.listed()).toEqual(['https://new.acme.example/mcp']);
  expect([requests().filter(isOlder), both.requests().filter(isOlder)]).toEqual([
    [`acme.example ${OLDER} 200`],
    [],
  ]);
});

it('the file that a home page links is read where there is no ard.json', async () => {
  const home = '<!doctype html><head><link rel="ard" href="/agents.json"></head>';
  const pages = { '/': home, '/agents.json': manifest(entry('linked')), [OLDER]: manifest(entry('old')) };
  const world = await typed({ 'acme.example': pages });
  expect(await world.listed()).toEqual(['https://linked.acme.example/mcp']);
  expect(world.requests().filter(isOlder)).toEqual([]);
  world.clock.value += DAY + HOUR;
  await world.due();
  expect((await world.journey('ard', 'acme.example')).source.lastOutcome).toBe('unchanged');
  const both = await typed({ 'acme.example': { ...pages, [ARD]: manifest(entry('new')) } });
  expect(await both.listed()).toEqual(['https://new.acme.example/mcp']);
});

const isOlder = (request: string): boolean => request.includes(OLDER);

it.each([
  ['entries that are no list', { entries: {} }, ['ard_entries_missing /entries']],
  ['no entries', { specVersion: '1.0' }, ['ard_entries_missing ']],
  [
    'an entry of another publisher',
    manifest(entry('own'), entry('theirs', { identifier: 'urn:air:rival.example:agent:x' })),
    ['ard_publisher_other /entries/1/identifier'],
  ],
  [
    'entries that are none',
    manifest(
      entry('own'),
      5,
      entry('a', { identifier: 'acme' }),
      entry('b', { type: 1 }),
      entry('c', { data: {} }),
    ),
    ['wrong_type /entries/1', ...[2, 3, 4].map((at) => `ard_entry_incomplete /entries/${at}`)],
  ],
  [
    'documents about agents, and cards without an address',
    manifest(
      entry('own'),
      entry('a', { url: 'https://a.acme.example/server.json' }),
      entry('b', { url: undefined, data: { url: 7, remotes: 'https://b.acme.example' } }),
    ),
    [1, 2].map((at) => `ard_entry_unread /entries/${at}`),
  ],
  [
    'addresses that nobody dials',
    manifest(
      entry('own'),
      entry('a', { url: 'http://a.acme.example/mcp' }),
      entry('b', { url: 'javascript:0' }),
    ),
    ['url_not_https /entries/1/url', 'url_invalid /entries/2/url'],
  ],
])('%s are findings', async (_what, file, expected) => {
  const { listed, findings } = await typed({ 'acme.example': { [ARD]: file } });
  expect(await findings()).toEqual(expected);
  const isRead = 'entries' in file && Array.isArray(file.entries);
  expect(await listed()).toEqual(isRead ? ['https://own.acme.example/mcp'] : []);
});

it('a manifest with more agents than one file may bring in is read in part', () => {
  const file = JSON.stringify(manifest(entry('one'), entry('two'), entry('three')));
  const { declaration, findings } = readArd(new TextEncoder().encode(file), { maxAgents: 2 });
  expect(declaration?.agents.length).toBe(2);
  expect(findings.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(['too_many_agents /entries/2']);
});

it('an agent stays as long as its entry, and the grace of an agent that nobody names', async () => {
  const world = await typed({ 'acme.example': { [ARD]: manifest(entry('one'), entry('two')) } });
  world.web.pages = { 'acme.example': { [ARD]: manifest(entry('two')) } };
  for (const wait of [DAY + HOUR, DAY + HOUR]) {
    world.clock.value += wait;
    await world.due();
    await world.derive();
  }
  expect(await world.listed()).toEqual(['https://two.acme.example/mcp']);
  const { source, declarations } = await world.journey('ard', 'acme.example');
  expect([source.lastOutcome, declarations.length]).toEqual(['unchanged', 2]);
});

it('it is looked at where a brand names agents, and of no other domain that is found', async () => {
  const brand = { agents: [{ type: 'sales', url: 'https://sales.maker.example/mcp', id: 'sales' }] };
  const more = { identifier: 'urn:air:maker.example:agent:more', url: 'https://more.maker.example/mcp' };
  const world = await openWorld({
    'maker.example': { [BRAND]: brand, [ARD]: manifest(entry('more', more)) },
    'news.example': {
      '/.well-known/adagents.json': adagents('news.example', 'https://sales.maker.example/mcp'),
      [ARD]: manifest(entry('x', { identifier: 'urn:air:news.example:agent:x' })),
    },
  });
  await world.crawl(['maker.example', 'news.example']);
  world.clock.value += DAY;
  await world.due();
  await world.derive();
  expect(await world.listed()).toEqual(['https://more.maker.example/mcp', 'https://sales.maker.example/mcp']);
  expect(await world.store.records.sources.get({ kind: 'ard', key: 'news.example' })).toBeUndefined();
});

it('a domain without one is asked less and less, and its other files as before', async () => {
  const world = await typed({ 'acme.example': { [BRAND]: { agents: [] } } });
  const asked = [];
  for (let day = 0; day < 40; day += 1) {
    world.clock.value += DAY;
    await world.due();
    asked.push(...world.requests());
  }
  expect(asked.filter((request) => request.includes(ARD)).length).toBeLessThan(13);
  expect(asked.filter((request) => request.includes(BRAND)).length).toBeGreaterThan(35);
});
