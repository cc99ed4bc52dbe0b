import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { recordHash } from '../../../src/records/owners/audit.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { tempStore } from '../../cli/support/cli.ts';

const NOW = 1_800_000_000_000;
const ACME = { slug: 'acme', displayName: 'Acme', foundingMember: false };

/** A store with so many records, then what `tamper` did to its file. */
async function verdictAfter(tamper: string | ((database: DatabaseSync) => void), deeds = 5) {
  const path = tempStore().replace('sqlite:', '');
  const records = await openSqliteRecords({ path });
  for (let n = 1; n <= deeds; n += 1)
    await records.members.import([{ ...ACME, displayName: `Acme ${n}` }], NOW + n);
  const outside = await records.audit.head();
  const database = new DatabaseSync(path);
  if (typeof tamper === 'string') database.exec(tamper);
  else tamper(database);
  database.close();
  const verdict = await records.audit.verify();
  const withHead = await records.audit.verify([outside]);
  await records.close();
  return { verdict, withHead };
}

/** Writes records again from one on, each with a good hash: what an attacker does who knows how the log is made. */
function rewritten(database: DatabaseSync, from: number): void {
  const all = database.prepare('SELECT * FROM audit ORDER BY id').all() as unknown as Parameters<
    typeof recordHash
  >[0][];
  let prev = '';
  for (const row of all) {
    const next = { ...row, prev: row.id < from || prev === '' ? row.prev : prev };
    if (row.id === from) Object.assign(next, { actor: 'ark_0000000000000000' });
    prev = recordHash(next);
    database
      .prepare('UPDATE audit SET actor = ?, prev = ?, hash = ? WHERE id = ?')
      .run(next.actor, next.prev, prev, row.id);
  }
}

describe('the audit log names the first record that is not as it was written', () => {
  it.each([
    ['nothing was done', '', undefined],
    ["a record's text was changed", "UPDATE audit SET details = '{}' WHERE id = 3", 3],
    ["a record's time was changed", 'UPDATE audit SET at = at - 1 WHERE id = 2', 2],
    [
      'two were exchanged',
      'UPDATE audit SET id = 9 WHERE id = 2; UPDATE audit SET id = 2 WHERE id = 3; UPDATE audit SET id = 3 WHERE id = 9',
      2,
    ],
    ['one was deleted', 'DELETE FROM audit WHERE id = 3', 3],
    ['the first was deleted', 'DELETE FROM audit WHERE id = 1', 1],
    [
      'one was put in',
      'INSERT INTO audit SELECT 6, at, actor, action, subject, details, prev, hash FROM audit WHERE id = 5',
      6,
    ],
    ['a hash was taken away', 'UPDATE audit SET hash = NULL, prev = NULL WHERE id = 4', 4],
    [
      'a checkpoint was made up',
      "INSERT INTO audit_head VALUES ('checkpoint', 2, 'x', 1, NULL); DELETE FROM audit WHERE id <= 2",
      2,
    ],
  ])('%s', async (_what, tamper, record) => {
    const { verdict } = await verdictAfter(tamper);
    expect(verdict).toMatchObject(record === undefined ? { whole: true } : { whole: false, record });
  });

  it('also one that was written again up to its end, or cut off, for whoever kept a head elsewhere', async () => {
    const again = await verdictAfter((database) => rewritten(database, 3));
    expect(again.verdict).toMatchObject({ whole: true });
    expect(again.withHead).toMatchObject({ whole: false, record: 5 });
    const cut = await verdictAfter('DELETE FROM audit WHERE id > 3');
    expect(cut.verdict).toMatchObject({ whole: true });
    expect(cut.withHead).toMatchObject({
      whole: false,
      record: 4,
      reason: 'it is missing: a signed head refers to record 5',
    });
    const begun = await verdictAfter((database) => {
      rewritten(database, 1);
      database.exec(
        'INSERT INTO audit SELECT 6, at, actor, action, subject, details, prev, hash FROM audit WHERE id = 5',
      );
      const five = database.prepare('SELECT * FROM audit WHERE id = 5').get() as { hash: string };
      const six = database.prepare('SELECT * FROM audit WHERE id = 6').get() as Parameters<
        typeof recordHash
      >[0];
      const next = { ...six, prev: five.hash };
      database.prepare('UPDATE audit SET prev = ?, hash = ? WHERE id = 6').run(next.prev, recordHash(next));
      database.prepare("INSERT INTO audit_head VALUES ('checkpoint', 5, ?, 1, NULL)").run(five.hash);
      database.exec('DELETE FROM audit WHERE id <= 5');
    });
    expect(begun.verdict).toMatchObject({ whole: true });
    expect(begun.withHead).toMatchObject({ whole: false, record: 5 });
    const emptied = await verdictAfter('DELETE FROM audit');
    expect(emptied.withHead).toMatchObject({ whole: false, record: 1 });
  });
});
