import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../src/records/migrations/migrations.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { UNTOLD } from '../../src/records/visits/declaration-rows.ts';
import { tempStore } from '../cli/support/cli.ts';
import { authorisation, facts, NOW } from '../contract/records-fixtures.ts';
import { declare } from '../contract/records-steps.ts';
import { expectToldOfBefore, UNTOLD_OF_BEFORE } from '../contract/records-untold.ts';

it('an entry that was completed and ended before it was told of is told of as ended once', async () => {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  const news = facts({ authorisations: [authorisation('news.example', 'https://agent.example/mcp')] });
  await declare(records, 'news.example', 'adagents', 'one', news);
  await records.edgeLog.tellEdges(10, NOW);
  // as rows of earlier versions are: only those are ever completed
  records.database.exec(
    `UPDATE authorisation SET seen_until = ${NOW}; INSERT INTO untold (what, id) VALUES (${UNTOLD.completed}, 1), (${UNTOLD.ended}, 1)`,
  );
  expect([await records.edgeLog.tellEdges(1, NOW), await records.edgeLog.tellEdges(1, NOW)]).toEqual([1, 0]);
  const ended = (await records.edgeLog.edgeChanges(0, 10)).filter(({ kind }) => kind === 'ended');
  expect(ended).toHaveLength(1);
});

it('what an older store has not told of yet is told of', async () => {
  const path = tempStore().replace('sqlite:', '');
  const old = new DatabaseSync(path);
  old.exec(
    `${MIGRATIONS.slice(0, 11).join('')}; PRAGMA user_version = 11; ${UNTOLD_OF_BEFORE.join(';')}; UPDATE source SET rederive_at = NULL`,
  );
  old.close();
  const records = await openSqliteRecords({ path });
  onTestFinished(() => records.close());
  await expectToldOfBefore(records);
});
