import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Exposure } from '../../src/ports/cap-store.ts';
import { openCapStore } from '../../src/records/sqlite/cap-store.ts';
import { createMemoryCaps } from '../../src/trusted-match/memory-caps.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { ANN, startProvider } from './support.ts';

const exposure = (id: string, change: Partial<Exposure> = {}): Exposure => ({
  id,
  token: 't',
  packageId: 'p',
  at: 1_000,
  until: 2_000,
  keep: 3,
  ...change,
});

describe.each([
  ['in memory', () => createMemoryCaps()],
  ['in SQLite', () => openCapStore(':memory:')],
])('the exposures %s', (_name, open) => {
  it('forget each at its time, and its id with it', () => {
    const caps = open();
    expect(caps.record(exposure('a'))).toBe('recorded');
    expect(caps.record(exposure('a', { at: 1_999 }))).toBe('repeated');
    expect(caps.shownTo('t', 1_999)).toEqual([expect.objectContaining({ packageId: 'p', at: 1_000 })]);
    expect(caps.shownTo('t', 2_000)).toEqual([]);
    expect(caps.record(exposure('a', { at: 2_000, until: 3_000, packageId: 'q' }))).toBe('recorded');
    expect(caps.shownTo('t', 2_000)).toEqual([expect.objectContaining({ packageId: 'q', at: 2_000 })]);
    caps.close();
  });

  it('keep the newest of a token and package only', () => {
    const caps = open();
    for (let at = 1_000; at < 1_010; at += 1) caps.record(exposure(`${at}`, { at }));
    caps.record(exposure('other', { packageId: 'q' }));
    const kept = caps.shownTo('t', 1_500).filter(({ packageId }) => packageId === 'p');
    expect(kept.map(({ at }) => at).toSorted()).toEqual([1_007, 1_008, 1_009]);
    caps.close();
  });
});

describe('the exposures in memory', () => {
  it('are as many as they may be; the oldest goes first, and it is told', () => {
    let forgotten = 0;
    const caps = createMemoryCaps({
      max: 2,
      onForgotten: () => {
        forgotten += 1;
      },
    });
    for (const id of ['a', 'b', 'c']) caps.record(exposure(id, { token: id }));
    expect(['a', 'b', 'c'].map((token) => caps.shownTo(token, 1_500).length)).toEqual([0, 1, 1]);
    expect(forgotten).toBe(1);
  });

  it('give the room of what is over without a word', () => {
    const caps = createMemoryCaps({ max: 2, onForgotten: () => expect.unreachable() });
    for (let at = 0; at < 50; at += 1) caps.record(exposure(`${at}`, { at, until: at + 1 }));
  });
});

describe('the exposures in SQLite', () => {
  it('hold a cap after a restart, with the same key', async () => {
    const path = join(tempFolder(), 'caps.sqlite');
    const rules = [{ packageId: 'rail-pass', frequencyCap: { maxImpressions: 1, windowSeconds: 60 } }];
    const before = openCapStore(path);
    await startProvider({ rules, caps: before }).show(ANN, 'rail-pass');
    before.close();
    const after = openCapStore(path);
    onTestFinished(() => after.close());
    const { eligible, wait } = startProvider({ rules, caps: after });
    expect(await eligible(ANN, 'rail-pass')).toEqual([]);
    wait(60_000);
    expect(await eligible(ANN, 'rail-pass')).toEqual(['rail-pass']);
  });

  it('never have a token', async () => {
    const path = join(tempFolder(), 'caps.sqlite');
    const caps = openCapStore(path);
    const rules = [{ packageId: 'rail-pass', frequencyCap: { maxImpressions: 1, windowSeconds: 60 } }];
    await startProvider({ rules, caps }).show(ANN, 'rail-pass');
    caps.close();
    const bytes = readFileSync(path);
    expect(bytes.includes('rail-pass')).toBe(true);
    expect(bytes.includes(ANN)).toBe(false);
  });

  it('lose none that was answered when the process is killed', async () => {
    const path = join(tempFolder(), 'caps.sqlite');
    const script = join(tempFolder(), 'expose.ts');
    const module = new URL('../../src/records/sqlite/cap-store.ts', import.meta.url).href;
    writeFileSync(
      script,
      `import { openCapStore } from '${module}';
       const caps = openCapStore(process.argv[2]);
       console.log(caps.record(${JSON.stringify(exposure('a'))}));
       setInterval(() => {}, 1000);`,
    );
    const child = spawn(process.execPath, [script, path], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(String((await once(child.stdout, 'data'))[0]).trim()).toBe('recorded');
    child.kill('SIGKILL');
    await once(child, 'close');
    const caps = openCapStore(path);
    expect(caps.record(exposure('a'))).toBe('repeated');
    caps.close();
  });

  it('answer 503 while another process holds them, and tell the operator', async () => {
    const path = join(tempFolder(), 'caps.sqlite');
    const caps = openCapStore(path);
    const other = new DatabaseSync(path);
    onTestFinished(() => {
      other.close();
      caps.close();
    });
    const rules = [{ packageId: 'rail-pass', frequencyCap: { maxImpressions: 1, windowSeconds: 60 } }];
    const { show, counted, faults } = startProvider({ rules, caps });
    const id = randomUUID();
    other.exec('BEGIN IMMEDIATE');
    expect(await show(ANN, 'rail-pass', id)).toMatchObject({
      status: 503,
      body: { code: 'unavailable', retryable: true },
    });
    other.exec('ROLLBACK');
    expect(await show(ANN, 'rail-pass', id)).toMatchObject({ status: 200, body: { counted: true } });
    expect(counted.requests.map(([, result]) => result)).toEqual(['error', 'ok']);
    expect(faults).toEqual([expect.objectContaining({ code: 'store_locked' })]);
  });
});
