import { describe, expect, it } from 'vitest';
import { bareDocument, NEVER_TESTED_SUMMARY } from './support/documents.ts';
import { agent, names, openPublishing } from './support/publishing.ts';
import { openRegistry } from './support/registry.ts';

const ATOM = '/api/registry/feed.atom';
const valuesOf = (text: string, name: string) =>
  [...text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, value]) => value);
const linkOf = (text: string, rel: string) =>
  new RegExp(`<link rel="${rel}"[^>]* href="([^"]*)"`).exec(text)?.[1]?.replaceAll('&amp;', '&');

describe('the news of the directory', () => {
  it('are entries with ids that stay, of all, of one agent and of one publisher', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(1, 2));
    await say('news.example', names(1));
    const all = await registry.get(ATOM);
    expect(all.headers['content-type']).toBe('application/atom+xml; charset=utf-8');
    expect(valuesOf(all.body, 'title')).toContain('agent-2.example was listed');
    const ids = valuesOf(all.body, 'id');
    expect([new Set(ids).size, ids.every((id) => id?.startsWith('urn:uuid:'))]).toEqual([ids.length, true]);
    const [newest, ...others] = valuesOf(all.body, 'updated');
    expect(newest).toBe(others.toSorted().at(-1));
    const one = await registry.get(`${ATOM}?agent_url=${encodeURIComponent(agent(2))}`);
    const [own, ...ofOne] = valuesOf(one.body, 'id');
    expect(ids).not.toContain(own);
    expect(ids).toEqual(expect.arrayContaining(ofOne));
    expect(valuesOf((await registry.get(`${ATOM}?domain=news.example`)).body, 'title')).toEqual([
      'The adagents.json of news.example',
      'The adagents.json of news.example changed: agents 1, properties 0',
      'The adagents.json of news.example changed: agents 2, properties 0',
    ]);
    const again = await registry.get(ATOM, { 'if-none-match': String(all.headers.etag) });
    expect(again.statusCode).toBe(304);
  });

  it('say who it was and what it came to', async () => {
    const url = 'https://a.example/mcp';
    const registry = await openRegistry([bareDocument(url)]);
    const { records, clock } = registry;
    const failing = { ...NEVER_TESTED_SUMMARY, status: 'failing' } as const;
    const documents = [
      { ...bareDocument(url), compliance: failing },
      { ...bareDocument(url), compliance: { ...failing, lifecycle_stage: 'testing' } as const },
    ];
    for (const [at, document] of documents.entries())
      await records.agents.saveStitched(
        [{ agent: url, revision: 99 + at, stitched: { document } }],
        clock.value,
      );
    const { body } = await registry.get(ATOM);
    const { name } = bareDocument(url).base;
    expect(valuesOf(body, 'title')).toEqual([
      'Changes of the directory',
      `${name} changed: stage testing`,
      `${name} changed: tests failing`,
      `${name} was listed`,
    ]);
    expect(valuesOf(body, 'summary')[1]).toBe(`${url} changed. Result: tests failing. Changed: compliance.`);
  });

  it('go back by the link to the next page, each entry once', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(...Array.from({ length: 60 }, (_, n) => n)));
    const first = (await registry.get(ATOM)).body;
    const second = (await registry.get(linkOf(first, 'next') ?? '')).body;
    const ids = [first, second].flatMap((text) => valuesOf(text, 'id').slice(1));
    expect([new Set(ids).size, ids.length, linkOf(second, 'next')]).toEqual([60, 60, undefined]);
    expect(linkOf(second, 'self')).toBe(linkOf(first, 'next'));
  });

  it('escape whatever strangers are called', async () => {
    const { registry, say } = await openPublishing();
    const url = `https://a.example/mcp?x=1&y='"%3C/title%3E`;
    await say('news.example', { authorized_agents: [{ url, authorized_for: 'all' }] });
    const { body } = await registry.get(ATOM);
    expect(body).toContain('&amp;y=');
    expect(body.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toMatch(/&|y='/);
  });

  it.each([
    ['an agent that nobody ever heard of', '?agent_url=https://nobody.example/', 404],
    ['a domain without a file', '?domain=nobody.example', 404],
    ['both at once', '?domain=a.example&agent_url=https://a.example/', 400],
    ['a cursor of something else', '?cursor=x', 400],
  ])('refuse %s', async (_what, query, status) => {
    expect((await (await openRegistry()).get(`${ATOM}${query}`)).statusCode).toBe(status);
  });

  it('are linked from the pages that they are about', async () => {
    const { registry, say } = await openPublishing();
    await say('news.example', names(1));
    for (const [page, feed] of [
      ['/changes', ATOM],
      ['/publishers/news.example', `${ATOM}?domain=news.example`],
      [`/agents/${encodeURIComponent(agent(1))}`, `${ATOM}?agent_url=${encodeURIComponent(agent(1))}`],
    ] as const) {
      const { body } = await registry.get(page, { accept: 'text/html' });
      expect(/type="application\/atom\+xml" title="[^"]*" href="([^"]*)"/.exec(body)?.[1]).toBe(feed);
      expect((await registry.get(feed)).statusCode).toBe(200);
    }
  });
});
