import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { commitUntilKilled } from '../../contract/records-durability.ts';

const records = await openPostgresRecords({ url: process.argv[2] ?? '' });
await commitUntilKilled(records, (key) => process.send?.(key));
