import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../src/records/migrations/migrations.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { tempStore } from '../cli/support/cli.ts';

it('the receivers of subscriptions from before they had to agree are asked', async () => {
  const path = tempStore().replace('sqlite:', '');
  const old = new DatabaseSync(path);
  old.exec(`${MIGRATIONS.slice(0, 12).join('')}; PRAGMA user_version = 12;
    INSERT INTO feed_subscription VALUES
      ('s1', 'acme', 'https://hooks.example/', '*', 3, 2, 50, 60, 70, 9, 4, 40, 'no', NULL, 7, 10),
      ('s2', 'acme', 'https://hooks.example/', '*', 3, 2, NULL, NULL, NULL, 0, 0, 40, NULL, NULL, 7, 20),
      ('s3', 'acme', 'https://hooks.example/', '*', 3, 2, NULL, NULL, NULL, 0, 0, 40, 'gone', 90, 7, 30)`);
  old.close();
  const records = await openSqliteRecords({ path });
  onTestFinished(() => records.close());
  const those = await records.subscriptions.list('acme');
  const asked = { attempts: 0, refusals: 0, fence: 8, place: { agents: 3, edges: 2 } };
  expect(those).toMatchObject([
    { id: 's1', since: 10, dueAt: 10, ...asked },
    { id: 's2', since: 20, dueAt: 20, ...asked },
    { id: 's3', deadAt: 90, fence: 7 },
  ]);
  expect(those.filter((one) => one.verifiedAt !== undefined || one.firstChangeAt !== undefined)).toEqual([]);
  expect(await records.subscriptions.levels()).toEqual({ unverified: 2, pending: 0, quiet: 0, dead: 1 });
});
