import { describe, expect, it } from 'vitest';
import { fileDiff, MAX_COMPARED } from '../../src/api/render/file-diff.ts';
import { MAX_TEXT_READ } from '../../src/api/render/file-text.ts';
import { readAdagents } from '../../src/discovery/read-adagents.ts';
import { historyText } from '../../src/pages/files/history.ts';
import { answered, facts, HOUR, NOW } from '../contract/records-fixtures.ts';
import { declare, fileVisit, publish, takeOne } from '../contract/records-steps.ts';
import { NAUGHTY, refuseMarkup } from './support/naughty.ts';
import { openRegistry, sharedRegistry, type TestRegistry } from './support/registry.ts';

const AGENT = 'https://sales.example/mcp';
const OTHER = 'https://other.example/mcp';
const property = (id: string, type = 'website', more: object = {}): object => ({
  ...{ property_id: id, property_type: type, name: id },
  identifiers: [{ type: type === 'website' ? 'domain' : 'ios_bundle', value: `${id}.example` }],
  ...more,
});
const byId = (url: string, ids: readonly string[], more: object = {}): object => ({
  ...{ url, authorized_for: 'Display', authorization_type: 'property_ids', property_ids: ids },
  ...more,
});
const FILE = {
  authorized_agents: [
    byId(AGENT, ['home'], { countries: ['DE'], delegation_type: 'delegated' }),
    byId(AGENT, ['app'], { countries: ['FR', 'DE'] }),
    { url: OTHER, authorized_for: 'All', authorization_type: 'property_tags', property_tags: ['news'] },
  ],
  properties: [
    property('home'),
    property('app', 'mobile_app'),
    property('blog', 'website', { tags: ['news'] }),
  ],
};

async function published(file: object = FILE): Promise<TestRegistry> {
  const registry = await openRegistry();
  registry.clock.value = NOW + 1;
  await publish(registry.records, 'news.example', file);
  return registry;
}

const one = sharedRegistry(() => published());

describe('GET /api/registry/publisher/entries', () => {
  it.each([
    ['', ['/authorized_agents/0', '/authorized_agents/1', '/authorized_agents/2']],
    [`&agent=${encodeURIComponent(OTHER)}`, ['/authorized_agents/2']],
    ['&agent=https%3A%2F%2Fnever.example%2F', []],
    [`&agent=${new URL(OTHER).hostname.toUpperCase().slice(1)}`, ['/authorized_agents/2']],
    ['&agent=nowhere', []],
    ['&country=fr', ['/authorized_agents/1', '/authorized_agents/2']],
    ['&country=AT', ['/authorized_agents/2']],
    ['&property=home', ['/authorized_agents/0']],
    ['&property=home.example', ['/authorized_agents/0']],
    ['&property=www.home.example', ['/authorized_agents/0']],
    ['&property=app.example', ['/authorized_agents/1']],
    ['&property=blog', ['/authorized_agents/2']],
    ['&property=nothing', []],
    ['&type=mobile_app', ['/authorized_agents/1']],
    ['&type=website', ['/authorized_agents/0', '/authorized_agents/2']],
    ['&type=dooh', []],
    ['&type=website&property=app', []],
    ['&type=website&country=DE&property=home', ['/authorized_agents/0']],
  ])('finds for %s what passes all filters', async (filters, entries) => {
    const { get } = await one();
    const body = (await get(`/api/registry/publisher/entries?domain=news.example${filters}`)).json();
    expect(body.entries.map(({ entry }: { entry: string }) => entry)).toEqual(entries);
    expect(body).toMatchObject({ count: entries.length, next_cursor: null });
  });

  it('tells for what, where and how, with the line', async () => {
    const { get } = await one();
    const body = (await get('/api/registry/publisher/entries?domain=NEWS.example&limit=1')).json();
    expect(body.entries).toMatchObject([
      {
        ...{ agent_url: AGENT, authorized_for: 'Display', source: 'own', sells: true, line: 1 },
        covers: { property_ids: ['home'] },
        limits: { countries: ['DE'], delegation_type: 'delegated' },
      },
    ]);
  });

  it('has pages that together are everything, once', async () => {
    const agents = Array.from({ length: 60 }, (_, n) => ({
      url: `https://a${n}.example/`,
      authorized_for: 'x',
    }));
    const { get } = await published({ authorized_agents: agents });
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const path = `/api/registry/publisher/entries?domain=news.example&limit=7${cursor}`;
      const { entries, next_cursor } = (await get(path)).json();
      seen.push(...entries.map(({ agent_url }: { agent_url: string }) => agent_url));
      if (next_cursor === null) break;
      cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
    }
    expect(seen).toEqual(agents.map(({ url }) => url));
  });

  it('lets pass no entry that is too long to be read, when something is asked for', async () => {
    const ids = Array.from({ length: 2_000 }, (_, n) => `home-${n}`);
    const long = byId(AGENT, ['home', ...ids], { countries: ['DE'], placement_ids: ids });
    const { get } = await published({ ...FILE, authorized_agents: [long] });
    const asked = async (more: string) =>
      (await get(`/api/registry/publisher/entries?domain=news.example${more}`)).json();
    expect(await asked('')).toMatchObject({ entries: [{ covers: null, limits: null }] });
    for (const more of ['&country=DE', '&property=home', '&type=website'])
      expect(await asked(more)).toMatchObject({ entries: [] });
  });

  it.each([
    ['', 'domain'],
    ['?domain=news.example&type=boat', 'type'],
    ['?domain=news.example&country=Germany', 'country'],
    ['?domain=news.example&agent=ftp://x.example/', 'agent'],
    ['?domain=news.example&limit=0', 'limit'],
    ['?domain=news.example&cursor=forged', 'cursor'],
  ])('refuses %s and names the parameter', async (query, parameter) => {
    const { get } = await one();
    const answer = await get(`/api/registry/publisher/entries${query}`);
    expect([answer.statusCode, answer.json().parameter]).toEqual([400, parameter]);
  });
});

/** Visits with a file that is not valid. */
async function broken(registry: TestRegistry, text: string): Promise<void> {
  const { findings } = readAdagents(new TextEncoder().encode(text));
  const work = await takeOne(registry.records, 'domain', 'news.example', NOW + HOUR);
  const captures = [answered('https://news.example/.well-known/adagents.json', text, NOW + HOUR)];
  const files = [
    fileVisit(work, 'adagents', { outcome: 'invalid', findings, captures }),
    fileVisit(work, 'brand'),
  ];
  await registry.records.sources.commitDomainVisit({
    domain: 'news.example',
    at: NOW + HOUR,
    found: [],
    files,
  });
}

const findingsOf = async ({ get }: TestRegistry) =>
  (await get('/api/registry/file/findings?domain=news.example')).json();

describe('GET /api/registry/file/findings', () => {
  it('shows the text around each finding of the file that was read last, and what puts it right', async () => {
    const registry = await published();
    expect(await findingsOf(registry)).toMatchObject({ counts: true, findings: [], total: 0 });
    await broken(
      registry,
      '{\n "authorized_agents": [\n  {"url": "http://a.example", "authorized_for": "x"}\n ]\n}',
    );
    const body = await findingsOf(registry);
    expect(body).toMatchObject({ counts: false, url: 'https://news.example/.well-known/adagents.json' });
    const [found] = body.findings;
    expect(found).toMatchObject({ line: 3, did_you_mean: 'https://a.example', hint: expect.any(String) });
    expect(found.excerpt.map(({ line }: { line: number }) => line)).toEqual([2, 3, 4]);
    const { text, from, to } = found.excerpt[1];
    expect(text.slice(from, to)).toBe('"http://a.example"');
  });

  it('cuts a line of half a megabyte around what it marks', async () => {
    const registry = await published();
    const pad = 'x'.repeat(400_000);
    await broken(
      registry,
      `{"notes":"${pad}","authorized_agents":[{"url":"http://a.example"}],"more":"${pad.slice(0, 9_000)}"}`,
    );
    const { findings } = await findingsOf(registry);
    const found = findings.find(({ pointer }: { pointer: string }) => pointer.endsWith('/url'));
    const [{ text, from, to }] = found.excerpt;
    expect(text.length).toBeLessThan(130);
    expect(text.slice(from, to)).toContain('http://a.example');
  });

  it('shows no text that is too long, and still the findings', async () => {
    const registry = await published();
    await broken(
      registry,
      `{"notes":"${'x'.repeat(MAX_TEXT_READ)}","authorized_agents":[{"url":"http://a.example"}]}`,
    );
    const { findings } = await findingsOf(registry);
    const found = findings.find(({ pointer }: { pointer: string }) => pointer.endsWith('/url'));
    expect(found.message).toContain('http');
    expect(found.excerpt).toBeUndefined();
  });

  it('is bounded for 100,000 findings', async () => {
    const registry = await published();
    const entries = Array.from({ length: 100_000 }, () => '{"url":"http://a.example"}').join(',');
    await broken(registry, `{"authorized_agents":[${entries}]}`);
    const { body } = await registry.get('/api/registry/file/findings?domain=news.example');
    expect(body.length).toBeLessThan(256 * 1024);
  });

  it('refuses what is no file, and knows no unknown domain', async () => {
    const { get } = await one();
    const asked = (query: string) => get(`/api/registry/file/findings?${query}`);
    expect((await asked('domain=news.example&file=ads')).statusCode).toBe(400);
    expect((await asked('domain=never.example')).statusCode).toBe(404);
  });
});

describe('GET /api/registry/file/diff', () => {
  it('compares a version with the one before, laid out where the file is one line', async () => {
    const { get, records } = await published();
    const path = '/api/registry/file/diff?domain=news.example';
    expect((await get(path)).json()).toMatchObject({ revision: 1, hunks: [] });
    await publish(
      records,
      'news.example',
      { ...FILE, authorized_agents: FILE.authorized_agents.slice(1) },
      NOW + HOUR,
    );
    const body = (await get(path)).json();
    expect(body).toMatchObject({ revision: 2, laid_out: true });
    const lines = body.hunks.flatMap((hunk: { lines: object[] }) => hunk.lines);
    expect(lines).toContainEqual({ change: 'removed', text: expect.stringContaining('delegated') });
    expect(lines.some(({ change }: { change: string }) => change === 'added')).toBe(false);
    expect((await get(`${path}&revision=1`)).json()).toMatchObject({ revision: 1, hunks: [] });
    expect((await get(`${path}&revision=3`)).statusCode).toBe(404);
    expect((await get(`${path}&revision=0`)).statusCode).toBe(400);
    expect((await get('/api/registry/file/diff?domain=never.example')).statusCode).toBe(404);
  });

  it('says of a version whose text is too long, or is not kept, that it is not compared', async () => {
    const { get, records } = await published();
    const long = { ...FILE, notes: 'x'.repeat(MAX_COMPARED) };
    await publish(records, 'news.example', long, NOW + HOUR);
    const path = '/api/registry/file/diff?domain=news.example';
    expect((await get(path)).json()).toMatchObject({ not_shown: 'too_long' });
    await declare(records, 'bare.example', 'adagents', 'one', facts());
    await declare(records, 'bare.example', 'adagents', 'two', facts(), NOW + HOUR);
    expect((await get('/api/registry/file/diff?domain=bare.example')).statusCode).toBe(200);
  });

  it.each([
    ['equal texts', 'a\nb\n', 'a\nb\n', { hunks: [] }],
    ['many other lines', 'a\n'.repeat(900), 'b\n'.repeat(900), { not_shown: 'too_many_changes' }],
    ['too many lines', 'a\n'.repeat(6_000), 'a\n'.repeat(6_001), { not_shown: 'too_long' }],
    ['one long line that is no JSON', 'x'.repeat(9_000), 'y'.repeat(9_000), { not_shown: 'too_long' }],
    ['deep JSON on one line', '['.repeat(90_000), 'a', { not_shown: 'too_long' }],
    ['JSON 4,900 deep', `{"a":${'['.repeat(4_900)}${']'.repeat(4_900)}}`, '{}', { not_shown: 'too_long' }],
    ['an empty text', '', 'a\n', { hunks: [{ lines: [{ change: 'added', text: 'a' }] }] }],
    ['100,000 lines that changed', 'a\n'.repeat(1e5), 'b\n'.repeat(1e5), { not_shown: 'too_long' }],
    ['one line of 2 MB', `{"a":"${'x'.repeat(2e6)}"}`, '{}', { hunks: [{}], laid_out: true }],
    ['lines that end otherwise', 'a\r\nb\r\n', 'a\nb\n', { hunks: [], only_form: true }],
    ['a line that ends otherwise', 'a\nb', 'a\nb\n', { hunks: [], only_form: true }],
    ['a mark of the byte order', '\ufeffa\n', 'a\n', { hunks: [], only_form: true }],
    ['a change in lines that end otherwise', 'a\r\nb\r\n', 'a\nc\n', { hunks: [{ lines: [{}, {}, {}] }] }],
    ['a text that is laid out now', '{\n"a":\n1}', `{"a":1}${' '.repeat(400)}`, { only_form: true }],
  ])('of %s is bounded', (_, before, after, told) => {
    expect(fileDiff(before, after)).toMatchObject(told);
  });

  it.each(NAUGHTY)('shows %j on the page as text, with what nobody sees written out', (text) => {
    const before = JSON.stringify({ a: 1, b: 2, c: text }, null, 1);
    const after = before.replace('"c"', `"\u202e\u200b${text}"`);
    const diff = { revision: 2, ...fileDiff(before, after) };
    const history = { total: 2, revisions: [] };
    const page = `${historyText('/publishers/a.example', { domain: 'a.example', history, diff, most: 20 } as never)}`;
    expect(page).toContain('\\u202e\\u200b');
    expect(page.length).toBeLessThan(5_000);
    refuseMarkup(page);
  });

  it('never cuts a character in half', () => {
    const faces = '\u{1f600}'.repeat(300);
    const lines = JSON.stringify(fileDiff('a\n', `x${faces}\n`.repeat(3)));
    expect(lines).not.toMatch(/\\ud[89a-f]/);
  });

  it('of long lines shows their beginnings, and of many changes the first', () => {
    const wide = `${'x'.repeat(300)}\n`;
    const text = Array.from({ length: 1_500 }, (_, n) => `${n}\n`).join('');
    const apart = text.replace(/\d*[05]\n/g, (line) => `new ${line}`);
    const shown = fileDiff(`${text}${wide}`, `${apart}y${wide}`);
    const lines = 'hunks' in shown ? shown.hunks.flatMap((hunk) => hunk.lines) : [];
    expect(lines.length <= 400 && lines.every((line) => line.text.length <= 201)).toBe(true);
    const few = fileDiff(`a\n${wide}`, `a\ny${wide}`);
    expect(few).toMatchObject({ hunks: [{ lines: [{}, { text: `${'x'.repeat(200)}…` }, {}] }] });
  });
});

describe('GET /api/registry/network', () => {
  async function network(): Promise<TestRegistry> {
    const registry = await openRegistry();
    registry.clock.value = NOW + HOUR;
    const { records } = registry;
    const pointer = { references: [{ domain: 'net.example', reason: 'manager' as const }] };
    for (const name of ['a', 'b', 'c'])
      await declare(records, `${name}.example`, 'adagents', name, facts(pointer));
    const named = ['a.example', 'x.example'].map((domain) => ({
      domain,
      reason: 'publisher_selector' as const,
    }));
    await declare(records, 'x.example', 'adagents', 'x', facts());
    await declare(records, 'net.example', 'adagents', 'net', facts({ references: named }), NOW + HOUR);
    return registry;
  }
  const domains = (body: { publishers: { domain: string }[] }) => body.publishers.map(({ domain }) => domain);

  it('lists who leads to a file, which fall behind it, and whom it names in vain', async () => {
    const { get } = await network();
    const asked = async (more = '') => (await get(`/api/registry/network?domain=net.example${more}`)).json();
    const all = await asked();
    expect(all).toMatchObject({ total: 3, total_exact: true, next_cursor: null });
    expect(domains(all)).toEqual(['a.example', 'b.example', 'c.example']);
    expect(all.publishers[0].states).toEqual(['orphaned', 'behind']);
    expect(domains(await asked('&search=b'))).toEqual(['b.example']);
    expect(domains(await asked('&show=orphaned'))).toHaveLength(3);
    expect(domains(await asked('&show=missing'))).toEqual(['x.example']);
    const first = await asked('&limit=2');
    expect(domains(first)).toEqual(['a.example', 'b.example']);
    expect(domains(await asked(`&limit=2&cursor=${encodeURIComponent(first.next_cursor)}`))).toEqual([
      'c.example',
    ]);
    expect((await get('/api/registry/network?domain=a.example')).statusCode).toBe(404);
    expect((await get('/api/registry/network?domain=net.example&show=new')).statusCode).toBe(400);
  });
});
