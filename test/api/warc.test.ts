import { hash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeWhole } from '../../src/api/export/files.ts';
import { warcRecords } from '../../src/api/export/warc.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { NOW } from '../contract/records-fixtures.ts';
import { publish, publishFile } from '../contract/records-steps.ts';

const HOUR = 3_600_000;
const file = (agent: string): object => ({ authorized_agents: [{ url: agent, authorized_for: 'x' }] });
const FILE = file('https://a.example/mcp');

async function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'registry-warc-'));
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(async () => {
    await records.close();
    rmSync(folder, { recursive: true });
  });
  const path = join(folder, 'files.warc.gz');
  const counts = { captures: 0, texts: 0, missing: 0 };
  const archive = (domain?: string) =>
    warcRecords(
      { texts: records.sources, version: '0.1.0', now: NOW, ...(domain !== undefined && { domain }) },
      counts,
    );
  return { records, folder, path, counts, archive };
}

/** The records of an archive, as its format says: a head of lines, an empty one, and so many bytes. */
async function read(records: AsyncIterable<Uint8Array>) {
  const found: { readonly fields: Record<string, string>; readonly block: string }[] = [];
  for await (const packed of records) {
    const bytes = gunzipSync(packed);
    const end = bytes.indexOf('\r\n\r\n');
    const [version, ...lines] = bytes.subarray(0, end).toString().split('\r\n');
    const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s).slice(0, 2)));
    const length = Number(fields['Content-Length']);
    expect([version, bytes.byteLength]).toEqual(['WARC/1.1', end + 4 + length + 4]);
    found.push({ fields, block: bytes.subarray(end + 4, end + 4 + length).toString() });
  }
  return found;
}

describe('an archive of the files', () => {
  it('has each text once, refers to it where it came again, and says for whom it was read', async () => {
    const { records, archive, counts } = await opened();
    await publish(records, 'news.example', FILE, NOW);
    await publishFile(records, 'shop.example', 'adagents', { file: FILE, at: NOW + HOUR });
    await publish(records, 'news.example', file('https://b.example/mcp'), NOW + 2 * HOUR);
    const [head, ...rest] = await read(archive());
    expect(head?.block).toBe('software: agent-registry/0.1.0\r\nformat: WARC File Format 1.1\r\n');
    const types = rest.map(({ fields }) => [fields['WARC-Type'], fields['WARC-Target-URI']]);
    const news = 'https://news.example/.well-known/adagents.json';
    const shop = 'https://shop.example/.well-known/adagents.json';
    expect(types).toEqual([
      ['resource', news],
      ['metadata', news],
      ['revisit', shop],
      ['metadata', shop],
      ['resource', news],
      ['metadata', news],
    ]);
    const [first, beside, again] = rest;
    expect(JSON.parse(first?.block ?? '')).toEqual(FILE);
    const digest = hash('sha256', first?.block ?? '');
    expect(first?.fields['WARC-Payload-Digest']).toBe(`sha256:${digest}`);
    expect(beside?.fields['WARC-Concurrent-To']).toBe(first?.fields['WARC-Record-ID']);
    expect(beside?.block).toContain('file: adagents\r\ndomain: news.example\r\n');
    expect(again?.fields).toMatchObject({
      'WARC-Refers-To': first?.fields['WARC-Record-ID'],
      'WARC-Refers-To-Target-URI': news,
      'WARC-Payload-Digest': `sha256:${digest}`,
      'Content-Length': '0',
    });
    expect(counts).toEqual({ captures: 3, texts: 2, missing: 0 });
  });

  it('keeps to one domain where one is named', async () => {
    const { records, archive } = await opened();
    await publish(records, 'news.example', FILE);
    await publish(records, 'shop.example', FILE);
    const found = await read(archive('shop.example'));
    expect(found.map(({ fields }) => fields['WARC-Type'])).toEqual(['warcinfo', 'resource', 'metadata']);
  });

  it('says the way to a file that lies elsewhere, and no address breaks out of its line', async () => {
    const { records, archive } = await opened();
    const url = 'https://files.example/a\r\nWARC-Type: response';
    await publishFile(records, 'news.example', 'adagents', { file: FILE, url });
    const [, text] = await read(archive());
    expect(text?.fields).toMatchObject({
      'WARC-Type': 'resource',
      'WARC-Target-URI': 'https://files.example/a WARC-Type: response',
    });
  });

  it('counts the answers whose text is gone, and has the others', async () => {
    const { records, archive, counts } = await opened();
    await publish(records, 'news.example', FILE);
    await publish(records, 'shop.example', file('https://b.example/mcp'));
    records.database.exec('DELETE FROM body WHERE hash IN (SELECT hash FROM body LIMIT 1)');
    expect(await read(archive())).toHaveLength(3);
    expect(counts).toEqual({ captures: 1, texts: 1, missing: 1 });
  });

  it('has its name when it is whole, and leaves nothing when it is given up', async () => {
    const { records, archive, folder, path } = await opened();
    await publish(records, 'news.example', FILE);
    const stop = new AbortController();
    async function* stopped() {
      yield* archive();
      stop.abort();
      yield Buffer.from('more');
    }
    await expect(writeWhole(path, stopped(), stop.signal)).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
    await writeWhole(path, archive());
    expect(existsSync(path) && gunzipSync(readFileSync(path)).subarray(0, 8).toString()).toBe('WARC/1.1');
  });
});
