import { sql } from 'kysely';
import { lockAlone } from '../../../src/records/locks.ts';
import { createPostgresStore } from '../../../src/records/postgres/postgres-store.ts';

/** Takes the lock of the change log and is frozen with it, once; then does its work again. */
const [url = '', idleMs = ''] = process.argv.slice(2);
const store = createPostgresStore({ url, idleMs: Number(idleMs), timeoutMs: 1_000, patienceMs: 20_000 });
// reads are not patient, and on a busy machine the first connection may take more than a second
const connect = (): Promise<unknown> => store.read((db) => sql`SELECT 1`.execute(db)).catch(connect);
await connect();
let attempts = 0;
await store.transaction(async (db) => {
  attempts += 1;
  await lockAlone(db, 'changeLog');
  if (attempts > 1) return;
  process.send?.('locked');
  process.kill(process.pid, 'SIGSTOP');
  await lockAlone(db, 'contents');
});
await store.close();
process.send?.(attempts);
process.disconnect();
