import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { writeExport } from '../../src/api/export/files.ts';
import { createFeedStreams } from '../../src/api/operations/feed/streams.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { atomText } from '../../src/pages/atom.ts';
import { anyCharacter } from '../support/any-character.ts';
import { bareDocument } from './support/documents.ts';
import { openPublishing } from './support/publishing.ts';

/** What ends a line, an event, an element, a section or a link of one of the forms in which strangers' words go out. */
const BREAKING_OUT = [
  'a\nb',
  'a\r\nb\rc',
  '\u2028id: 1\u2029',
  'x\n\nevent: feed\ndata: {}\n\n',
  '\n{"kind":"end","counts":{}}\n',
  ']]></title></entry><entry>',
  '<![CDATA[ &amp; <!-- ',
  '&#0; &bogus; &amp;lt;',
  '"]} \\" \\u0000',
  '\u0000\u0001\u0008\u000b\u000c\u001f\u007f\u0085\u009b2J',
  '\ud800 alone \udfff',
  '\ufffe\uffff',
  '\u202egnp.exe\u2066',
  '](https://evil.example) ![x](y) `z`',
  '<script>alert(1)</script>',
];
const TEXTS = [...BREAKING_OUT, BREAKING_OUT.join('')];
/** Where some reader ends a line: Python's `splitlines`, by which clients read streams, has more of them than the formats say. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const LINE_END = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/;
/** All but those of XML 1.0, section 2.2, and the controls that it advises against. */
const NO_XML_CHARACTER = /[^\t\n\r\u{20}-\u{7e}\u{a0}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

const fileOf = (text: string) => ({
  authorized_agents: [
    {
      url: 'https://a.example/mcp',
      authorized_for: text,
      authorization_type: 'property_tags',
      property_tags: [text],
    },
    { url: 'https://b.example/mcp', authorized_for: text, countries: ['DE'] },
  ],
  properties: [
    {
      ...{ property_id: text, property_type: 'mobile_app', name: text, tags: [text] },
      identifiers: [{ type: 'ios_bundle', value: text }],
    },
  ],
});

/** The same where it can only be said of a whole inventory. */
const wordsOf = (text: string) => ({
  authorized_agents: [{ url: 'https://b.example/mcp', authorized_for: text }],
});

/** A registry in which publishers say all of the texts. */
async function hostileWorld() {
  const { registry, say } = await openPublishing();
  for (const [place, text] of TEXTS.entries()) {
    await say(`p${place}.example`, fileOf(text));
    await say(`q${place}.example`, wordsOf(text));
  }
  // as a store may have them that an older version filled
  const documents = TEXTS.map((name, place) => {
    const bare = bareDocument(`https://c${place}.example/`);
    return { ...bare, base: { ...bare.base, name }, searchTags: [name] };
  });
  await registry.put(documents);
  return registry;
}

it('leave the export in lines of their own, as many as it counts', async () => {
  const { records, clock } = await hostileWorld();
  const folder = mkdtempSync(join(tmpdir(), 'outward-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cursorSecret = await cursorSecretOf(records);
  const { path, counts } = await writeExport({ records, clock, cursorSecret }, folder);
  const lines = gunzipSync(readFileSync(path)).toString().split(LINE_END);
  const kinds = lines.slice(0, -1).map((line) => JSON.parse(line).kind);
  expect([lines.at(-1), counts.publishers]).toEqual(['', TEXTS.length * 2]);
  expect(kinds).toEqual([
    ...['export', ...Array(counts.agents).fill('agent')],
    ...[...Array(TEXTS.length * 2).fill('publisher'), 'end'],
  ]);
});

it('leave the stream of events with no line but its own, whatever a reader takes for the end of a line', async () => {
  const { records, clock } = await hostileWorld();
  const streams = createFeedStreams({ records, clock, cursorSecret: await cursorSecretOf(records) });
  const heard: string[] = [];
  streams.open(
    {
      ...{ caller: 'a', hasKey: true, types: '*', isWanted: () => true, mayListen: async () => true },
      ...{ isFree: () => true, write: (message) => void heard.push(message), end: () => {} },
    },
    { agents: 0, edges: 0, isFirst: true, at: clock.now() },
  );
  await streams.look();
  const lines = heard.join('').split(LINE_END);
  expect(new Set(lines.map((line) => line.split(':')[0]))).toEqual(new Set(['id', 'event', 'data', '']));
  const pages = lines.filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)));
  const told = pages.flatMap(({ events }) => events).map(({ event_type }) => event_type);
  expect(told.filter((type) => type === 'publisher.adagents_discovered')).toHaveLength(TEXTS.length * 2);
  expect(told.filter((type) => type === 'authorization.granted').length).toBeGreaterThanOrEqual(TEXTS.length);
});

it('are read back from the feed and from the list as the file has them', async () => {
  const { registry, say } = await openPublishing();
  const said = [];
  for (const text of ['a "b" \\ c', 'é\u{1f600}', '</script>']) {
    await say(`p${said.length}.example`, wordsOf(text));
    said.push(text);
  }
  const { events } = (await registry.get('/api/registry/feed?limit=1000')).json();
  const granted = events.filter(
    ({ event_type: type }: { event_type: string }) => type === 'authorization.granted',
  );
  const { rows } = (await registry.get('/api/registry/authorizations/snapshot')).json();
  for (const payloads of [granted.map(({ payload }: { payload: object }) => payload), rows])
    expect(new Set(payloads.map((one: { authorized_for: string }) => one.authorized_for))).toEqual(
      new Set(said),
    );
  const bare = granted.map(({ payload: { domain, ...row } }: { payload: { domain: string } }) => {
    expect(domain).toBe((row as { publisher_domain?: string }).publisher_domain);
    return row;
  });
  const byId = (list: readonly { id: string }[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  expect(byId(bare)).toEqual(byId(rows));
});

const hostile = fc.array(fc.oneof(fc.constantFrom(...BREAKING_OUT), fc.string({ unit: anyCharacter })), {
  maxLength: 4,
});

it('leave the news as well-formed as they were', () => {
  fc.assert(
    fc.property(hostile, (pieces) => {
      const title = pieces.join('');
      const entry = { id: 'urn:x', title, updated: '2026-01-01T00:00:00.000Z', link: '/a' };
      const text = atomText({ id: 'urn:y', title, self: '/s', alternate: '/b', entries: [entry, entry] });
      expect(text).not.toMatch(NO_XML_CHARACTER);
      expect(text).not.toContain(']]>');
      const names = [...text.matchAll(/<(\/?[a-z]+)/g)].map(([, name]) => name);
      const bare = atomText({
        ...{ id: 'urn:y', title: 't', self: '/s', alternate: '/b' },
        entries: [
          { ...entry, title: 't' },
          { ...entry, title: 't' },
        ],
      });
      expect(names).toEqual([...bare.matchAll(/<(\/?[a-z]+)/g)].map(([, name]) => name));
      expect(text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
    }),
  );
});

it.each([
  "https://a.example/x')](https://evil.example)",
  'https://a.example/"><script>alert(1)</script>',
  'https://a.example/?a=b&c=![x](y)&`z`',
  'https://a.example/*_~|%0A%0D[b]',
])('leave the badge of %s one link around one picture', async (agent) => {
  const { registry } = await openPublishing();
  const path = `/api/registry/agents/${encodeURIComponent(agent)}/badge/media-buy/embed`;
  const answer = await registry.get(path);
  expect(answer.statusCode).toBe(200);
  const { markdown, html } = answer.json();
  expect(markdown).toMatch(/^\[!\[[^[\]()<>\n]*\]\([^[\]()<>"'`*\s]*\)\]\([^[\]()<>"'`*\s]*\)$/);
  expect(html).toMatch(/^<a href="[^"<>\n]*"><img [^<>\n]*><\/a>$/);
});
