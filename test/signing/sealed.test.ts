import { randomBytes } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  addSealingKey,
  makeSealingKeys,
  open,
  readSealingKeys,
  seal,
  sealedWith,
} from '../../src/signing/sealing-keys.ts';
import { tempFolder } from '../cli/support/cli.ts';

const NOW = Date.UTC(2026, 0, 6);
const OWNER = { agent: 'https://a.example/mcp', member: 'nova' };
const TOKEN = 'a-token-of-nova';
const key = (kid: string) => ({ kid, bytes: new Uint8Array(randomBytes(32)) });

describe('a sealed credential', () => {
  it('opens for its agent and member, with whichever of the keys it was sealed', async () => {
    const [old, young] = [key('old'), key('young')];
    const sealed = await seal([old], OWNER, TOKEN);
    expect(await open([young, old], OWNER, sealed)).toBe(TOKEN);
    const again = await seal([young, old], OWNER, TOKEN);
    expect([sealedWith(sealed), sealedWith(again)]).toEqual(['old', 'young']);
    expect(await seal([old], OWNER, TOKEN)).not.toBe(sealed);
  });

  it('is a JWE that tells whose it is and nothing of what is in it', async () => {
    const sealed = await seal([key('k')], OWNER, TOKEN);
    const header = Buffer.from(sealed.split('.')[0] ?? '', 'base64url').toString();
    expect(JSON.parse(header)).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      typ: 'test-credential+jwe',
      kid: 'k',
      ...OWNER,
    });
    expect(sealed).not.toContain(TOKEN);
  });

  it.each([
    ['the row of another agent', { ...OWNER, agent: 'https://b.example/mcp' }],
    ['another member', { ...OWNER, member: 'other' }],
  ])('does not open for %s', async (_what, owner) => {
    const keys = [key('k')];
    const sealed = await seal(keys, OWNER, TOKEN);
    await expect(open(keys, owner, sealed)).rejects.toMatchObject({
      code: 'credential_unreadable',
      message: expect.stringContaining('encrypted for another agent or member'),
    });
    const [, ...rest] = sealed.split('.');
    const header = { alg: 'dir', enc: 'A256GCM', typ: 'test-credential+jwe', kid: 'k', ...owner };
    const moved = [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
    await expect(open(keys, owner, moved)).rejects.toThrow('the key or the credential was changed');
  });

  it('says which key is missing, and that another one with its name is not it', async () => {
    const sealed = await seal([key('k')], OWNER, TOKEN);
    await expect(open([key('other')], OWNER, sealed)).rejects.toMatchObject({
      message: expect.stringContaining('encrypted with the key k, which is not in the file'),
      hint: expect.stringContaining('REGISTRY_CREDENTIAL_KEYS'),
    });
    await expect(open([key('k')], OWNER, sealed)).rejects.toThrow('the key or the credential was changed');
    for (const none of ['', 'x', TOKEN, 'a.b.c.d.e'])
      await expect(open([key('k')], OWNER, none)).rejects.toThrow('not an encrypted credential');
  });
});

describe('the file of sealing keys', () => {
  const fresh = () => join(tempFolder(), 'keys', 'credential-keys.json');
  const oct = (more: object = {}) => ({
    kty: 'oct',
    kid: 'k',
    k: randomBytes(32).toString('base64url'),
    ...more,
  });

  it('is made for its owner alone, never over another one, and a new key comes first', async () => {
    const file = fresh();
    const first = await makeSealingKeys(file, NOW);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await expect(makeSealingKeys(file, NOW)).rejects.toThrow('already exists');
    const second = await addSealingKey(file, NOW, 'second');
    expect((await readSealingKeys(file)).map(({ kid }) => kid)).toEqual([second, first]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual(['credential-keys.json']);
    await expect(addSealingKey(file, NOW, 'second')).rejects.toThrow('already has a key second');
    await expect(addSealingKey(file, NOW, '../x')).rejects.toThrow('is not a valid kid');
  });

  it('is refused when others can read it', async () => {
    const file = fresh();
    await makeSealingKeys(file, NOW);
    for (const mode of [0o640, 0o604]) {
      chmodSync(file, mode);
      await expect(readSealingKeys(file)).rejects.toMatchObject({
        code: 'input_invalid',
        message: expect.stringContaining('readable by other users'),
        hint: `chmod 600 ${file}`,
      });
    }
  });

  const same = oct();
  it.each<[string, unknown, string]>([
    ['no JSON', '{"keys": [SECRET', 'not valid JSON'],
    ['no set', [], 'no list "keys"'],
    ['null', null, 'no list "keys"'],
    ['an empty set', { keys: [] }, 'has 0 keys'],
    ['a key that is none', { keys: ['x'] }, 'keys[0] cannot be used: it is not a JWK'],
    [
      'a key pair',
      { keys: [oct(), oct({ kid: 'b', kty: 'OKP' })] },
      'keys[1] cannot be used: its kty is not oct',
    ],
    ['no kid', { keys: [oct({ kid: undefined })] }, 'no kid'],
    ['a kid with a line break', { keys: [oct({ kid: 'a\nb' })] }, 'no kid'],
    ['another algorithm', { keys: [oct({ alg: 'HS256' })] }, 'its alg is not A256GCM'],
    ['another use', { keys: [oct({ use: 'sig' })] }, 'its use is not enc'],
    ['no base64url', { keys: [oct({ k: 'a+b/' })] }, 'not base64url'],
    ['a short key', { keys: [oct({ k: randomBytes(16).toString('base64url') })] }, '16 bytes instead of 32'],
    ['one name twice', { keys: [oct(), oct()] }, 'keys[0] and keys[1] have the same kid'],
    ['one key twice', { keys: [same, { ...same, kid: 'b' }] }, 'keys[0] and keys[1] are the same key'],
    ['too many keys', { keys: Array.from({ length: 101 }, (_, n) => oct({ kid: `k${n}` })) }, 'has 101 keys'],
    ['far too much', `{"keys":[${' '.repeat(70_000)}]}`, 'longer than 65536 characters'],
  ])('is refused with %s, in words that hold nothing of a key', async (_what, content, reason) => {
    const file = join(tempFolder(), 'keys.json');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    const error: Error & { hint?: string } = await readSealingKeys(file).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: 'input_invalid', message: expect.stringContaining(reason) });
    expect(error.message).toContain(file);
    expect(error.hint).toBeDefined();
    const secrets = [...readFileSync(file, 'utf8').matchAll(/"k":"([^"]+)"/g)].map(([, k]) => k ?? '');
    for (const secret of [...secrets, 'SECRET'])
      expect(`${error.message} ${error.cause}`).not.toContain(secret);
  });

  it('is refused when it is not there or is a folder', async () => {
    const folder = tempFolder();
    await expect(readSealingKeys(join(folder, 'none.json'))).rejects.toThrow('cannot be read (ENOENT)');
    await expect(readSealingKeys(folder)).rejects.toThrow('cannot be read (EISDIR)');
  });
});
