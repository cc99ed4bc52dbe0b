import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSqliteRecords, type SqliteRecords } from '../../../../src/adapters/sql/sqlite/sqlite-records.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;
const AGENT = 'https://agent.news.example/mcp';

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

const jump = async ({ clock }: SqliteRecords) => Math.round(clock.state().jumpMs / DAY);
const settled = async ({ clock }: SqliteRecords) => Math.round((clock.settled() - NOW) / DAY);

describe('the clock of records in a file', () => {
  it('is told of and not settled when it is a year ahead, to readers too, and goes when it is right', async () => {
    await at(NOW, async () => {});
    expect(await at(NOW + 365 * DAY, jump)).toBe(365);
    expect(await at(NOW + 365 * DAY, settled)).toBe(0);
    expect(await at(NOW + 365 * DAY, jump, true)).toBe(365);
    expect(await at(NOW + HOUR, jump)).toBe(-365);
    expect(await at(NOW + HOUR, settled)).toBe(0);
    expect(await at(NOW + 2 * DAY, jump)).toBe(0);
  });

  it('is settled when an operator confirms it', async () => {
    await at(NOW, async () => {});
    await at(NOW + 365 * DAY, ({ clock }) => clock.confirm());
    expect(await at(NOW + 365 * DAY, settled)).toBe(365);
    expect(await at(NOW + 365 * DAY, jump)).toBe(0);
  });

  it('clears what it left when it is put back: what has happened is not later than now, what was planned is due', async () => {
    await at(NOW, async () => {});
    await at(NOW + 365 * DAY, async ({ sources, members, database, clock }) => {
      const now = clock.now();
      await sources.add([{ kind: 'agent', key: AGENT, url: AGENT, foundVia: 'operator' }], now);
      await members.import([{ slug: 'acme', displayName: 'Acme', foundingMember: false }], now);
      await members.register({ agent: AGENT, url: AGENT, member: 'acme' }, now);
      database.exec(`UPDATE agent SET declaration_ended_at = ${now}, last_seen_at = ${now}`);
      database.exec(`UPDATE source SET absent_since = ${now}, lease_until = ${now}`);
    });
    await at(NOW + HOUR, async ({ sources, database }) => {
      const due = await sources.due('agent', 10, NOW + HOUR);
      expect(due.map(({ key, dueAt }) => [key, dueAt])).toEqual([[AGENT, NOW + HOUR]]);
      const source = database.statement('SELECT first_seen_at, absent_since FROM source').get();
      expect(Object.values(source ?? {})).toEqual([NOW + HOUR, NOW + HOUR]);
      const agent = database.statement('SELECT first_seen_at, declaration_ended_at FROM agent').get();
      expect(Object.values(agent ?? {})).toEqual([NOW + HOUR, NOW + HOUR]);
    });
  });

  it('leaves what has happened as it is when it is put back behind what was settled, until an operator confirms it', async () => {
    await at(NOW, async ({ sources, database }) => {
      await sources.add([{ kind: 'domain', key: 'news.example', foundVia: 'operator' }], NOW);
      database.exec(`UPDATE source SET absent_since = ${NOW}, next_visit_at = ${NOW + 6 * HOUR}`);
    });
    const absentSince = ({ database }: SqliteRecords) =>
      Number(database.statement('SELECT absent_since FROM source LIMIT 1').get()?.absent_since) - NOW;
    const early = NOW - 365 * DAY;
    expect(await at(early, jump)).toBe(-365);
    expect(await at(early, async (records) => absentSince(records))).toBe(0);
    expect(await at(early, settled)).toBe(0);
    expect(await at(early, async ({ sources }) => (await sources.due('domain', 9, early)).length)).toBe(1);
    expect(await at(NOW + HOUR, async (records) => absentSince(records))).toBe(0);
    expect(await at(NOW + HOUR, jump)).toBe(0);
    await at(early, ({ clock }) => clock.confirm());
    expect(await at(early, async (records) => absentSince(records))).toBe(early - NOW);
  });

  it('leaves an agent that is out of the list where a clock that was right has parked it', async () => {
    await at(NOW, async ({ sources, database }) => {
      await sources.add([{ kind: 'agent', key: AGENT, url: AGENT, foundVia: 'operator' }], NOW);
      database.exec(`UPDATE source SET next_visit_at = ${NOW + 29 * DAY}, last_visit_at = ${NOW}`);
    });
    await at(NOW + 9 * DAY, async () => {});
    expect(await at(NOW + HOUR, ({ sources }) => sources.due('agent', 10, NOW + HOUR))).toEqual([]);
  });
});
