import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { commitUntilKilled } from '../../contract/records-durability.ts';

// the process that the contract suite kills: the store's path is its only argument
const records = await openSqliteRecords({ path: process.argv[2] ?? '' });
await commitUntilKilled(records, (key) => process.send?.(key));
