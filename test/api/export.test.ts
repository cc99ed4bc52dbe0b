import fs, { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newestExport, writeExport } from '../../src/api/export/files.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';
import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchAndIndex } from '../../src/index/generations/stitch-and-index.ts';
import { NOW } from '../contract/records-fixtures.ts';
import { publish } from '../contract/records-steps.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry } from './support/registry.ts';

const EXPORT = '/api/registry/export';
const file = (...agents: readonly string[]): object => ({
  authorized_agents: agents.map((url) => ({ url, authorized_for: 'a "line"\u2028break' })),
});

async function opened() {
  const exports = mkdtempSync(join(tmpdir(), 'registry-exports-'));
  onTestFinished(() => rmSync(exports, { recursive: true }));
  const registry = await openRegistry([], { exports });
  const { records, index, clock, get } = registry;
  clock.value = NOW;
  const say = async (publisher: string, ...agents: readonly string[]) => {
    clock.value += 60_000;
    await publish(records, publisher, file(...agents), clock.value);
    await stitchAndIndex({ records, index, clock, rederive: deriveStored });
  };
  const write = async () =>
    writeExport({ records, clock, cursorSecret: await cursorSecretOf(records) }, exports);
  const feed = async (cursor: string) => (await get(`/api/registry/feed?cursor=${cursor}`)).json();
  return { ...registry, exports, say, write, feed };
}

describe('the export', () => {
  it('has a head, each agent and publisher once, an end with their numbers, and the feed goes on behind it', async () => {
    const { say, write, get, feed } = await opened();
    expect((await get(EXPORT)).json()).toMatchObject({ status: 501, code: 'not_offered' });
    await say('news.example', 'https://a.example/mcp', 'https://b.example/mcp');
    await say('shop.example', 'https://a.example/mcp');
    const { cursor } = await write();
    const answer = await get(EXPORT);
    expect(answer.headers).toMatchObject({ etag: `"${cursor}"`, 'x-sync-cursor': cursor });
    const lines = linesOf(answer.rawPayload);
    const counts = { agents: 2, publishers: 2, entries: 3 };
    expect(lines[0]).toMatchObject({ kind: 'export', version: 1, cursor, counts });
    expect(lines.map(({ kind }) => kind)).toEqual([
      'export',
      'agent',
      'agent',
      'publisher',
      'publisher',
      'end',
    ]);
    expect(lines.at(-1)).toEqual({ kind: 'end', counts });
    const { events } = await feed('');
    const discovered = events.find(
      (one: { entity_id: string }) => one.entity_id === lines[1]?.agent_url,
    ).payload;
    expect(lines[1]).toEqual({ kind: 'agent', ...discovered, inventory_profile: undefined });
    expect((await feed(cursor)).events).toEqual([]);
    await say('shop.example');
    expect((await feed(cursor)).events).toContainEqual(
      expect.objectContaining({ event_type: 'authorization.revoked' }),
    );
    const line = await get(`${EXPORT}/publishers/NEWS.example`);
    expect(line.json()).toEqual(lines[3]);
    expect((await get(`${EXPORT}/publishers/none.example`)).statusCode).toBe(404);
  });

  it('tells a long publisher in pieces, in the export and by itself, and a short one with a tag', async () => {
    const { say, write, get, records, clock, server } = await opened();
    const places = Array.from({ length: 2_500 }, (_, n) => ({ property_id: `p${n}`, name: 'x'.repeat(200) }));
    const properties = places.map((place, n) => ({
      ...{ ...place, property_type: 'website' },
      identifiers: [{ type: 'domain', value: `s${n}.news.example` }],
    }));
    const entries = places.map(({ property_id }, n) => ({
      ...{ url: `https://a${n % 7}.example/mcp`, authorized_for: 'x' },
      ...{ authorization_type: 'property_ids', property_ids: [property_id] },
    }));
    await publish(records, 'news.example', { properties, authorized_agents: entries }, clock.value);
    await say('shop.example', 'https://a.example/mcp');
    await write();
    const lines = linesOf((await get(EXPORT)).rawPayload).filter((one) => 'publisher_domain' in one);
    const [first, ...more] = lines.filter((one) => one.publisher_domain === 'news.example');
    expect(first).toMatchObject({ kind: 'publisher', continued: true, properties: [], entries: [] });
    expect(more.length).toBeGreaterThan(3);
    expect(more.map(({ kind, continued }) => [kind, continued])).toEqual(
      more.map((_, at) => ['continuation', at < more.length - 1 ? true : undefined]),
    );
    const said = (name: 'properties' | 'entries') => more.flatMap((one) => one[name] as unknown[]);
    const asked = `${EXPORT}/publishers/news.example`;
    const long = await get(asked);
    expect(long.json()).toEqual({
      ...{ ...first, continued: undefined },
      ...{ properties: said('properties'), entries: said('entries') },
    });
    expect(said('entries')).toHaveLength(entries.length);
    expect(said('properties')).toHaveLength(properties.length);
    expect([long.headers.etag, long.headers['content-length']]).toEqual([undefined, undefined]);
    const head = await server.inject({ method: 'HEAD', url: asked });
    expect([head.statusCode, head.body]).toEqual([200, '']);
    const short = await get(`${EXPORT}/publishers/shop.example`);
    expect(short.json()).toEqual(lines.at(-1));
    const etag = String(short.headers.etag);
    expect((await get(`${EXPORT}/publishers/shop.example`, { 'if-none-match': etag })).statusCode).toBe(304);
    const document = (await get('/openapi.json')).json<OpenApi>();
    for (const answer of [long, short])
      expect(breaches(document, `${EXPORT}/publishers/{domain}`, answer)).toEqual([]);
  });

  it('is given again only when it is another one, and in parts', async () => {
    const { say, write, get } = await opened();
    await say('news.example', 'https://a.example/mcp');
    await write();
    const whole = await get(EXPORT);
    const bytes = whole.rawPayload;
    const etag = String(whole.headers.etag);
    expect((await get(EXPORT, { 'if-none-match': etag })).statusCode).toBe(304);
    const part = await get(EXPORT, { range: 'bytes=10-19', 'if-range': etag });
    expect([part.statusCode, part.headers['content-range']]).toEqual([206, `bytes 10-19/${bytes.length}`]);
    expect(part.rawPayload).toEqual(bytes.subarray(10, 20));
    expect((await get(EXPORT, { range: 'bytes=-5' })).rawPayload).toEqual(bytes.subarray(-5));
    for (const headers of [{ range: 'bytes=10-', 'if-range': '"x"' }, { range: 'bytes=9-1' }, { range: 'x' }])
      expect((await get(EXPORT, headers as never)).rawPayload).toEqual(bytes);
    const document = (await get('/openapi.json')).json<OpenApi>();
    for (const answer of [whole, part]) expect(breaches(document, EXPORT, answer)).toEqual([]);
  });

  it('tells HEAD its length and reads none of it', async () => {
    const { say, write, server } = await opened();
    await say('news.example', 'https://a.example/mcp');
    const { bytes } = await write();
    const reading = vi.spyOn(fs, 'createReadStream');
    syncBuiltinESMExports(); // so that it is watched where it was imported by its name
    onTestFinished(() => {
      reading.mockRestore();
      syncBuiltinESMExports();
    });
    const answer = await server.inject({ method: 'HEAD', url: EXPORT });
    expect([answer.statusCode, answer.headers['content-length']]).toEqual([200, String(bytes)]);
    expect(reading).not.toHaveBeenCalled();
    expect((await server.inject({ method: 'GET', url: EXPORT })).statusCode).toBe(200);
    expect(reading).toHaveBeenCalledOnce();
  });

  it('leaves the part that another process writes, and removes one that nobody wrote to for a day', async () => {
    const { write, exports, clock } = await opened();
    const parts = ['.0000000000000001.part', '.0000000000000002.part'];
    for (const name of parts) writeFileSync(join(exports, name), '');
    const [old = '', young = ''] = parts.map((name) => join(exports, name));
    utimesSync(old, 0, clock.value / 1_000 - 86_401);
    utimesSync(young, 0, clock.value / 1_000 - 86_399);
    await write();
    expect(readdirSync(exports).filter((name) => name.endsWith('.part'))).toEqual(parts.slice(1));
  });

  it('keeps the newest two, and no part of one that failed', async () => {
    const { say, write, exports, records, clock } = await opened();
    await say('news.example', 'https://a.example/mcp');
    writeFileSync(join(exports, 'notes.txt'), 'of the operator');
    for (let n = 0; n < 3; n += 1) {
      clock.value += 1_000;
      await write();
    }
    expect(readdirSync(exports)).toHaveLength(3);
    expect(Math.abs(Number((await newestExport(exports))?.at) - clock.value)).toBeLessThan(64); // as its cursor has it
    const broken = {
      ...records,
      copies: { ...records.copies, publishersBehind: () => Promise.reject(new Error('x')) },
    };
    await expect(
      writeExport({ records: broken, clock, cursorSecret: new Uint8Array(32) }, exports),
    ).rejects.toThrow('x');
    expect(readdirSync(exports)).toHaveLength(3);
  });
});

function linesOf(packed: Uint8Array): readonly Record<string, unknown>[] {
  const texts = gunzipSync(packed).toString().trimEnd().split('\n');
  return texts.map((line) => JSON.parse(line));
}
