import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Records } from '../../../src/ports/records.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { PENDING } from '../../../src/records/visits/declaration-rows.ts';
import { publish, stitchAll } from '../../contract/records-documents.ts';
import { NOW } from '../../contract/records-fixtures.ts';
import { freshDatabase } from '../support/engines.ts';

const EDGES = 10_000;
const BATCH = 2_000;
const AGENT = 'https://agent.example/mcp';
/** What a visit writes that reads a manager's file, and what a stitch of its agents does. */
const WRITTEN = [
  `WITH begun AS (
     INSERT INTO authorisation (publisher, agent, entry, declared_url, via, scope, count_by_type, tags, seen_from)
     SELECT 'p' || n, 'https://managed.example/', 'e', 'u', 'direct', 'all', '{}', '[]', ${NOW}
     FROM generate_series(1, ${EDGES}) AS n RETURNING id
   ) INSERT INTO edge_log_pending (event, id) SELECT ${PENDING.began}, id FROM begun`,
  `INSERT INTO change_log (agent, kind, at) VALUES ('https://managed.example/', 'delisted', ${NOW})`,
];

let records: Records;
let writer: pg.Client;

beforeEach(async () => {
  const url = await freshDatabase();
  records = await openPostgresRecords({ url });
  writer = new pg.Client(url);
  await writer.connect();
});
afterEach(async () => {
  await writer.end();
  await records.close();
});

async function numbers(): Promise<readonly number[]> {
  return (await records.agents.changes(0, 10)).map(({ seq }) => seq);
}

it('a visit with many edges holds nobody up, and is numbered behind those who were quicker', async () => {
  await writer.query('BEGIN');
  for (const text of WRITTEN) await writer.query(text);
  await publish(records, 'news.example');
  await stitchAll(records);
  expect(await records.edgeLog.appendPending(10, NOW)).toBe(2); // the file is told of too
  expect(await numbers()).toEqual([1]);
  expect(await records.edgeLog.edgeChanges(0, 10)).toMatchObject([{ seq: 1, agent: AGENT }, { seq: 2 }]);
  await writer.query('COMMIT');
  expect([await records.agents.numberChanges(), await records.agents.numberChanges()]).toEqual([1, 0]);
  expect((await records.agents.changes(0, 10)).map(({ seq, agent }) => [seq, agent])).toEqual([
    [1, AGENT],
    [2, 'https://managed.example/'],
  ]);
  expect(await records.edgeLog.appendPending(BATCH, NOW)).toBe(BATCH);
  expect(await records.edgeLog.lastEdgeChange()).toBe(BATCH + 2);
});

it('several who number at once leave no gap, and neither does one who was killed', async () => {
  await writer.query(
    `INSERT INTO change_log (agent, kind, at) SELECT 'a', 'changed', n FROM generate_series(1, 4) AS n`,
  );
  await writer.query('BEGIN');
  await writer.query("INSERT INTO change_log (agent, kind, at) VALUES ('b', 'changed', 9)");
  await writer.query('ROLLBACK');
  const given = await Promise.all([1, 2, 3].map(() => records.agents.numberChanges()));
  expect([given.reduce((sum, n) => sum + n), await numbers()]).toEqual([4, [1, 2, 3, 4]]);
  await writer.query("INSERT INTO change_log (agent, kind, at) VALUES ('b', 'changed', 9)");
  expect(await numbers()).toEqual([1, 2, 3, 4]);
  expect([await records.agents.numberChanges(), await numbers()]).toEqual([1, [1, 2, 3, 4, 5]]);
});

it('an edge that ends while its begin is told of is told of afterwards', async () => {
  await publish(records, 'news.example');
  await writer.query('BEGIN');
  const ended = `UPDATE authorisation SET seen_until = ${NOW} RETURNING id`;
  await writer.query(
    `WITH ended AS (${ended}) INSERT INTO edge_log_pending (event, id) SELECT ${PENDING.ended}, id FROM ended`,
  );
  expect(await records.edgeLog.appendPending(10, NOW)).toBe(2);
  await writer.query('COMMIT');
  expect([
    await records.edgeLog.appendPending(10, NOW),
    await records.edgeLog.appendPending(10, NOW),
  ]).toEqual([1, 0]);
  const rows = await records.edgeLog.edgeChanges(0, 10);
  expect(rows.map(({ kind }) => kind)).toEqual(['began', 'file', 'ended']);
});
