import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { type HealthSeen, healthHistory } from '../../../src/domain/health-history.ts';
import type { Observation } from '../../../src/domain/observation.ts';
import { MIGRATIONS } from '../../../src/records/migrations/migrations.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { tempStore } from '../../cli/support/cli.ts';
import { EXPOSED, observed } from '../../contract/records-fixtures.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FROM = Date.UTC(2026, 0, 5);
const [AGENT, OTHER] = ['https://a.example/', "https://b.example/it's"];

/** Every hour of 50 days: more than are read at a time. Ten in a row were not answered, twice. */
const HISTORY = Array.from({ length: 50 * 24 }, (_, n): Observation => {
  const at = FROM + n * HOUR;
  const health =
    n % 900 >= 100 && n % 900 < 110
      ? ({ online: false, errorClass: 'timeout', error: `${n}` } as const)
      : { online: true, responseTimeMs: n % 300 };
  return observed(AGENT, { at, health });
});

/** A store of schema 8, with a row for each probe; the first were written before health had columns. */
function oldStore(): string {
  const path = tempStore().replace('sqlite:', '');
  const old = new DatabaseSync(path);
  old.exec(`${MIGRATIONS.slice(0, 8).join('')}; PRAGMA user_version = 8; BEGIN`);
  old.prepare("INSERT INTO exposed VALUES ('hash', ?)").run(JSON.stringify(EXPOSED));
  const insert =
    old.prepare(`INSERT INTO observation (agent, at, value, exposed, asked, online, response_ms, error_class)
    VALUES (?, ?, ?, 'hash', ?, ?, ?, ?)`);
  for (const [n, { agent, at, exposed: _exposed, ...rest }] of HISTORY.entries()) {
    const { online, responseTimeMs = null, errorClass = null } = rest.health;
    const columns = n < 200 ? [null, null, null] : [online ? 1 : 0, responseTimeMs, errorClass];
    insert.run(agent, at, JSON.stringify(rest), 0, ...columns);
  }
  insert.run(OTHER, FROM + 1, JSON.stringify({ health: { online: true }, findings: [] }), 1, 1, null, null);
  old.exec('COMMIT');
  old.close();
  return path;
}

it('probes of a store with a row for each are carried over: the history is the same, and what changed is kept', async () => {
  const records = await openSqliteRecords({ path: oldStore() });
  onTestFinished(() => records.close());
  const { agents, database } = records;
  const period = { from: FROM, now: FROM + 50 * DAY, stepMs: DAY };
  const raw = HISTORY.map(({ at, health: { error: _error, ...seen } }): HealthSeen => ({ at, ...seen }));
  expect(await agents.health(AGENT, period)).toEqual({ ...healthHistory(raw, period), isCut: false });
  const changed = HISTORY.filter(
    ({ health }, n) => health.online !== HISTORY[n - 1]?.health.online || n === 0,
  ).toReversed();
  expect(await agents.observations(AGENT, 99)).toEqual(changed);
  const { contacts, total } = await agents.contacts(OTHER, { since: 0, now: period.now, limit: 9 });
  expect([contacts, total]).toMatchObject([[{ kind: 'probe', at: FROM + 1, online: true }], 1]);
  expect(await agents.health(OTHER, period)).toMatchObject({ whole: { probes: 0 } }); // somebody asked for it
  const gone = database.statement("SELECT count(*) AS n FROM sqlite_schema WHERE name LIKE 'observation%'");
  expect(gone.get()).toEqual({ n: 0 });
});
