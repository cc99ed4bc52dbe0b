import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RegistryError } from '../errors.ts';
import { generateKey, type NewKey, publicJwk } from './private-key.ts';
import { PURPOSE_MEMBERS, type Purpose } from './profile.ts';
import type { Jwk } from './public-key.ts';
import { readRevocations } from './revocations.ts';
import { createSecretFile, replaceSecretFile } from './secret-file.ts';

/** A private key with its file. `created_at` and `retired_at` (RFC 3339) stand in the file beside the key. */
export interface StoredKey {
  readonly file: string;
  readonly kid: string;
  readonly jwk: Jwk;
}

const KID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
const REVOKED = 'revoked.json';

/** Makes a key in a folder, readable for its owner alone. Throws a RegistryError `input_invalid` when the kid is taken or cannot be a file. */
export async function addKey(folder: string, options: NewKey, now: number): Promise<StoredKey> {
  const jwk = await generateKey(options);
  const kid = String(jwk.kid);
  if (!KID.test(kid))
    throw unusable(`'${kid.slice(0, 100)}' is not a valid kid`, 'use letters, digits, dots and dashes');
  return saveKey(join(folder, `${kid}.json`), { ...jwk, created_at: iso(now) });
}

/** Writes a private key to a file that is not there yet, with mode 0600. */
export async function saveKey(file: string, jwk: Jwk): Promise<StoredKey> {
  await createSecretFile(file, text(jwk), 'choose another name; a key is never overwritten');
  return { file, kid: String(jwk.kid), jwk };
}

/** The keys of a folder, newest first. Throws a RegistryError `not_found` when there is no folder. */
export async function listSigningKeys(folder: string): Promise<readonly StoredKey[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new RegistryError('not_found', `no keys in ${folder}`, {
      cause,
      hint: 'create one with `agent-registry keys generate`',
    });
  });
  const files = names.filter((name) => name.endsWith('.json') && name !== REVOKED).toSorted();
  const keys = await Promise.all(files.map((name) => loadKey(join(folder, name))));
  return keys.toSorted((one, other) => created(other) - created(one));
}

/** Reads the private key of a file. The message of its error never quotes the file. */
export async function loadKey(file: string): Promise<StoredKey> {
  const jwk = await readFile(file, 'utf8')
    .then((content) => JSON.parse(content) as Jwk | null)
    .catch((error: unknown) => {
      const code =
        error instanceof SyntaxError ? 'invalid JSON' : String((error as NodeJS.ErrnoException).code);
      throw unusable(
        `the key ${file} cannot be read (${code})`,
        'give a file made by `agent-registry keys generate`',
      );
    });
  if (typeof jwk !== 'object' || jwk === null || typeof jwk.kid !== 'string')
    throw unusable(
      `${file} is not a private JWK with a kid`,
      'give a file made by `agent-registry keys generate`',
    );
  return { file, kid: jwk.kid, jwk };
}

/** The key to sign with: the newest of the purpose that is not retired. */
export function activeKey(keys: readonly StoredKey[], purpose: Purpose): StoredKey | undefined {
  return keys.find((key) => isFor(key, purpose) && key.jwk.retired_at === undefined);
}

/** What is published at `now` (epoch milliseconds): retired keys stay for `overlapMs`, as messages under way and caches need them. */
export function publishedKeys(keys: readonly StoredKey[], now: number, overlapMs: number): readonly Jwk[] {
  return keys.filter((key) => retired(key) + overlapMs > now).map((key) => publicJwk(key.jwk));
}

export interface Rotation {
  readonly added: StoredKey;
  readonly retired: readonly string[];
  /** Files that are gone, as their keys have not been published for some time. */
  readonly removed: readonly string[];
}

/**
 * Adds a key, and retires those of the same purpose: signers take the new one at once, verifiers still find the old
 * ones for the overlap. With `revoke` the old ones are gone from what is published at once, and are listed in the
 * folder's `revoked.json`.
 */
export async function rotateKeys(
  folder: string,
  options: NewKey & { readonly overlapMs: number; readonly revoke: boolean },
  now: number,
): Promise<Rotation> {
  const before = await listSigningKeys(folder).catch(() => []);
  const added = await addKey(folder, options, now);
  const same = before.filter((key) => isFor(key, options.purpose));
  const current = same.filter((key) => key.jwk.retired_at === undefined);
  const over = same.filter((key) => retired(key) + options.overlapMs <= now);
  if (options.revoke)
    await revokeKeys(
      folder,
      same.map((key) => key.kid),
    );
  for (const key of current) await replaceSecretFile(key.file, text({ ...key.jwk, retired_at: iso(now) }));
  const removed = options.revoke ? same : over;
  for (const key of removed) await rm(key.file);
  return { added, retired: current.map((key) => key.kid), removed: removed.map((key) => key.kid) };
}

/** The names of the keys that were revoked in a folder. Throws `input_invalid` for a list that is none: it must not be passed over. */
export async function revokedKids(folder: string): Promise<readonly string[]> {
  const file = join(folder, REVOKED);
  try {
    return [...readRevocations(await readFile(file, 'utf8')).kids.keys()];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unusable(`${file} is not a list of revoked keys`, 'restore it: {"revoked_kids": ["kid"]}');
  }
}

async function revokeKeys(folder: string, kids: readonly string[]): Promise<void> {
  const file = join(folder, REVOKED);
  const known = await revokedKids(folder);
  await replaceSecretFile(file, text({ revoked_kids: [...new Set([...known, ...kids])] }));
}

function isFor({ jwk }: StoredKey, purpose: Purpose): boolean {
  return Object.values(PURPOSE_MEMBERS).some((member) => jwk[member] === purpose);
}

function created({ jwk }: StoredKey): number {
  return Date.parse(String(jwk.created_at)) || 0;
}

/** Epoch milliseconds; infinite for a key in use. */
function retired({ jwk }: StoredKey): number {
  return jwk.retired_at === undefined ? Number.POSITIVE_INFINITY : Date.parse(String(jwk.retired_at)) || 0;
}

function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function iso(now: number): string {
  return new Date(now).toISOString();
}

function unusable(message: string, hint: string): RegistryError {
  return new RegistryError('input_invalid', message, { hint });
}
