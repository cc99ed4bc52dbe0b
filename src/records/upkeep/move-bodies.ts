import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { sql } from 'kysely';
import type { BodyStore, MovedBodies } from '../../ports/body-store.ts';
import type { Db, RecordsDatabase } from '../database.ts';

/* Moving the bodies of files out of the records, into a folder or a bucket. */

const pack = promisify(zstdCompress);
/** Hashes that are read at once. */
const PAGE = 200;
/** Requests to the body store at the same time. */
const CONCURRENCY = 8;
/** How long an unreferenced object stays, so that records restored from a backup of that time find it. */
const KEPT_MS = 30 * 86_400_000;

/** Throws when this process no longer holds the lease for this work. */
type StillOurs = () => void;

/**
 * Moves bodies from the records to their store: first the object is written, then the row gives up its bytes. If that is
 * interrupted, the bytes are in at least one place, and the next call continues. Before, objects that nothing has referred
 * to for 30 days are deleted. One process at a time does this. Rejects when the store is unavailable; nothing is lost.
 *
 * @param stillOurs called before each change at the store
 */
export async function moveBodies(
  database: RecordsDatabase,
  bodies: BodyStore,
  now: number,
  stillOurs: StillOurs,
): Promise<MovedBodies> {
  const dropped = await dropObjects(database, bodies, now - KEPT_MS, stillOurs);
  const counts = { moved: 0, bytes: 0 };
  await eachInPages(
    (after) => database.read((db) => bodiesInRecords(db, after)),
    async ({ hash }) => {
      const row = await database.read((db) => readBody(db, hash));
      if (row === undefined) return; // pruned meanwhile
      stillOurs();
      const packed = row.packing === 'zstd' ? row.bytes : await pack(row.bytes);
      await bodies.put(hash, packed);
      if (!(await database.transaction((db) => markMoved(db, hash, now)))) return;
      counts.moved += 1;
      counts.bytes += packed.byteLength;
    },
  );
  return { ...counts, dropped };
}

/** Deletes objects that are unreferenced since `before`, and forgets those that are referred to again. */
async function dropObjects(
  database: RecordsDatabase,
  bodies: BodyStore,
  before: number,
  stillOurs: StillOurs,
): Promise<number> {
  let dropped = 0;
  await eachInPages(
    (after) => database.read((db) => unusedObjects(db, after, before)),
    async ({ hash, isUsed }) => {
      if (!isUsed) {
        stillOurs();
        await bodies.drop(hash);
        dropped += 1;
      }
      await database.transaction((db) => forgetUnused(db, hash));
    },
  );
  return dropped;
}

/** Works on all items, some at a time. After the first error it waits for those that have begun, and rejects. */
async function eachInPages<Item extends { readonly hash: string }>(
  readPage: (after: string) => Promise<readonly Item[]>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  for (let after = ''; ; ) {
    const page = await readPage(after);
    for (let from = 0; from < page.length; from += CONCURRENCY) {
      const results = await Promise.allSettled(page.slice(from, from + CONCURRENCY).map(work));
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.hash ?? after;
  }
}

/** Without those whose object waits to be deleted: it would be deleted after it was written again. */
function bodiesInRecords(db: Db, after: string): Promise<{ readonly hash: string }[]> {
  return db
    .selectFrom('body')
    .select('hash')
    .where('hash', '>', after)
    .where((row) => row.or([row('packing', 'is', null), row('packing', '=', sql.lit('zstd'))])) // as in the index `body_here`
    .where((row) =>
      // with NOT IN, PostgreSQL would read a long list for each row
      row.not(
        row.exists(
          row.selectFrom('body_unused').select('hash').whereRef('body_unused.hash', '=', 'body.hash'),
        ),
      ),
    )
    .orderBy('hash')
    .limit(PAGE)
    .execute();
}

function readBody(db: Db, hash: string) {
  return db.selectFrom('body').select(['bytes', 'packing']).where('hash', '=', hash).executeTakeFirst();
}

/** False if the body was pruned while its object was written: the object is then one that nothing refers to. */
async function markMoved(db: Db, hash: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('body')
    .set({ bytes: new Uint8Array(), packing: 'moved' })
    .where('hash', '=', hash)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return true;
  await db
    .insertInto('body_unused')
    .values({ hash, at: now })
    .onConflict((known) => known.column('hash').doNothing())
    .execute();
  return false;
}

async function unusedObjects(
  db: Db,
  after: string,
  before: number,
): Promise<{ readonly hash: string; readonly isUsed: boolean }[]> {
  const rows = await db
    .selectFrom('body_unused')
    .leftJoin('body', (join) =>
      join.onRef('body.hash', '=', 'body_unused.hash').on('body.packing', '=', 'moved'),
    )
    .select(['body_unused.hash', 'body.hash as used'])
    .where('body_unused.hash', '>', after)
    .where('body_unused.at', '<', before)
    .orderBy('body_unused.hash')
    .limit(PAGE)
    .execute();
  return rows.map(({ hash, used }) => ({ hash, isUsed: used !== null }));
}

async function forgetUnused(db: Db, hash: string): Promise<void> {
  await db.deleteFrom('body_unused').where('hash', '=', hash).execute();
}
