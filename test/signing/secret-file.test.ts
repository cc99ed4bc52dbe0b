import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rotateKeys } from '../../src/signing/key-folder.ts';
import {
  createSecretFile,
  readSecretFile,
  replaceSecretFile,
  requireSecret,
} from '../../src/signing/secret-file.ts';
import { tempFolder } from '../cli/support/cli.ts';

const NEW = { alg: 'ed25519', purpose: 'badge-signing', vocabulary: 'proto' } as const;

describe('a file with secret keys', () => {
  it('is replaced at once, readable for its owner alone, and nothing is left beside it', async () => {
    const file = join(tempFolder(), 'keys.json');
    writeFileSync(file, 'old', { mode: 0o644 });
    await replaceSecretFile(file, 'new');
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['new', 0o600]);
    expect(readdirSync(join(file, '..'))).toEqual(['keys.json']);
  });

  it('is never written through a link, wherever one is put', async () => {
    const folder = tempFolder();
    const [victim, link] = [join(folder, 'victim'), join(folder, 'keys.json')];
    writeFileSync(victim, 'precious');
    symlinkSync(victim, link);
    await expect(replaceSecretFile(link, 'new')).rejects.toThrow('is a symbolic link');
    await expect(createSecretFile(link, 'new', 'x')).rejects.toThrow('already exists');
    const nowhere = join(folder, 'nowhere.json');
    symlinkSync(join(folder, 'not-there'), nowhere);
    await expect(createSecretFile(nowhere, 'new', 'x')).rejects.toThrow('already exists');
    expect([readFileSync(victim, 'utf8'), existsSync(join(folder, 'not-there'))]).toEqual([
      'precious',
      false,
    ]);
  });

  it('of a folder of keys is rotated past a link at the name that a replacement once had', async () => {
    const folder = tempFolder();
    const victim = join(tempFolder(), 'victim');
    writeFileSync(victim, 'precious');
    await rotateKeys(folder, { ...NEW, kid: 'old', overlapMs: 1_000, revoke: false }, 0);
    for (const name of ['old.json.next', 'revoked.json.next']) symlinkSync(victim, join(folder, name));
    await rotateKeys(folder, { ...NEW, kid: 'new', overlapMs: 1_000, revoke: false }, 1);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(lstatSync(join(folder, 'old.json')).isSymbolicLink()).toBe(false);
  });

  it('is not read where everybody can put another one in its place', async () => {
    const folder = tempFolder();
    const file = join(folder, 'keys.json');
    writeFileSync(file, 'mine', { mode: 0o600 });
    const both = () =>
      Promise.allSettled([requireSecret(file, 'the keys'), readSecretFile(file, 'the keys', 'x')]);
    chmodSync(folder, 0o777);
    for (const read of await both())
      expect(read).toMatchObject({ status: 'rejected', reason: { hint: `chmod o-w ${folder}` } });
    chmodSync(folder, 0o1777);
    expect((await both()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
  });

  it('is not written where everybody can replace it, and is where the folder keeps owners apart', async () => {
    const folder = tempFolder();
    chmodSync(folder, 0o777);
    await expect(createSecretFile(join(folder, 'a'), 'x', 'x')).rejects.toMatchObject({
      ...{ code: 'input_invalid', hint: `chmod o-w ${folder}` },
    });
    chmodSync(folder, 0o1777);
    await createSecretFile(join(folder, 'a'), 'x', 'x');
  });

  it.each([0o640, 0o604, 0o620, 0o602])(
    'is not read with mode %o, and the error has the command',
    async (mode) => {
      const file = join(tempFolder(), 'keys.json');
      await createSecretFile(file, 'secret', 'x');
      chmodSync(file, mode);
      await expect(readSecretFile(file, 'the keys', 'x')).rejects.toMatchObject({
        ...{ message: `the keys ${file} are readable by other users`, hint: `chmod 600 ${file}` },
      });
    },
  );
});
