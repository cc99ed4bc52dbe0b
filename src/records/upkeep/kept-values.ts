import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Records, SeenProxy } from '../../ports/records.ts';
import type { Nonces, SeenNonce } from '../../ports/replay-store.ts';
import type { SelfCheck } from '../../ports/self-check.ts';
import { createCountedNonces } from '../counted-nonces.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** Values created on first use and kept for ever: secrets by name, and the id of the records. */
interface KeptValues {
  secret(name: string, bytes: number): Promise<Uint8Array>;
  id(): Promise<string>;
}

/**
 * Two processes that ask at once get the same value. A store opened for reading that has none yet gives one that
 * lives as long as the process.
 */
export function createKeptValues(store: SqlStore): KeptValues {
  const lent = new Map<string, Uint8Array>();
  const select = prepare(store, keptValue);
  const insert = prepare(store, newValue);
  const lend = (name: string, make: () => Uint8Array): Uint8Array => {
    const value = lent.get(name) ?? make();
    lent.set(name, value);
    return value;
  };
  const kept = async (name: string, make: () => Uint8Array): Promise<Uint8Array> => {
    const known = await store.read(() => select.first({ name }));
    if (known !== undefined) return known.value;
    if (store.readOnly) return lend(name, make);
    await store.durably(() => insert.run({ name, value: make() }));
    return (await store.read(() => select.first({ name })))?.value as Uint8Array;
  };
  return {
    secret: (name, bytes) => kept(`secret:${name}`, () => randomBytes(bytes)),
    id: async () => Buffer.from(await kept('id', () => Buffer.from(randomUUID()))).toString(),
  };
}

const SELF_CHECK = 'self-check';

/** What the last self-check found: one value, as JSON. */
export function createSelfChecks(store: SqlStore): Pick<Records, 'keepSelfCheck' | 'selfCheck'> {
  const select = prepare(store, keptValue);
  const put = prepare(store, replacedValue);
  return {
    async keepSelfCheck(found) {
      const value = Buffer.from(JSON.stringify(found));
      await store.transaction(() => put.run({ name: SELF_CHECK, value }));
    },
    async selfCheck() {
      const row = await store.read(() => select.first({ name: SELF_CHECK }));
      return row && (JSON.parse(Buffer.from(row.value).toString()) as SelfCheck);
    },
  };
}

const UNTRUSTED_PROXY = 'untrusted-proxy';

/** The proxy before a server that does not trust it: the last one that was seen. */
export function createProxyNotes(store: SqlStore): Pick<Records, 'noteUntrustedProxy' | 'untrustedProxy'> {
  const select = prepare(store, keptValue);
  const put = prepare(store, replacedValue);
  return {
    async noteUntrustedProxy(seen) {
      const value = Buffer.from(JSON.stringify(seen));
      await store.transaction(() => put.run({ name: UNTRUSTED_PROXY, value }));
    },
    async untrustedProxy() {
      const row = await store.read(() => select.first({ name: UNTRUSTED_PROXY }));
      return row && (JSON.parse(Buffer.from(row.value).toString()) as SeenProxy);
    },
  };
}

/** The nonces of signed requests. What a key signed that can be accepted no more goes with the next message of the key. */
export function createNonces(store: SqlStore): Nonces {
  const forget = prepare(store, oldNonces);
  const insert = prepare(store, newNonce);
  const counted = prepare(store, liveNonces);
  return createCountedNonces({
    count: async (key, now, most) => Number((await store.read(() => counted.first({ key, now, most })))?.n),
    remember: (nonce, now) =>
      store.durably(function* (): SqlTask<boolean> {
        const row = { key: nonce.key, nonce: shortNonce(nonce.nonce), until: Math.ceil(nonce.until) };
        const isNew = (yield* insert.run(row)) === 1;
        yield* forget.run({ key: nonce.key, now: Math.floor(now) });
        return isNew;
      }),
  });
}

/** A nonce has at least 16 bytes and no bound; what is longer than most is known by its hash, which no nonce looks like. */
function shortNonce(nonce: string): string {
  return nonce.length > 64 ? `sha256 ${hash('sha256', nonce)}` : nonce;
}

/** What a store opened for reading cannot make, and what would be lost with the process: they are created with the store. */
export async function makeKept(records: Records): Promise<void> {
  try {
    await records.id();
    await records.secret('cursor', 32);
    await records.secret('badge', 32);
  } catch (error) {
    await records.close();
    throw error;
  }
}

/** A value of this name. */
export function keptValue(param: Param<{ name: string }>) {
  return sql.selectFrom('meta').select('value').where('name', '=', param('name'));
}

function newValue(param: Param<{ name: string; value: Uint8Array }>) {
  return sql
    .insertInto('meta')
    .values({ name: param('name'), value: param('value') })
    .onConflict((known) => known.column('name').doNothing());
}

/** Puts a value in the place of the one of its name. */
export function replacedValue(param: Param<{ name: string; value: Uint8Array }>) {
  return sql
    .insertInto('meta')
    .values({ name: param('name'), value: param('value') })
    .onConflict((known) => known.column('name').doUpdateSet({ value: param('value') }));
}

function oldNonces(param: Param<{ key: string; now: number }>) {
  return sql.deleteFrom('signature_nonce').where('key', '=', param('key')).where('until', '<', param('now'));
}

function newNonce(param: Param<SeenNonce>) {
  return sql
    .insertInto('signature_nonce')
    .values({ key: param('key'), nonce: param('nonce'), until: param('until') })
    .onConflict((known) => known.columns(['key', 'nonce']).doNothing());
}

function liveNonces(param: Param<{ key: string; now: number; most: number }>) {
  const live = sql
    .selectFrom('signature_nonce')
    .select('nonce')
    .where('key', '=', param('key'))
    .where('until', '>=', param('now'))
    .limit(param('most'));
  return sql.selectFrom(live.as('live')).select((row) => row.fn.countAll<number>().as('n'));
}
