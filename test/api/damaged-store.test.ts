import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { singleFlight } from '../../src/api/single-flight.ts';
import { bareDocument } from './support/documents.ts';
import { startRegistry } from './support/registry.ts';

const LIST = '/api/registry/agents';
const PAGE = 4_096;
const agents = Array.from({ length: 40 }, (_, n) => bareDocument(`https://a${n}.example/`));

let folder = '';
let path = '';
let registry: Awaited<ReturnType<typeof startRegistry>>;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  folder = await mkdtemp(join(tmpdir(), 'damaged-'));
  path = join(folder, 'registry.sqlite');
  registry = await startRegistry(agents, {}, { path });
  await registry.server.ready();
  registry.records.database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA cache_size = 1');
});
afterEach(async () => {
  vi.useRealTimers();
  await registry.close();
  await rm(folder, { recursive: true });
});

const statuses = async () => {
  const [list, ready, live] = await Promise.all([LIST, '/readyz', '/healthz'].map((at) => registry.get(at)));
  return [list?.statusCode, ready?.statusCode, live?.statusCode];
};

describe('readiness over a file', () => {
  it('that was damaged says so, and is ready again by itself when it is restored in its place', async () => {
    expect(await statuses()).toEqual([200, 200, 200]);
    const good = readFileSync(path);
    const bad = Buffer.from(good);
    bad.fill(0xee, PAGE);
    writeFileSync(path, bad);
    expect((await registry.get(`${LIST}?type=sales&total=true`)).statusCode).toBe(503);
    expect((await registry.get('/readyz')).json()).toMatchObject({
      status: 503,
      detail: expect.stringContaining('records (store_corrupt)'),
    });
    expect((await statuses()).slice(1)).toEqual([503, 200]);
    writeFileSync(path, good);
    vi.advanceTimersByTime(2_000);
    expect(await statuses()).toEqual([200, 200, 200]);
  });

  it('that is none any more says so, although answers still come from memory', async () => {
    const good = readFileSync(path);
    writeFileSync(path, 'not a database');
    expect((await registry.get('/readyz')).statusCode).toBe(503);
    writeFileSync(path, good);
    vi.advanceTimersByTime(2_000);
    expect((await registry.get('/readyz')).statusCode).toBe(200);
  });

  it('that was replaced answers from the new one', async () => {
    const copy = join(folder, 'copy.sqlite');
    writeFileSync(copy, readFileSync(path));
    await registry.put([bareDocument('https://new.example/')]);
    expect((await registry.get(LIST)).json().agents).toHaveLength(41);
    for (const end of ['-wal', '-shm']) rmSync(path + end, { force: true });
    renameSync(copy, path);
    expect((await registry.get('/readyz')).statusCode).toBe(200);
    expect((await registry.get(LIST)).json().agents).toHaveLength(40);
  });

  it('that is gone says so', async () => {
    renameSync(path, join(folder, 'elsewhere.sqlite'));
    expect((await registry.get('/readyz')).json()).toMatchObject({
      detail: expect.stringContaining('records (store_missing)'),
    });
  });
});

describe('a look that many ask for', () => {
  it('is one at a time, and ten in a second at most', async () => {
    let looks = 0;
    const look = singleFlight(async () => {
      looks += 1;
      return looks;
    });
    await Promise.all(Array.from({ length: 100 }, look));
    expect(looks).toBe(1);
    for (let n = 0; n < 100; n += 1) await look();
    expect(looks).toBe(10);
    vi.advanceTimersByTime(1_000);
    expect(await look()).toBe(11);
  });
});
