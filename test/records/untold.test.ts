import { DatabaseSync } from 'node:sqlite';
import { it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../src/records/migrations/migrations.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { tempStore } from '../cli/support/cli.ts';
import { expectToldOfBefore, UNTOLD_OF_BEFORE } from '../contract/records-untold.ts';

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
