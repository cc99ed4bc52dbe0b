import { describe, expect, it } from 'vitest';
import { NOW } from '../contract/records-fixtures.ts';
import { publish } from '../contract/records-steps.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, type TestRegistry } from './support/registry.ts';

const SEARCH = '/api/registry/agents/search';
const AGENT = 'https://sales.example/mcp';
const urlOf = (at: number) => `https://a${String(at).padStart(4, '0')}.example/`;
const named = (at: number, more: object = {}) => {
  const document = bareDocument(urlOf(at));
  const words = at % 3 === 0 ? 'news news' : 'news';
  return { ...document, base: { ...document.base, name: `Agent ${at % 7} ${words}` }, ...more };
};

/** All that the pages show, while `change` happens behind each of them. */
async function paged(
  { get }: TestRegistry,
  path: string,
  { items, change }: { items: (body: never) => readonly string[]; change: (page: number) => Promise<void> },
) {
  const shown: string[] = [];
  let cursor: string | null | undefined;
  let page = 0;
  do {
    const separator = path.includes('?') ? '&' : '?';
    const answer = await get(cursor ? `${path}${separator}cursor=${cursor}` : path);
    expect([answer.statusCode, cursor]).toEqual([200, cursor]);
    shown.push(...items(answer.json() as never));
    cursor = answer.json().cursor ?? answer.json().next_cursor;
    page += 1;
    if (cursor) await change(page);
  } while (cursor);
  return { shown, pages: page };
}

/** Nothing twice, and all that is there from the begin to the end. */
function expectWhole(shown: readonly string[], stays: readonly string[]): void {
  expect(shown.filter((one, at) => shown.indexOf(one) !== at)).toEqual([]);
  expect(stays.filter((one) => !shown.includes(one))).toEqual([]);
}

describe('pages while agents come and go', () => {
  it.each([
    ...['relevance', 'name', 'properties', 'publishers'].map(
      (sort) => `${SEARCH}?q=news&limit=30&sort=${sort}`,
    ),
    `${SEARCH}?limit=30`,
    '/api/registry/agents?limit=30',
  ])('skip none that stays and show none twice: %s', async (path) => {
    const registry = await openRegistry(Array.from({ length: 450 }, (_, at) => named(2 * at)));
    const gone = new Set<number>();
    const { shown, pages } = await paged(registry, path, {
      items: ({ results, agents }: { results?: { url: string }[]; agents?: { url: string }[] }) =>
        (results ?? agents ?? []).map(({ url }) => url),
      async change(page) {
        const going = [page * 2, 120 + page * 14, 898 - page * 6].filter((at) => !gone.has(at));
        for (const at of going) gone.add(at);
        const coming = [page * 4 + 1, 401 + page * 2];
        await registry.put(
          [...going.map((at) => named(at, { listed: false })), ...coming.map((at) => named(at))],
          false,
        );
      },
    });
    expect(pages).toBeGreaterThan(10);
    const stays = Array.from({ length: 450 }, (_, at) => 2 * at).filter((at) => !gone.has(at));
    expectWhole(shown, stays.map(urlOf));
  });
});

describe('pages while publishers change their files', () => {
  const encoded = encodeURIComponent(AGENT);
  const domain = (at: number) => `p${String(at).padStart(3, '0')}.example`;
  const file = { authorized_agents: [{ url: AGENT, authorized_for: 'all' }] };
  it.each([
    ['/api/registry/publishers?limit=7', 'domain'],
    [`/v1/agents/${encoded}/publishers?limit=7`, 'publisher_domain'],
    [`/v1/agents/${encoded}/publishers?limit=7&status=authorized&status=revoked`, 'publisher_domain'],
  ])('skip none that stays and show none twice: %s', async (path, name) => {
    const registry = await openRegistry();
    const { records, clock } = registry;
    clock.value = NOW;
    for (let at = 0; at < 120; at += 2) await publish(records, domain(at), file, NOW);
    const gone = new Set<number>();
    const { shown, pages } = await paged(registry, path, {
      items: ({ publishers }: { publishers: Record<string, string>[] }) =>
        publishers.map((one) => `${one[name]} ${one.status ?? ''}`),
      async change(page) {
        clock.value += 60_000;
        const going = [page * 2, 118 - page * 4].filter((at) => !gone.has(at));
        for (const at of going) gone.add(at);
        for (const at of going) await publish(records, domain(at), { authorized_agents: [] }, clock.value);
        for (const at of [page * 2 + 1, 61 + page * 2]) await publish(records, domain(at), file, clock.value);
      },
    });
    expect(pages).toBeGreaterThan(5);
    expect(shown.filter((one, at) => shown.indexOf(one) !== at)).toEqual([]);
    const stays = Array.from({ length: 60 }, (_, at) => 2 * at).filter((at) => !gone.has(at));
    const domains = shown.map((one) => one.split(' ')[0]);
    expect(stays.map(domain).filter((one) => !domains.includes(one))).toEqual([]);
  });
});
