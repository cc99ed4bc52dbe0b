import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBadgeKeys } from '../../src/signing/badge-key-source.ts';
import { rotateKeys } from '../../src/signing/key-folder.ts';
import { generateKey, publicJwk } from '../../src/signing/private-key.ts';
import { tempFolder } from '../cli/support/cli.ts';

const NEW = { alg: 'ed25519', purpose: 'badge-signing', vocabulary: 'proto' } as const;
const START = Date.UTC(2026, 0, 6);
const [MINUTE, DAY] = [60_000, 86_400_000];

/** A source on a clock of its own, and what went wrong with it. */
async function opened(setting: string) {
  const clock = { value: START, now: () => clock.value };
  const faults: unknown[] = [];
  const keys = await openBadgeKeys(setting, { clock, onFault: (error) => faults.push(error) });
  const at = async (ms: number) => {
    clock.value = START + ms;
    await keys();
    const { signer, published, revoked = [] } = await keys();
    return [signer.keyid, published.map(({ kid }) => kid).sort(), revoked];
  };
  return { at, faults, keys };
}

async function folderOf(kid: string): Promise<string> {
  const folder = join(tempFolder(), 'keys');
  await rotateKeys(folder, { ...NEW, kid, overlapMs: 0, revoke: false }, START - DAY);
  return folder;
}

const rotated = (folder: string, kid: string, at: number, revoke = false) =>
  rotateKeys(folder, { ...NEW, kid, overlapMs: 2 * DAY, revoke }, START + at);

describe('the badge keys of a running process', () => {
  it('are rotated without a restart: published first, then signed with, and the old one until its last token ends', async () => {
    const folder = await folderOf('old');
    const { at, faults } = await opened(folder);
    expect(await at(0)).toEqual(['old', ['old'], []]);
    await rotated(folder, 'new', MINUTE);
    expect(await at(2 * MINUTE)).toEqual(['old', ['new', 'old'], []]);
    expect(await at(8 * MINUTE)).toEqual(['new', ['new', 'old'], []]);
    expect(await at(DAY)).toEqual(['new', ['new', 'old'], []]);
    expect(await at(DAY + 8 * MINUTE)).toEqual(['new', ['new'], []]);
    expect(faults).toEqual([]);
  });

  it('that others know are gone at once, and are named as revoked', async () => {
    const folder = await folderOf('leaked');
    const { at } = await opened(folder);
    await rotated(folder, 'new', MINUTE, true);
    expect(await at(2 * MINUTE)).toEqual(['new', ['new'], ['leaked']]);
  });

  it('go on where the file is broken, gone or open to others later, and somebody is told', async () => {
    const file = join(tempFolder(), 'keys.json');
    const set = async (kid: string) => JSON.stringify({ keys: [await generateKey({ ...NEW, kid })] });
    writeFileSync(file, await set('one'), { mode: 0o600 });
    const { at, faults } = await opened(file);
    writeFileSync(file, '{"keys": [');
    expect(await at(MINUTE)).toEqual(['one', ['one'], []]);
    writeFileSync(file, await set('two'));
    chmodSync(file, 0o604);
    expect(await at(2 * MINUTE)).toEqual(['one', ['one'], []]);
    chmodSync(file, 0o600);
    expect(await at(3 * MINUTE)).toEqual(['two', ['two'], []]);
    rmSync(file);
    expect(await at(4 * MINUTE)).toEqual(['two', ['two'], []]);
    expect(faults.map((error) => (error as Error).message)).toEqual([
      expect.stringContaining('it is not a JWK set'),
      expect.stringContaining('readable by other users'),
      expect.stringContaining('cannot be used'),
    ]);
  });

  it('are refused at the start when others can read them, with the command that mends it', async () => {
    const folder = await folderOf('mine');
    chmodSync(join(folder, 'mine.json'), 0o644);
    await expect(opened(folder)).rejects.toMatchObject({
      ...{ code: 'input_invalid', hint: `chmod 600 ${join(folder, 'mine.json')}` },
    });
  });

  it('of a set that say revoked_at are revoked and sign nothing', async () => {
    const file = join(tempFolder(), 'keys.json');
    const keys = [await generateKey({ ...NEW, kid: 'a' }), await generateKey({ ...NEW, kid: 'b' })];
    writeFileSync(
      file,
      JSON.stringify({ keys: [{ ...keys[0], revoked_at: '2026-01-01T00:00:00Z' }, keys[1]] }),
      { mode: 0o600 },
    );
    expect(await (await opened(file)).at(0)).toEqual(['b', ['b'], ['a']]);
  });
});

/** A program that keeps a key, as an operator would write one in front of a key service. */
async function keyService(sign: string): Promise<{ readonly setting: string; readonly kid: string }> {
  const folder = tempFolder();
  const jwk = await generateKey({ ...NEW, kid: 'of-the-service' });
  const program = join(folder, 'service.mjs');
  writeFileSync(
    program,
    `import { createPrivateKey, sign } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
const jwk = ${JSON.stringify(jwk)};
if (process.argv[2] !== 'sign') process.stdout.write(${JSON.stringify(JSON.stringify({ keys: [publicJwk(jwk)] }))});
else { appendFileSync(${JSON.stringify(join(folder, 'calls'))}, '.');
const data = readFileSync(0), key = createPrivateKey({ key: jwk, format: 'jwk' });
${sign} }`,
  );
  return { setting: `command:${process.execPath} ${program}`, kid: 'of-the-service' };
}

const bytes = new TextEncoder().encode(
  [{ alg: 'EdDSA' }, { a: 1 }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.'),
);

describe('badge keys that a command keeps', () => {
  it('sign without ever being here, and the same bytes once', async () => {
    const { setting, kid } = await keyService("console.log(sign(null, data, key).toString('base64url'))");
    const { keys } = await opened(setting);
    const { signer, published } = await keys();
    expect([signer.keyid, JSON.stringify(published)]).toEqual([kid, expect.not.stringContaining('"d"')]);
    const [one, again] = await Promise.all([signer.sign(bytes), signer.sign(bytes)]);
    expect([one?.length, again]).toEqual([64, one]);
  });

  it.each([
    ['fails', 'process.exit(3)', 'it exited with 3'],
    [
      'signs something else',
      "console.log(sign(null, Buffer.from('x'), key).toString('base64url'))",
      'is not a signature by',
    ],
    ['prints without end', "for (let i = 0; i < 40; i++) console.log('x'.repeat(9000))", 'printed more than'],
  ])('that %s costs the token, with an error that has a code', async (_what, sign, reason) => {
    const { signer } = await (await opened((await keyService(sign)).setting)).keys();
    await expect(signer.sign(bytes)).rejects.toMatchObject({
      ...{ code: 'keys_unavailable', message: expect.stringContaining(reason) },
    });
  });

  it('are refused at the start when there is no such program', async () => {
    await expect(opened('command:/not/there')).rejects.toMatchObject({ code: 'keys_unavailable' });
  });
});
