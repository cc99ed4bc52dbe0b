import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { sql as rawSql } from 'kysely';
import type { BodyStore, MovedBodies } from '../../ports/body-store.ts';
import type { SqlStore } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

const pack = promisify(zstdCompress);
/** Hashes that are looked up at once, and requests that are under way at the same time. */
const PAGE = 200;
const AT_ONCE = 8;
/** So long an object stays that nothing refers to: records of a backup of that time find it. */
const KEPT_MS = 30 * 86_400_000;

interface Page {
  readonly after: string;
  readonly before: number;
}

/** Throws when this process is not the one any more that does this. */
type StillOurs = () => void;

/**
 * Moves bodies that are in the records to their store: first the object, then the row lets go of its bytes. Whatever
 * stops it in between, the bytes are in one place at least, and the next call goes on. Objects that nothing has referred to for
 * 30 days are deleted before. One process at a time does this. Rejects when the store is away; nothing is lost by that.
 *
 * @param stillOurs asked before each change at the store
 */
export async function moveBodies(
  store: SqlStore,
  bodies: BodyStore,
  now: number,
  stillOurs: StillOurs,
): Promise<MovedBodies> {
  const dropped = await dropObjects(store, bodies, now - KEPT_MS, stillOurs);
  const select = prepare(store, bodiesHere);
  const read = prepare(store, bytesOf);
  const letGo = prepare(store, movedBody);
  const counts = { moved: 0, bytes: 0 };
  async function move({ hash }: { readonly hash: string }): Promise<void> {
    const row = await store.read(() => read.first({ hash }));
    if (row === undefined) return; // pruned meanwhile
    stillOurs();
    const packed = row.packing === 'zstd' ? row.bytes : await pack(row.bytes);
    await bodies.put(hash, packed);
    await store.transaction(() => letGo.run({ hash, bytes: new Uint8Array() }));
    counts.moved += 1;
    counts.bytes += packed.byteLength;
  }
  for (let after = ''; ; ) {
    const page = await store.read(() => select.all({ after, before: 0 }));
    await eachAtOnce(page, move);
    if (page.length < PAGE) break;
    after = page.at(-1)?.hash ?? after;
  }
  return { ...counts, dropped };
}

/** What is referred to again stays, and is forgotten here. */
async function dropObjects(
  store: SqlStore,
  bodies: BodyStore,
  before: number,
  stillOurs: StillOurs,
): Promise<number> {
  const select = prepare(store, unusedObjects);
  const forget = prepare(store, (param: Param<{ hash: string }>) =>
    sql.deleteFrom('body_unused').where('hash', '=', param('hash')),
  );
  let dropped = 0;
  for (let after = ''; ; ) {
    const page = await store.read(() => select.all({ after, before }));
    await eachAtOnce(page, async ({ hash, kept }) => {
      if (kept === null) {
        stillOurs();
        await bodies.drop(hash);
        dropped += 1;
      }
      await store.transaction(() => forget.run({ hash }));
    });
    if (page.length < PAGE) break;
    after = page.at(-1)?.hash ?? after;
  }
  return dropped;
}

/** The first fault ends it, when what had begun is over. */
async function eachAtOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    try {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    } catch (error) {
      left.length = 0; // the others end what they have begun
      throw error;
    }
  });
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
}

/** Not those whose object waits to be deleted: it would go after it was written anew. */
function bodiesHere(param: Param<Page>) {
  return sql
    .selectFrom('body')
    .select('hash')
    .where('hash', '>', param('after'))
    .where((row) => row.or([row('packing', 'is', null), row('packing', '=', rawSql<'zstd'>`'zstd'`)]))
    .where((row) =>
      // PostgreSQL walks a long list of NOT IN for each row
      row.not(
        row.exists(
          row.selectFrom('body_unused').select('hash').whereRef('body_unused.hash', '=', 'body.hash'),
        ),
      ),
    )
    .orderBy('hash')
    .limit(PAGE);
}

function bytesOf(param: Param<{ hash: string }>) {
  return sql.selectFrom('body').select(['bytes', 'packing']).where('hash', '=', param('hash'));
}

function movedBody(param: Param<{ hash: string; bytes: Uint8Array }>) {
  return sql
    .updateTable('body')
    .set({ bytes: param('bytes'), packing: 'moved' })
    .where('hash', '=', param('hash'));
}

function unusedObjects(param: Param<Page>) {
  return sql
    .selectFrom('body_unused')
    .leftJoin('body', (join) =>
      join.onRef('body.hash', '=', 'body_unused.hash').on('body.packing', '=', 'moved'),
    )
    .select(['body_unused.hash', 'body.hash as kept'])
    .where('body_unused.hash', '>', param('after'))
    .where('body_unused.at', '<', param('before'))
    .orderBy('body_unused.hash')
    .limit(PAGE);
}
