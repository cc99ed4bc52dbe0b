import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Records } from '../../../src/ports/records.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { agentAt, authorisation, domain, facts, LEASE } from '../../contract/records-fixtures.ts';
import { reading, takeOne } from '../../contract/records-steps.ts';
import { waitUntil } from '../start/processes.ts';
import { freshDatabase } from '../support/engines.ts';

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;
const AGENT = 'https://agent.example/';
const CONTENTS_LOCK = 7_431_004;

let records: Records;
let [first, second]: pg.Client[] = [];

beforeEach(async () => {
  const url = await freshDatabase();
  records = await openPostgresRecords({ url });
  [first, second] = [new pg.Client(url), new pg.Client(url)];
  await Promise.all([first.connect(), second.connect()]);
});
afterEach(async () => {
  await Promise.all([first?.end(), second?.end()]);
  await records.close();
});

const ask = async (client: pg.Client | undefined, text: string) => (await client?.query(text))?.rows ?? [];
const bodies = async () => (await ask(second, 'SELECT count(*)::int AS n FROM body'))[0]?.n;

/** Until somebody waits for a lock of this kind. */
async function untilWaiting(event: string): Promise<void> {
  const text = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = '${event}'`;
  const isWaiting = async () => {
    await ask(second, 'SELECT pg_stat_clear_snapshot()'); // a transaction sees the connections of its first look
    return (await ask(second, text)).length > 0;
  };
  expect(await waitUntil(isWaiting, 200_000)).toBe(true);
}

describe('pruning', () => {
  it('of 150,000 bodies, half of them unused, stays within the time of a statement', async () => {
    const hash = "encode(sha256(n::text::bytea), 'hex')";
    await ask(first, `INSERT INTO body SELECT ${hash}, '\\x00' FROM generate_series(1, 150000) AS n`);
    await ask(
      first,
      `INSERT INTO capture (source, at, last_seen_at, requested_url, body_hash, duration_ms) SELECT 1, ${NOW}, ${NOW}, 'u', ${hash}, 1 FROM generate_series(1, 150000, 2) AS n`,
    );
    await ask(first, `INSERT INTO exposed SELECT ${hash}, '{}' FROM generate_series(1, 2000) AS n`);
    await ask(
      first,
      `INSERT INTO probe_change (agent, at, value, exposed) SELECT 'a' || n, ${NOW}, '{}', ${hash} FROM generate_series(1, 2000, 2) AS n`,
    );
    await ask(first, 'ANALYZE');
    expect(await records.prune(NOW)).toMatchObject({
      captures: 0,
      observations: 0,
      tombstones: 0,
      bodies: 75_000,
    });
    expect(await bodies()).toBe(75_000);
    expect(await ask(first, 'SELECT count(*)::int AS n FROM exposed')).toEqual([{ n: 1_000 }]);
  });

  it('keeps a body that was used again after it had been found unused', async () => {
    await ask(first, "INSERT INTO body VALUES ('again', ''), ('never', '')");
    await ask(first, 'BEGIN');
    await ask(first, 'LOCK TABLE body IN ACCESS EXCLUSIVE MODE');
    const pruned = records.prune(NOW);
    await untilWaiting('relation');
    await ask(second, 'BEGIN');
    await ask(second, `SELECT pg_advisory_xact_lock_shared(${CONTENTS_LOCK})`);
    await ask(first, 'COMMIT');
    await untilWaiting('advisory');
    await ask(
      second,
      `INSERT INTO capture (source, at, last_seen_at, requested_url, body_hash, duration_ms) VALUES (1, ${NOW}, ${NOW}, 'u', 'again', 1)`,
    );
    await ask(second, 'COMMIT');
    expect(await pruned).toMatchObject({ bodies: 1 });
    expect(await ask(first, 'SELECT hash FROM body')).toEqual([{ hash: 'again' }]);
  });

  it('keeps an agent that is declared again while it is under way', async () => {
    await records.sources.add([agentAt(AGENT), domain('a.example')], NOW - 100 * DAY);
    const work = await takeOne(records, 'domain', 'a.example', NOW);
    await ask(first, 'BEGIN');
    await ask(first, 'LOCK TABLE declared_value IN SHARE MODE'); // the visit waits there, after its agents
    const derived = facts({ authorisations: [authorisation('a.example', AGENT)] });
    const visit = records.sources.commitDomainVisit(reading(work, 'adagents', 'x', derived, { at: NOW }));
    await untilWaiting('relation');
    const pruned = records.prune(NOW);
    await untilWaiting('advisory');
    await ask(first, 'COMMIT');
    expect(await visit).toMatchObject({ accepted: true });
    expect(await pruned).toMatchObject({ tombstones: 0 });
    expect(await ask(first, 'SELECT agent, authorisation_count::int FROM agent')).toEqual([
      { agent: AGENT, authorisation_count: 1 },
    ]);
    expect(await records.sources.takeDue('agent', 9, NOW, LEASE)).toHaveLength(1);
    expect(await ask(first, 'SELECT agent, n::int FROM agent_tag')).toEqual([{ agent: AGENT, n: 1 }]);
  });

  it('lets an agent be named again that it is about to delete: all of it is made anew', async () => {
    await records.sources.add([agentAt(AGENT)], NOW - 100 * DAY);
    await ask(first, 'BEGIN');
    await ask(first, 'LOCK TABLE document IN SHARE MODE'); // pruning waits there, before the agent and its source
    const pruned = records.prune(NOW);
    await untilWaiting('relation');
    const added = records.sources.add([agentAt(AGENT)], NOW);
    await untilWaiting('advisory');
    await ask(first, 'COMMIT');
    expect(await pruned).toMatchObject({ tombstones: 1 });
    expect(await added).toBe(1);
    expect(await records.sources.takeDue('agent', 9, NOW, LEASE)).toHaveLength(1);
    expect(await ask(first, 'SELECT first_seen_at::text FROM agent')).toEqual([
      { first_seen_at: String(NOW) },
    ]);
  });
});
