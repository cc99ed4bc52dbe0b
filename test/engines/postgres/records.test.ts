import { join } from 'node:path';
import { openPostgresRecords } from '../../../src/adapters/sql/postgres/postgres-records.ts';
import { describeRecords } from '../../contract/records.ts';
import { freshDatabase } from '../support/engines.ts';

describeRecords('PostgreSQL', async () => {
  const url = await freshDatabase();
  return {
    open: () => openPostgresRecords({ url, connections: 4 }),
    crashWriter: [join(import.meta.dirname, 'crash-writer.ts'), url],
    stop: async () => {},
  };
});
