import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Records } from '../../../src/ports/records.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { PENDING } from '../../../src/records/visits/declaration-rows.ts';
import { publish, stitchAll } from '../../contract/records-documents.ts';
import { NOW } from '../../contract/records-fixtures.ts';
import { waitUntil } from '../start/processes.ts';
import { isWaiting } from '../support/during.ts';
import { freshDatabase } from '../support/engines.ts';

const EDGES = 10_000;
const BATCH = 2_000;
const AGENT = 'https://agent.example/mcp';
/** What a visit writes that reads a manager's file. */
const WRITTEN = `WITH begun AS (
     INSERT INTO authorisation (publisher, agent, entry, declared_url, via, scope, count_by_type, tags, covers, seen_from)
     SELECT 'p' || n, 'https://managed.example/', 'e', 'u', 'direct', 'all', '{}', '[]', '{"all":"inventory"}', ${NOW}
     FROM generate_series(1, ${EDGES}) AS n RETURNING id
   ) INSERT INTO edge_log_pending (event, id) SELECT ${PENDING.began}, id FROM begun`;
const CHANGE_LOG_LOCK = 7_431_001;

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
  await writer.query(WRITTEN);
  await publish(records, 'news.example');
  await stitchAll(records);
  expect(await records.edgeLog.appendPending(10, NOW)).toBe(2); // the file is told of too
  expect(await numbers()).toEqual([1]);
  expect(await records.edgeLog.edgeChanges(0, 10)).toMatchObject([{ seq: 1, agent: AGENT }, { seq: 2 }]);
  await writer.query('COMMIT');
  expect(await records.edgeLog.appendPending(BATCH, NOW)).toBe(BATCH);
  expect(await records.edgeLog.lastEdgeChange()).toBe(BATCH + 2);
});

it('a change is numbered behind those that are committed before it, and seen after them', async () => {
  await publish(records, 'news.example');
  await writer.query('BEGIN');
  await writer.query(`SELECT pg_advisory_xact_lock(${CHANGE_LOG_LOCK})`);
  await writer.query("INSERT INTO change_log (seq, agent, kind, at) VALUES (1, 'a', 'listed', 1)");
  const stitched = stitchAll(records);
  expect(await waitUntil(() => isWaiting(writer), 60_000)).toBe(true);
  expect(await numbers()).toEqual([]);
  await writer.query('COMMIT');
  await stitched;
  expect((await records.agents.changes(0, 10)).map(({ seq, agent }) => [seq, agent])).toEqual([
    [1, 'a'],
    [2, AGENT],
  ]);
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
