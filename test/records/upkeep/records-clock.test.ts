import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSqliteRecords, type SqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';

const DAY = 24 * 3_600_000;
const NOW = 1_800_000_000_000;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clock-'));
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

/** What a process does that begins at a time by the machine's clock. */
async function at<T>(
  now: number,
  work: (records: SqliteRecords) => Promise<T>,
  readOnly = false,
): Promise<T> {
  vi.setSystemTime(now);
  const records = await openSqliteRecords({ path: join(folder, 'records.sqlite'), readOnly });
  try {
    return await work(records);
  } finally {
    await records.close();
  }
}

const settled = async ({ clock }: SqliteRecords) => Math.round((clock.settled() - NOW) / DAY);

describe('the clock of records in a file', () => {
  it.each([
    ['a month in which nothing ran', 30, 30],
    ['a year in which nothing ran, which nobody can tell from a jump', 365, 0],
    ['a clock that was put back', -365, 0],
  ])('is settled after %s: by %i days to %i', async (_, days, expected) => {
    await at(NOW, async () => {});
    expect(await at(NOW + days * DAY, settled, true)).toBe(expected);
    expect(await at(NOW + days * DAY, settled)).toBe(expected);
    expect(await at(NOW + days * DAY, settled)).toBe(expected);
    expect(await at(NOW + DAY, settled)).toBe(Math.max(expected, 1));
  });

  it('is settled when an operator confirms it', async () => {
    await at(NOW, async () => {});
    await at(NOW + 365 * DAY, ({ clock }) => clock.confirm());
    expect(await at(NOW + 365 * DAY, settled)).toBe(365);
    await at(NOW, ({ clock }) => clock.confirm());
    expect(await at(NOW, settled)).toBe(0);
  });

  it('is not settled when it jumps while a process works', async () => {
    await at(NOW, async (records) => {
      vi.setSystemTime(NOW + DAY);
      expect(await settled(records)).toBe(1);
      vi.setSystemTime(NOW + 365 * DAY);
      expect(await settled(records)).toBe(0);
    });
  });
});
