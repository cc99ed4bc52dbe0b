import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';

// one of several processes that open the same new store at the same moment
const records = await openSqliteRecords({ path: process.argv[2] ?? '' });
await records.check();
await records.close();
