import { existsSync } from 'node:fs';
import { systemClock } from '../../compose/clock.ts';
import { RegistryError } from '../../errors.ts';
import type { GuardedFetch } from '../../ports/fetcher.ts';
import { listSigningKeys, loadKey, type StoredKey } from '../../signing/key-folder.ts';
import { readSigningKey } from '../../signing/private-key.ts';
import { PURPOSES, type SigningProfile, type TagVocabulary } from '../../signing/profile.ts';
import { isExposed } from '../../signing/secret-file.ts';
import { createSigningFetch } from '../../signing/sign.ts';
import { note } from '../output/print.ts';

export interface SigningFlags {
  /** A file, or a kid in the folder. */
  readonly sign?: string;
  readonly keys: string;
  readonly profile: SigningProfile;
  readonly vocabulary?: TagVocabulary;
  readonly digest: 'required' | 'forbidden';
}

/** What signs every request of a visit with the key of --sign; undefined without that flag. */
export async function signingFetchOf(
  flags: SigningFlags,
): Promise<((fetch: GuardedFetch) => GuardedFetch) | undefined> {
  if (flags.sign === undefined) return undefined;
  const stored = await keyNamed(flags.sign, flags.keys);
  if (await isExposed(stored.file))
    note(`${stored.file} is readable by other users: run chmod 600 ${stored.file}`);
  const key = await readSigningKey(stored.jwk);
  if (key.purpose !== undefined && key.purpose !== PURPOSES.request) {
    throw new RegistryError('input_invalid', `the key ${key.keyid} is for ${key.purpose}`, {
      hint: 'create one for requests with `agent-registry keys generate --kind request`',
    });
  }
  const { profile, vocabulary } = flags;
  return (fetch) =>
    createSigningFetch(fetch, {
      kind: 'request',
      profile,
      key,
      clock: systemClock,
      coverDigest: flags.digest !== 'forbidden',
      ...(vocabulary !== undefined && { vocabulary }),
    });
}

/**
 * A private key by what was typed. What looks like a path is one; anything else is a kid, as `agent-registry keys generate`
 * printed it, or else a file of that name. Rejects with a RegistryError `not_found`, or as the file cannot be read.
 */
export async function keyNamed(name: string, folder: string): Promise<StoredKey> {
  if (/[/\\]|\.json$/.test(name)) return loadKey(name);
  const found = (await listSigningKeys(folder)).find((key) => key.kid === name);
  if (found !== undefined) return found;
  if (existsSync(name)) return loadKey(name);
  throw new RegistryError('not_found', `no key ${name} in ${folder}`, {
    hint: 'give its kid, its folder with --keys, or the path of its file, such as ./key.json',
  });
}
