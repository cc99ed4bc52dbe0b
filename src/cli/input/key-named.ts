import { existsSync } from 'node:fs';
import { RegistryError } from '../../errors.ts';
import { listSigningKeys, loadKey, type StoredKey } from '../../signing/key-folder.ts';

/**
 * A private key by what was typed. What looks like a path is one; anything else is a kid, as `registry keys generate`
 * printed it, or else a file of that name. Rejects with a RegistryError `not_found`, or as the file cannot be read.
 */
export async function keyNamed(name: string, folder: string): Promise<StoredKey> {
  if (/[/\\]|\.json$/.test(name)) return loadKey(name);
  const found = (await listSigningKeys(folder)).find((key) => key.kid === name);
  if (found !== undefined) return found;
  if (existsSync(name)) return loadKey(name);
  throw new RegistryError('not_found', `there is no key ${name} in ${folder}`, {
    hint: 'give its kid, its folder with --keys, or its file as a path, ./key.json',
  });
}
