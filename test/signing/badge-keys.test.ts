import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { derivedKeys, loadBadgeKeys } from '../../src/signing/badge-keys.ts';
import { generateKey } from '../../src/signing/private-key.ts';
import { run, tempFolder } from '../cli/support/cli.ts';

const made = (over: Partial<Parameters<typeof generateKey>[0]> = {}) =>
  generateKey({ alg: 'ed25519', purpose: 'badge-signing', vocabulary: 'proto', ...over });

function fileOf(value: unknown): string {
  const path = join(tempFolder(), 'keys.json');
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

const kidsOf = (keys: Awaited<ReturnType<typeof loadBadgeKeys>>) => keys.published.map(({ kid }) => kid);

describe('the keys that badges are signed with', () => {
  it('of a set: the first signs, the public parts of all are published and nothing else', async () => {
    const [old, fresh] = [await made(), await made()];
    const keys = await loadBadgeKeys(fileOf({ keys: [fresh, old] }));
    expect([keys.signer.keyid, kidsOf(keys)]).toEqual([fresh.kid, [fresh.kid, old.kid]]);
    for (const jwk of keys.published) {
      expect(jwk).not.toHaveProperty('d');
      expect(jwk).toMatchObject({
        kty: 'OKP',
        crv: 'Ed25519',
        alg: 'EdDSA',
        use: 'sig',
        key_ops: ['verify'],
      });
    }
  });

  it('of a folder: what generate made signs, and after a rotation the new one, with the old one published', async () => {
    const folder = join(tempFolder(), 'keys');
    const command = (verb: string, ...flags: string[]) =>
      run('keys', verb, '--kind', 'badge', '--keys', folder, '--kid', `key-${verb}`, ...flags);
    expect((await command('generate')).code).toBe(0);
    await run('keys', 'generate', '--kind', 'request', '--keys', folder, '--kid', 'for-requests');
    expect(kidsOf(await loadBadgeKeys(folder))).toEqual(['key-generate']);
    expect((await command('rotate')).code).toBe(0);
    const keys = await loadBadgeKeys(folder);
    expect([keys.signer.keyid, kidsOf(keys)]).toEqual(['key-rotate', ['key-rotate', 'key-generate']]);
    rmSync(join(folder, 'key-rotate.json'));
    await expect(loadBadgeKeys(folder)).rejects.toThrow('it has no key for badges that is in use');
  });

  it('without any: the same key from the same secret, and another from another', async () => {
    const [one, same, other] = await Promise.all(
      [7, 7, 8].map((byte) => derivedKeys(Buffer.alloc(32, byte), 'badge')),
    );
    expect(same?.published).toEqual(one?.published);
    expect(other?.signer.keyid).not.toBe(one?.signer.keyid);
    expect(one?.signer.keyid).toMatch(/^badge-[A-Za-z0-9]{12}$/);
  });

  it.each<[string, () => unknown | Promise<unknown>, string]>([
    ['no JSON', () => 'keys', 'it is not a JWK set'],
    ['an empty set', () => ({ keys: [] }), 'it is not a JWK set'],
    ['a key for requests', () => made({ purpose: 'request-signing' }), ' is not declared for badge-signing'],
    [
      'another curve',
      () => made({ alg: 'ecdsa-p256-sha256', kid: 'mine' }),
      'the key mine is not an Ed25519 key',
    ],
    ['a public key', async () => ({ ...(await made()), d: undefined }), 'it has no private part'],
    ['a key with no name', async () => ({ ...(await made()), kid: undefined }), 'key 1: it has no kid'],
    [
      'halves of two keys',
      async () => ({ ...(await made()), x: (await made()).x }),
      ': its numbers do not form a key',
    ],
    [
      'one name twice',
      async () => [await made({ kid: 'a' }), await made({ kid: 'a' })],
      'two of its keys have the same kid',
    ],
    ['a bad one behind a good one', async () => [await made(), { kty: 'OKP' }], 'key 2 is not declared'],
  ])('refuses %s, and says nothing of the key', async (_what, value, reason) => {
    const path = fileOf(await value());
    const error = await loadBadgeKeys(path).then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toContain(`the badge keys in ${path} cannot be used: `);
    expect(error?.message).toContain(reason);
    const secrets = [...readFileSync(path, 'utf8').matchAll(/"d":"([^"]+)"/g)].map(([, d]) => d ?? '');
    for (const secret of secrets) expect(error?.message).not.toContain(secret);
  });

  it('refuses a place where there is nothing', async () => {
    await expect(loadBadgeKeys('/nowhere/keys.json')).rejects.toThrow('it cannot be read');
  });
});
