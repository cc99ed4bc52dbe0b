import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PostgresEngine, startPostgres } from '../start/postgres.ts';
import { countingWeb } from './counting-web.ts';
import {
  allVisited,
  type Machine,
  type Running,
  recordsWith,
  scheduler,
  until,
  worker,
} from './processes.ts';

const CONCURRENCY = 8;
const DOMAINS = Array.from({ length: 200 }, (_, at) => `d${at}.example`);

/** A server of their own: it is stopped and frozen. */
let postgres: PostgresEngine;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** A crawl in the middle of which something happens; tells how often each domain was visited. */
async function crawlThrough(trouble: () => Promise<void>): Promise<readonly number[]> {
  const address = await postgres.createDatabase();
  const web = await countingWeb({ takesMs: 100 });
  const records = await recordsWith(address, DOMAINS);
  const machine: Machine = { address, connectTo: web.connectTo };
  const running: Running[] = [
    scheduler(machine),
    worker(machine, 'one', '--concurrency', String(CONCURRENCY)),
    worker(machine, 'two', '--concurrency', String(CONCURRENCY)),
  ];
  await web.until(() => web.seen.length > 40);
  await trouble();
  await until(() => allVisited(records));
  const codes = await Promise.all(running.map((process) => process.end('SIGTERM')));
  expect(codes).toEqual([0, 0, 0]); // none of them had ended before
  return DOMAINS.map((domain) => web.visits(domain));
}

describe('when PostgreSQL', () => {
  it('is restarted, the work goes on by itself, and no more is done twice than was under way', async () => {
    const visits = await crawlThrough(() => postgres.restart());
    expect(Math.min(...visits)).toBe(1);
    expect(visits.reduce((sum, count) => sum + count - 1, 0)).toBeLessThanOrEqual(2 * CONCURRENCY);
  });

  it('is frozen for longer than a statement may take, the work goes on by itself', async () => {
    const visits = await crawlThrough(async () => {
      postgres.freeze();
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      postgres.thaw();
    });
    expect(Math.min(...visits)).toBe(1);
    expect(visits.reduce((sum, count) => sum + count - 1, 0)).toBeLessThanOrEqual(2 * 2 * CONCURRENCY);
  });
});
