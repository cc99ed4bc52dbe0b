import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { writeExport } from '../../src/api/export/files.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import type { LocalQuestion } from '../../src/client/directory/index.ts';
import { createClient } from '../../src/client/index.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchAndIndex } from '../../src/index/generations/stitch-and-index.ts';
import { openRegistry } from '../api/support/registry.ts';
import { NOW } from '../contract/records-fixtures.ts';
import { publish } from '../contract/records-steps.ts';

/** A registry that listens, and writes exports. */
export async function openDirectoryWorld() {
  const exports = mkdtempSync(join(tmpdir(), 'registry-exports-'));
  onTestFinished(() => rmSync(exports, { recursive: true }));
  const registry = await openRegistry([], { exports });
  const { records, index, clock } = registry;
  clock.value = NOW;
  const baseUrl = await registry.server.listen({ port: 0, host: '127.0.0.1' });
  const stitch = () => stitchAndIndex({ records, index, clock, rederive: deriveStored });
  return {
    ...registry,
    exports,
    stitch,
    client: createClient({ baseUrl }),
    say: async (publisher: string, file: object) => {
      clock.value += 1_000;
      await publish(records, publisher, file, clock.value);
    },
    write: async () => writeExport({ records, clock, cursorSecret: await cursorSecretOf(records) }, exports),
  };
}

/** Numbers that are the same for the same seed (mulberry32). */
export function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    below,
    isTrue: (share: number) => next() < share,
    one: <T>(list: readonly T[]): T => list[below(list.length)] as T,
    some: <T>(list: readonly T[], most: number): readonly T[] =>
      Array.from({ length: 1 + below(most) }, () => list[below(list.length)] as T),
  };
}
type Random = ReturnType<typeof createRandom>;

export const PUBLISHERS = [
  'news.example',
  'a.news.example',
  'shop.example',
  'xn--mnchen-3ya.example',
  'x.co.uk',
  'tv.example',
];
const AGENTS = [
  'https://a.example/mcp',
  'https://b.example/mcp',
  'https://c.example/A%2fb/',
  'HTTPS://D.example:443',
];
const APPS = ['com.one', 'com.two', 'com.three'];
const IDS = ['home', 'app', 'Ünique', 'a"b'];
const TAGS = ['news', 'sport', '<b>'];
const COUNTRIES = ['DE', 'FR', 'US'];
const SITES = [
  'news.example',
  'www.news.example',
  '*.news.example',
  'a.news.example',
  'shop.example',
  'm.shop.example',
  'xn--mnchen-3ya.example',
  'x.co.uk',
  'other.example',
];

/** An adagents.json that a stranger could write; some of what it says contradicts the files of others. */
export function randomFile(publisher: string, random: Random, now: number): object {
  const { one, some, isTrue, below } = random;
  const identifier = () =>
    isTrue(0.6) ? { type: 'domain', value: one(SITES) } : { type: 'ios_bundle', value: one(APPS) };
  const property = () => ({
    ...(isTrue(0.9) && { property_id: one(IDS) }),
    property_type: one(['website', 'mobile_app']),
    name: 'One',
    identifiers: Array.from({ length: 1 + below(3) }, identifier),
    ...(isTrue(0.5) && { tags: [...new Set(some(TAGS, 2))] }),
  });
  const home = {
    ...{ property_id: 'home', property_type: 'website', name: 'Home' },
    identifiers: [{ type: 'domain', value: publisher }],
  };
  const time = (days: number) => new Date(now + days * 86_400_000).toISOString();
  const scopes = [
    () => ({ authorization_type: 'property_ids', property_ids: [...new Set(some(IDS, 3))] }),
    () => ({ authorization_type: 'property_tags', property_tags: [...new Set(some(TAGS, 2))] }),
    () => ({ authorization_type: 'inline_properties', properties: [property()] }),
    () => ({
      authorization_type: 'signal_ids',
      signal_ids: [{ source: 'catalog', data_provider_domain: 'x.example', id: 's' }],
    }),
    () => ({}),
  ];
  const entry = () => ({
    url: one(AGENTS),
    authorized_for: 'x',
    ...one(scopes)(),
    ...(isTrue(0.3) && { countries: [...new Set(some(COUNTRIES, 2))] }),
    ...(isTrue(0.1) && { effective_until: time(30) }),
    ...(isTrue(0.1) && { effective_from: time(isTrue(0.5) ? -3 : 3) }),
  });
  return {
    authorized_agents: Array.from({ length: below(9) }, entry),
    ...(isTrue(0.8) && { properties: [home, ...Array.from({ length: below(5) }, property)] }),
  };
}

export function randomQuestion({ one, isTrue }: Random): LocalQuestion {
  const properties = [
    { type: 'domain', value: one([...SITES, 'WWW.News.example', 'deep.a.news.example', 'münchen.example']) },
    { type: 'subdomain', value: one(['a.news.example', 'm.shop.example']) },
    { type: 'ios_bundle', value: one([...APPS, 'com.none']) },
    { type: 'ios_bundle', value: one(APPS) },
  ];
  const isNamed = isTrue(0.5);
  const publisher = isNamed
    ? { publisher: one([...PUBLISHERS, 'www.shop.example', 'M.news.example', 'none.example']) }
    : {};
  const property = isNamed && isTrue(0.3) ? { id: one([...IDS, 'none']) } : one(properties);
  return {
    agent: one([...AGENTS, 'https://none.example/']),
    ...publisher,
    ...((!isNamed || isTrue(0.8)) && { property }),
    ...(isTrue(0.3) && { country: one([...COUNTRIES, 'jp']) }),
    ...(isTrue(0.1) && { placement: 'top' }),
  };
}
