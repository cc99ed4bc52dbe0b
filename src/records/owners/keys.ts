import { present } from '../../base/json.ts';
import type { Actor, KeyActor } from '../../domain/actor.ts';
import type { ApiScope } from '../../domain/api-scope.ts';
import { RegistryError } from '../../errors.ts';
import { type Db, jsonOrNull, listOf, parsed, type RecordsDatabase } from '../database.ts';
import { audit, OPERATOR } from './audit.ts';
import { type ApiKeyRow, findActingKey, findKey, isValid, lockMember, requireMember } from './checks.ts';

/* The API keys of members, and the browser sessions that were opened with them. Only hashes of both are stored. */

/** An API key of a member, without its secret. Times are epoch milliseconds. */
export interface ApiKey {
  /** The beginning of the key itself, so that its owner can recognise it. */
  readonly id: string;
  readonly member: string;
  readonly label?: string;
  readonly createdAt: number;
  /** Updated at most once in 24 hours. */
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
  /** Absent: every scope. */
  readonly scopes?: readonly ApiScope[];
  /** Expiry; absent: never. */
  readonly expiresAt?: number;
  /** The id of its successor. */
  readonly renewedBy?: string;
  /** The id of the key that created it; absent: the operator, an invitation or a verified domain did. */
  readonly madeBy?: string;
}

export interface NewApiKey {
  readonly id: string;
  /** SHA-256 of the whole key, lower case hex. */
  readonly hash: string;
  readonly member: string;
  readonly label?: string;
  readonly scopes?: readonly ApiScope[];
  readonly expiresAt?: number;
}

/** A key after its revocation. */
export interface RevokedKey extends ApiKey {
  /** The ids of the keys that it created, directly or indirectly, and that were revoked with it; oldest first. */
  readonly alsoRevoked: readonly string[];
}

/** A key of a member, seen by another of its keys. */
export interface OwnKey extends ApiKey {
  /** Whether that key may revoke it. */
  readonly isManaged: boolean;
}

/** The successor of a key. */
interface KeyRenewal extends Pick<NewApiKey, 'id' | 'hash'> {
  /** The id of the replaced key. */
  readonly from: string;
  /** How long both are valid, milliseconds; the old one may expire earlier. */
  readonly overlapMs: number;
}

/** A key that a member creates with one of its keys. Absent scopes and expiry are those of the creating key. */
interface WantedOwnKey extends Omit<NewApiKey, 'member'> {
  readonly actor: KeyActor;
  /** The maximum of valid keys of the member. */
  readonly max: number;
}

type OwnKeyOutcome =
  | { readonly ok: true; readonly key: ApiKey }
  | { readonly ok: false; readonly reason: 'key_revoked' | 'more_scopes' | 'too_many' };

/** A browser that a member signed in with an API key. It names the key; what the key may do is asked at each request. */
export interface KeptSession {
  /** SHA-256 of its secret, lower case hex. */
  readonly hash: string;
  readonly keyId: string;
  /** Epoch milliseconds, as the next one. */
  readonly openedAt: number;
  readonly endsAt: number;
}

const DAY_MS = 86_400_000;

/**
 * The keys of members. All changes but `noteUse` are durable and leave an audit record.
 *
 * A key manages itself and the keys that it created, directly or indirectly. The successor of a key has the same creator as
 * its predecessor, and manages the keys that its predecessors created. A predecessor does not manage its successor.
 */
export function createApiKeyStore(database: RecordsDatabase) {
  return {
    /** Rejects with `not_found` for an unknown member. */
    create: (key: NewApiKey, now: number) =>
      database.durably(async (db) => {
        await requireMember(db, key.member);
        return createKey(db, key, OPERATOR, now);
      }),
    /**
     * Creates a key with the member, label, scopes and lifetime of another, which then expires after the overlap. Rejects
     * with `not_found`, and with `input_invalid` for one that is revoked, has expired or has a successor.
     */
    renew: (renewal: KeyRenewal, now: number) => database.durably((db) => renewKey(db, renewal, now)),
    /** All keys, or those of one member, oldest first, including revoked ones. */
    list: (member?: string) => database.read((db) => listKeys(db, member)),
    /**
     * Revokes a key with all keys that it manages, in one transaction and for every process at once. Has no effect on a
     * revoked key. Undefined: unknown key.
     */
    revoke: (id: string, now: number) => database.durably((db) => revokeKey(db, id, OPERATOR, now)),
    /** The valid keys of a member, newest first, then the newest `inactive` that are revoked or have expired. */
    listOwn: (
      by: Pick<KeyActor, 'member' | 'keyId'>,
      { inactive }: { readonly inactive: number },
      now: number,
    ) => database.read((db) => listOwnKeys(db, by, inactive, now)),
    /** As `create`, for a member: without scopes that the acting key lacks, and not beyond its expiry. */
    createOwn: (wanted: WantedOwnKey, now: number) => database.durably((db) => createOwnKey(db, wanted, now)),
    /** As `revoke`, by a key of the member: only keys that it manages. Undefined for a key of another member, too. */
    revokeOwn: (id: string, actor: KeyActor, now: number) =>
      database.durably((db) => revokeOwnKey(db, id, actor, now)),
    async find(id: string) {
      const row = await database.read((db) => findKey(db, id));
      return row && { ...apiKeyOf(row), hash: row.hash };
    },
    /** Stores the time of use, at most once in 24 hours for a key. */
    noteUse: (id: string, now: number) => database.transaction((db) => noteUse(db, id, now)),
  };
}

export type ApiKeyStore = ReturnType<typeof createApiKeyStore>;

type KeyToAdd = NewApiKey & Pick<ApiKey, 'madeBy'>;

/** Adds a key, in the transaction of the caller. */
export function createKey(db: Db, key: KeyToAdd, actor: Actor, now: number): Promise<ApiKey> {
  const { member, label, scopes, expiresAt: expires_at } = key;
  const details = { member, ...present({ label, scopes, expires_at }) };
  return addKey(db, key, { actor, action: 'key.create', details }, now);
}

/** A repeated call, because the answer to the first commit was lost, returns the stored key. */
async function addKey(
  db: Db,
  { id, hash, member, label, scopes, expiresAt, madeBy }: KeyToAdd,
  entry: { readonly actor: Actor; readonly action: string; readonly details: object },
  now: number,
): Promise<ApiKey> {
  const added = await db
    .insertInto('api_key')
    .values({
      id,
      hash,
      member,
      label: label ?? null,
      created_at: now,
      made_by: madeBy ?? null,
      scopes: jsonOrNull(scopes),
      expires_at: expiresAt ?? null,
    })
    .onConflict((same) => same.column('id').doNothing())
    .returning('id')
    .executeTakeFirst();
  const stored = await findKey(db, id);
  if (stored?.hash !== hash) throw new Error(`another key already has the id ${id}`);
  if (added !== undefined) await audit(db, { at: now, subject: id, ...entry });
  return apiKeyOf(stored);
}

async function renewKey(db: Db, { from, overlapMs, ...key }: KeyRenewal, now: number): Promise<ApiKey> {
  await lockMember(db, (await findKey(db, from))?.member ?? '');
  const row = await findKey(db, from);
  if (row === undefined) throw noSuchKey();
  const known = await findKey(db, key.id);
  if (known !== undefined && row.renewed_by === key.id) return apiKeyOf(known); // the answer to the first commit was lost
  if (row.renewed_by !== null || !isValid(row, now)) throw cannotRenew(row);
  const { member, label, scopes, createdAt, expiresAt, madeBy } = apiKeyOf(row);
  await db
    .updateTable('api_key')
    .set({
      expires_at: Math.min(row.expires_at ?? Number.POSITIVE_INFINITY, now + overlapMs),
      renewed_by: key.id,
    })
    .where('id', '=', from)
    .execute();
  const successor = {
    ...key,
    member,
    ...present({ label, scopes, madeBy }),
    ...(expiresAt !== undefined && { expiresAt: now + (expiresAt - createdAt) }),
  };
  const details = { member, renews: from, overlap_s: overlapMs / 1_000 };
  return addKey(db, successor, { actor: OPERATOR, action: 'key.renew', details }, now);
}

function noSuchKey(): RegistryError {
  return new RegistryError('not_found', 'unknown API key', {
    hint: 'give the id (ark_ and 16 characters) from agent-registry keys list',
  });
}

function cannotRenew({ id, member, renewed_by }: ApiKeyRow): RegistryError {
  const why = renewed_by === null ? 'is revoked or expired' : `was already renewed as ${renewed_by}`;
  return new RegistryError('input_invalid', `the API key ${id} ${why}`, {
    hint: `renew the newest key, or create another: agent-registry keys create --member ${member}`,
  });
}

async function listKeys(db: Db, member: string | undefined): Promise<readonly ApiKey[]> {
  const keys = db.selectFrom('api_key').selectAll().orderBy('created_at').orderBy('id');
  const wanted = member === undefined ? keys : keys.where('member', '=', member);
  return (await wanted.execute()).map(apiKeyOf);
}

/** Revokes a key with all keys that it manages, in the transaction of the caller. */
async function revokeKey(db: Db, id: string, actor: Actor, now: number): Promise<RevokedKey | undefined> {
  const key = await findKey(db, id);
  if (key === undefined) return undefined;
  const { member } = key;
  await lockMember(db, member);
  const managed = await managedKeys(db, id);
  const root = managed.find((row) => row.id === id);
  if (root === undefined) return undefined;
  const open = managed.filter(({ revoked_at }) => revoked_at === null).map((row) => row.id);
  await db.updateTable('api_key').set({ revoked_at: now }).where('id', 'in', listOf(db, open)).execute();
  for (const subject of open) {
    const details = { member, ...(subject !== id && { caused_by: id }) };
    await audit(db, { at: now, actor, action: 'key.revoke', subject, details });
  }
  // a repeated call, because the answer to the first commit was lost, returns the same
  const revokedAt = root.revoked_at ?? now;
  const others = managed.filter((row) => row !== root && (row.revoked_at ?? now) === revokedAt);
  return { ...apiKeyOf(root), revokedAt, alsoRevoked: others.map((row) => row.id) };
}

/**
 * A key with all keys that it manages, oldest first: those that it or one of its predecessors created, directly or
 * indirectly.
 */
function managedKeys(db: Db, id: string): Promise<ApiKeyRow[]> {
  return db
    .withRecursive('line(id)', (line) =>
      line
        .selectFrom('api_key')
        .select('id')
        .where('id', '=', id)
        .union(
          line.selectFrom('api_key').innerJoin('line', 'line.id', 'api_key.renewed_by').select('api_key.id'),
        ),
    )
    .withRecursive('managed(id)', (managed) =>
      managed
        .selectFrom('api_key')
        .select('id')
        .where('id', '=', id)
        .union(
          managed.selectFrom('api_key').innerJoin('line', 'line.id', 'api_key.made_by').select('api_key.id'),
        )
        .union(
          managed
            .selectFrom('api_key')
            .innerJoin('managed', 'managed.id', 'api_key.made_by')
            .select('api_key.id'),
        ),
    )
    .selectFrom('managed')
    .innerJoin('api_key', 'api_key.id', 'managed.id')
    .selectAll('api_key')
    .orderBy('created_at')
    .orderBy('api_key.id')
    .execute();
}

/** A member creates a key with one of its keys: the new key has no scope that the creating key lacks, and no later expiry. */
async function createOwnKey(
  db: Db,
  { actor, max, ...wanted }: WantedOwnKey,
  now: number,
): Promise<OwnKeyOutcome> {
  const maker = await findActingKey(db, actor, now);
  if (maker === undefined) return { ok: false, reason: 'key_revoked' };
  const makerScopes = scopesOf(maker);
  const scopes = wanted.scopes ?? makerScopes;
  if (makerScopes !== undefined && !scopes?.every((scope) => makerScopes.includes(scope)))
    return { ok: false, reason: 'more_scopes' };
  const valid = await validKeys(db, actor.member, now).limit(max).execute();
  if (valid.length >= max) return { ok: false, reason: 'too_many' };
  const expiresAt = Math.min(
    wanted.expiresAt ?? Number.POSITIVE_INFINITY,
    maker.expires_at ?? Number.POSITIVE_INFINITY,
  );
  const { id, hash, label } = wanted;
  const key = {
    id,
    hash,
    member: actor.member,
    madeBy: actor.keyId,
    ...present({ label, scopes }),
    ...(expiresAt < Number.POSITIVE_INFINITY && { expiresAt }),
  };
  return { ok: true, key: await createKey(db, key, actor, now) };
}

async function revokeOwnKey(
  db: Db,
  id: string,
  actor: KeyActor,
  now: number,
): Promise<RevokedKey | 'key_revoked' | 'not_key_maker' | undefined> {
  if ((await findActingKey(db, actor, now)) === undefined) return 'key_revoked';
  const key = await findKey(db, id);
  if (key?.member !== actor.member) return undefined;
  const managed = await managedKeys(db, actor.keyId);
  return managed.some((one) => one.id === id) ? revokeKey(db, id, actor, now) : 'not_key_maker';
}

async function listOwnKeys(
  db: Db,
  { member, keyId }: Pick<KeyActor, 'member' | 'keyId'>,
  inactive: number,
  now: number,
): Promise<readonly OwnKey[]> {
  const valid = await validKeys(db, member, now).orderBy('created_at', 'desc').orderBy('id').execute();
  const others = await db
    .selectFrom('api_key')
    .selectAll()
    .where('member', '=', member)
    .where((row) => row.or([row('revoked_at', 'is not', null), row('expires_at', '<=', now)]))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(inactive)
    .execute();
  const managed = new Set((await managedKeys(db, keyId)).map(({ id }) => id));
  return [...valid, ...others].map((row) => ({ ...apiKeyOf(row), isManaged: managed.has(row.id) }));
}

function validKeys(db: Db, member: string, now: number) {
  return db
    .selectFrom('api_key')
    .selectAll()
    .where('member', '=', member)
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]));
}

/** Writes at most once in 24 hours for a key. */
async function noteUse(db: Db, id: string, now: number): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ last_used_at: now })
    .where('id', '=', id)
    .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<=', now - DAY_MS)]))
    .execute();
}

function apiKeyOf(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    member: row.member,
    createdAt: row.created_at,
    ...present({
      label: row.label,
      lastUsedAt: row.last_used_at,
      revokedAt: row.revoked_at,
      scopes: scopesOf(row),
      expiresAt: row.expires_at,
      renewedBy: row.renewed_by,
      madeBy: row.made_by,
    }),
  };
}

/** Undefined: every scope. */
function scopesOf({ scopes }: ApiKeyRow): readonly ApiScope[] | undefined {
  return parsed<readonly ApiScope[]>(scopes);
}

/**
 * Sessions of browsers in which members signed in with a key, for all processes on these records. Each request of a
 * browser looks up its session.
 */
export function createSessionStore(database: RecordsDatabase) {
  return {
    /**
     * Keeps a new session of a member's key, durably, with an audit record (`session.open`). Those of the key that are
     * oldest end, so that it has at most `max`; two that open at the same time may make it one more until the next one.
     */
    open: (session: KeptSession & { readonly member: string }, max: number) =>
      database.durably((db) => openSession(db, session, max)),
    /** Undefined for one that was never opened, has ended, or was closed. */
    find: (hash: string, now: number) => database.read((db) => findSession(db, hash, now)),
    /** Closes one, if it is there. */
    close: (hash: string) =>
      database.durably(async (db) => {
        await db.deleteFrom('session').where('hash', '=', hash).execute();
      }),
  };
}

export type SessionStore = ReturnType<typeof createSessionStore>;

/** Opens a session; the oldest ones of the key close when there are more than `max`. */
async function openSession(
  db: Db,
  { member, hash, keyId: key, openedAt, endsAt }: KeptSession & { readonly member: string },
  max: number,
): Promise<void> {
  await db.insertInto('session').values({ hash, key, opened_at: openedAt, ends_at: endsAt }).execute();
  const newest = db
    .selectFrom('session')
    .select('hash')
    .where('key', '=', key)
    .orderBy('opened_at', 'desc')
    .orderBy('hash')
    .limit(max);
  await db.deleteFrom('session').where('key', '=', key).where('hash', 'not in', newest).execute();
  await audit(db, {
    at: openedAt,
    actor: { kind: 'key', keyId: key, member },
    action: 'session.open',
    subject: key,
    details: { ends_at: new Date(endsAt).toISOString() },
  });
}

async function findSession(db: Db, hash: string, now: number): Promise<KeptSession | undefined> {
  const row = await db
    .selectFrom('session')
    .selectAll()
    .where('hash', '=', hash)
    .where('ends_at', '>', now)
    .executeTakeFirst();
  return row && { hash, keyId: row.key, openedAt: row.opened_at, endsAt: row.ends_at };
}
