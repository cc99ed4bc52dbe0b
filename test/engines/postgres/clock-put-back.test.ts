import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresRecords } from '../../../src/adapters/sql/postgres/postgres-records.ts';
import type { Records } from '../../../src/ports/records.ts';
import { freshDatabase } from '../support/engines.ts';
import { asOwner } from '../support/roles.ts';

const YEAR = 365 * 24 * 3_600_000;
/** As the records lock it when they see that the clock was put back. */
const HOLD = 'BEGIN; SELECT pg_advisory_xact_lock(7431009)';

it('one process clears what a clock that was ahead left, and another that sees it put back waits for nothing', async () => {
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
  await holder.query(HOLD);
  await opened(url);
  expect(await turns()).toEqual([String(aheadAt + 60_000)]);

  await holder.query('COMMIT');
  await opened(url);
  const [until] = await turns();
  expect(Number(until)).toBeLessThan(Date.now() + 60_000);
});

async function opened(url: string): Promise<Records> {
  const records = await openPostgresRecords({ url });
  onTestFinished(() => records.close());
  return records;
}
