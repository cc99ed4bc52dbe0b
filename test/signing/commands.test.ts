import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { run, tempFolder } from '../cli/support/cli.ts';
import { follows } from '../cli/support/schemas.ts';
import { NOW } from './support.ts';

interface Made {
  readonly kid: string;
  readonly file: string;
  readonly jwk: Readonly<Record<string, unknown>>;
}
interface Verdict {
  readonly verified: boolean;
  readonly code: string | null;
  readonly step: string | null;
  readonly detail: string;
}

let folder: string;
let keys: readonly string[];
const path = (name: string) => join(folder, name);
const write = (name: string, value: unknown) => {
  writeFileSync(path(name), typeof value === 'string' ? value : JSON.stringify(value));
  return path(name);
};
const secretOf = (file: string): string => JSON.parse(readFileSync(file, 'utf8')).d;

beforeEach(() => {
  folder = tempFolder();
  keys = ['--keys', path('keys')];
});

async function json<T>(schema: string, code: number, ...args: string[]): Promise<T> {
  const ran = await run(...args, '--json');
  expect(ran.code, ran.stderr).toBe(code);
  return follows<T>(ran.stdout, schema);
}

const generate = (...flags: string[]) =>
  json<Made>('cli/keys.json', 0, 'keys', 'generate', ...keys, ...flags);
const published = async (...flags: string[]): Promise<string> => {
  const { stdout } = await run('keys', 'jwks', ...keys, ...flags);
  follows(stdout, 'cli/keys-jwks.json');
  return write('jwks.json', stdout);
};
const kids = (file: string) =>
  (JSON.parse(readFileSync(file, 'utf8')).keys as { kid: string }[]).map(({ kid }) => kid);

const message = {
  method: 'POST',
  url: 'https://seller.example/mcp',
  headers: { 'Content-Type': 'application/json', Accept: ['application/json', 'text/event-stream'] },
  body: '{"a":"ü"}',
};
const at = ['--at', String(NOW)];

describe('agent-registry keys', () => {
  it('generate writes the private part for its owner alone and prints the public part alone', async () => {
    for (const alg of ['ed25519', 'ecdsa-p256-sha256']) {
      const made = await generate('--alg', alg);
      expect(statSync(made.file).mode & 0o777).toBe(0o600);
      expect(made.jwk).toMatchObject({
        kid: made.kid,
        use: 'sig',
        key_ops: ['verify'],
        proto_use: 'request-signing',
      });
      const human = await run('keys', 'generate', ...keys, '--alg', alg, '--kid', `mine-${alg}`);
      const secret = secretOf(path(`keys/mine-${alg}.json`));
      expect(secret).toHaveLength(43);
      expect(human.stdout + human.stderr + JSON.stringify(made)).not.toContain(secret);
      expect(JSON.stringify(made.jwk)).not.toContain('"d"');
    }
    expect(statSync(path('keys')).mode & 0o777).toBe(0o700);
  });

  it('generate never overwrites a key, nor leaves the folder', async () => {
    await generate('--kid', 'mine');
    const before = readFileSync(path('keys/mine.json'), 'utf8');
    const again = await run('keys', 'generate', ...keys, '--kid', 'mine');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('already exists')]);
    expect((await run('keys', 'generate', '--out', path('keys/mine.json'))).code).toBe(1);
    expect(readFileSync(path('keys/mine.json'), 'utf8')).toBe(before);
    expect((await run('keys', 'generate', ...keys, '--kid', '../mine')).stderr).toContain(
      'is not a valid kid',
    );
    expect(readdirSync(folder)).toEqual(['keys']);
  });

  it('jwks publishes public parts alone', async () => {
    const one = await generate('--kind', 'request');
    const other = await generate('--kind', 'webhook', '--vocabulary', 'adcp');
    const file = await published();
    expect(kids(file).toSorted()).toEqual([one.kid, other.kid].toSorted());
    for (const { file: secret } of [one, other])
      expect(readFileSync(file, 'utf8')).not.toContain(secretOf(secret));
    expect(other.jwk).toMatchObject({ adcp_use: 'webhook-signing' });
  });

  it('rotate signs with a new key at once, and publishes the old one for the overlap', async () => {
    const old = await generate();
    const hook = await generate('--kind', 'webhook');
    const rotated = await json<Made & { retired: string[] }>('cli/keys.json', 0, 'keys', 'rotate', ...keys);
    expect(rotated.retired).toEqual([old.kid]);
    expect(kids(await published()).toSorted()).toEqual([old.kid, hook.kid, rotated.kid].toSorted());
    expect(kids(await published('--overlap', '0')).toSorted()).toEqual([hook.kid, rotated.kid].toSorted());
    expect(statSync(old.file).mode & 0o777).toBe(0o600);
    const signed = await json<typeof message>('cli/sign.json', 0, 'sign', write('m.json', message), ...keys);
    expect(JSON.stringify(signed)).toContain(rotated.kid);
    const over = await json<{ removed: string[] }>(
      'cli/keys.json',
      0,
      'keys',
      'rotate',
      ...keys,
      '--overlap',
      '0',
    );
    expect(over.removed).toEqual([old.kid]);
  });

  it('rotate --revoke takes the old keys away and lists them for verify', async () => {
    const old = await generate();
    const before = await published();
    const signed = await json<object>('cli/sign.json', 0, 'sign', write('m.json', message), ...keys, ...at);
    const file = write('signed.json', signed);
    expect((await run('verify', file, '--jwks', before, ...at)).code).toBe(0);
    const { retired, removed } = await json<{ retired: string[]; removed: string[] }>(
      'cli/keys.json',
      0,
      'keys',
      'rotate',
      ...keys,
      '--revoke',
    );
    expect([retired, removed]).toEqual([[old.kid], [old.kid]]);
    expect(kids(await published())).not.toContain(old.kid);
    const stale = write('stale.json', { keys: [old.jwk] });
    const revoked = ['--revoked', path('keys/revoked.json')];
    const verdict = await json<Verdict>(
      'cli/verify.json',
      1,
      'verify',
      file,
      '--jwks',
      stale,
      ...revoked,
      ...at,
    );
    expect(verdict).toMatchObject({ code: 'request_signature_key_revoked', step: 'revoked' });
  });
});

describe('agent-registry sign and verify', () => {
  it.each([
    ['request', '3.2', 'proto'],
    ['request', '3.1', 'adcp'],
    ['webhook', '3.2', 'adcp'],
    ['webhook', '3.1', 'proto'],
  ])('a %s in profile %s, with the names of %s', async (kind, profile, vocabulary) => {
    await generate('--kind', kind, '--vocabulary', vocabulary);
    const how = ['--kind', kind, '--profile', profile, ...at];
    const signed = await json<typeof message>(
      'cli/sign.json',
      0,
      'sign',
      write('m.json', message),
      ...keys,
      ...how,
    );
    expect(signed).toMatchObject({ method: 'POST', url: message.url, body: message.body });
    expect(JSON.stringify(signed.headers)).toContain(`${vocabulary}/${kind}-signing/v1`);
    const file = write('signed.json', signed);
    const jwks = ['--jwks', await published()];
    expect(await json('cli/verify.json', 0, 'verify', file, ...jwks, ...how)).toEqual({
      verified: true,
      code: null,
      step: null,
      detail: expect.stringContaining('signed by the key'),
    });
    const tampered = write('tampered.json', { ...signed, body: '{}' });
    expect(await json('cli/verify.json', 1, 'verify', tampered, ...jwks, ...how)).toMatchObject({
      verified: false,
      code: `${kind}_signature_digest_mismatch`,
      step: 'digest',
    });
  });

  it('verify with a store refuses the second time, in another process too', async () => {
    await generate();
    const signed = write(
      'signed.json',
      await json('cli/sign.json', 0, 'sign', write('m.json', message), ...keys, ...at),
    );
    const verify = ['verify', signed, '--jwks', await published(), ...at];
    const store = ['--store', `sqlite:${path('nonces.sqlite')}`];
    expect(await json('cli/verify.json', 0, ...verify)).toMatchObject({ verified: true });
    expect(await json('cli/verify.json', 0, ...verify, ...store)).toMatchObject({ verified: true });
    expect(await json('cli/verify.json', 1, ...verify, ...store)).toMatchObject({ step: 'replay' });
    const plain = await run(...verify, ...store);
    expect([plain.code, plain.stdout]).toEqual([
      1,
      expect.stringMatching(/^not verified, failed check "replay": /),
    ]);
    expect((await run(...verify)).stdout).toMatch(/^verified: signed by the key/);
  });

  it('sign prints its headers, warns of a key that others can read, and never prints the key', async () => {
    const { file } = await generate();
    chmodSync(file, 0o644);
    const ran = await run('sign', write('m.json', message), '--key', file);
    expect(ran.stdout).toMatch(/^content-digest: .*\nsignature-input: .*\nsignature: .*\n$/);
    expect(ran.stderr).toContain('chmod 600');
    expect(ran.stdout + ran.stderr).not.toContain(secretOf(file));
  });

  it('sign takes a kid of the folder too', async () => {
    const [first] = [await generate(), await generate()];
    const signed = await json<{ headers: Record<string, string> }>(
      'cli/sign.json',
      0,
      'sign',
      write('m.json', message),
      ...keys,
      '--key',
      first.kid,
    );
    expect(JSON.stringify(signed)).toContain(first.kid);
    const unknown = await run('sign', write('m.json', message), ...keys, '--key', 'nobody');
    expect(unknown.stderr).toContain('no key nobody in');
  });

  it('sign without a digest, and verify that does not ask for one', async () => {
    await generate();
    const flags = [...keys, '--digest', 'forbidden', ...at];
    const signed = write(
      'signed.json',
      await json('cli/sign.json', 0, 'sign', write('m.json', message), ...flags),
    );
    const verify = ['verify', signed, '--jwks', await published(), ...at];
    expect((await json<Verdict>('cli/verify.json', 1, ...verify)).code).toBe(
      'request_signature_components_incomplete',
    );
    for (const rule of ['either', 'forbidden'])
      expect((await json<Verdict>('cli/verify.json', 0, ...verify, '--digest', rule)).verified).toBe(true);
  });

  it.each([
    ['no JSON', 'x', /it is not valid JSON/],
    ['a list', '[]', /it is not an object/],
    ['no method', { url: 'x' }, /method is not a string/],
    ['headers of numbers', { ...message, headers: { a: 1 } }, /headers.a is neither/],
    ['a header with a line break in its name', { ...message, headers: { 'a\nb': '1' } }, /not a header name/],
    ['a body that is not a string', { ...message, body: {} }, /body is not a string/],
  ])('a file with %s is told as such', async (_name, content, expected) => {
    const ran = await run(
      'verify',
      write('m.json', content),
      '--jwks',
      write('jwks.json', { keys: [] }),
      '--json',
    );
    expect([ran.code, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toMatch(expected);
  });

  it('a list of revoked keys that is not understood is not passed over', async () => {
    const jwks = write('jwks.json', { keys: [] });
    for (const list of ['{"revoked_jtis":[]}', '[{"name":"k"}]', '{', '<html>']) {
      const ran = await run(
        'verify',
        write('m.json', message),
        '--jwks',
        jwks,
        '--revoked',
        write('r.json', list),
      );
      expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining('list of revoked keys')]);
    }
  });

  it('verify answers with a code when there is no key set', async () => {
    await generate();
    const signed = await json<object>('cli/sign.json', 0, 'sign', write('m.json', message), ...keys, ...at);
    const file = write('signed.json', signed);
    for (const jwks of [path('none.json'), write('jwks.json', '<html>')])
      expect(await json<Verdict>('cli/verify.json', 1, 'verify', file, '--jwks', jwks, ...at)).toMatchObject({
        code: 'request_signature_jwks_unavailable',
        step: 'key',
      });
    const store = await run('verify', file, '--jwks', path('none.json'), '--store', 'postgres://x/y');
    expect([store.code, store.stderr]).toEqual([2, expect.stringContaining('sqlite:PATH')]);
  });

  it('sign says which key is missing', async () => {
    expect((await run('sign', write('m.json', message), ...keys)).stderr).toContain(
      'agent-registry keys generate',
    );
    await generate('--kind', 'webhook');
    expect((await run('sign', write('m.json', message), ...keys)).stderr).toContain(
      'no key for request-signing',
    );
  });
});
