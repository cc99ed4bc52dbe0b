import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresRecords } from '../../../src/adapters/sql/postgres/postgres-records.ts';
import type { Records } from '../../../src/ports/records.ts';
import { freshDatabase } from '../support/engines.ts';
import { asOwner } from '../support/roles.ts';

const YEAR = 365 * 24 * 3_600_000;

it.each([
  // as the records lock it when they see that the clock was put back
  ['another process clears it', 'SELECT pg_advisory_xact_lock(7431009)'],
  ['to clear it takes long', 'LOCK TABLE source'],
])(
  'whoever opens the records waits for nothing while %s, and what a clock that was ahead left is cleared',
  async (_, held) => {
    const url = await freshDatabase();
    const aheadAt = Date.now() + YEAR;
    const first = await openPostgresRecords({ url });
    await first.politeness.claim(['news.example'], 'ahead', aheadAt, 60_000);
    await first.close();
    const mark = JSON.stringify({ settledAt: Date.now(), latestAt: aheadAt, isAhead: true });
    await asOwner(url, `UPDATE meta SET value = convert_to('${mark}', 'UTF8') WHERE name = 'clock'`);
    const turns = async () => (await asOwner(url, 'SELECT until FROM domain_turn')).map(({ until }) => until);

    const holder = new pg.Client(url);
    await holder.connect();
    onTestFinished(() => holder.end());
    await holder.query(`BEGIN; ${held}`);
    await opened(url);
    expect(await turns()).toEqual([String(aheadAt + 60_000)]);

    await holder.query('COMMIT');
    await opened(url);
    await expect.poll(async () => Number((await turns())[0])).toBeLessThan(Date.now() + 60_000);
  },
);

async function opened(url: string): Promise<Records> {
  const records = await openPostgresRecords({ url });
  onTestFinished(() => records.close());
  return records;
}
