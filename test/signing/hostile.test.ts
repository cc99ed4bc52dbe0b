import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../src/signing/message.ts';
import { buy, input, makeKey, NOW, outcome, rewritten, sign, type TestKey, verify } from './support.ts';

let key: TestKey;
let signed: HttpRequest;
beforeAll(async () => {
  key = await makeKey('k1');
  signed = await sign(key);
});

const MALFORMED = 'parse: request_signature_header_malformed';
const judged = async (message: HttpRequest) => outcome(await verify(message, [key.public]));

describe('tricks with structured fields are refused', () => {
  it.each([
    ['a number with a fraction', `created=${NOW}`, `created=${NOW}.0`],
    ['a date', `created=${NOW}`, `created=@${NOW}`],
    ['a negative number', `created=${NOW}`, 'created=-1'],
    ['a number that no one can hold', `created=${NOW}`, 'created=9999999999999999'],
    ['a number in quotes', `created=${NOW}`, `created="${NOW}"`],
    ['a parameter without a value', 'keyid="k1"', 'keyid'],
    ['a boolean', 'keyid="k1"', 'keyid=?1'],
    ['bytes', 'keyid="k1"', 'keyid=:AAAA:'],
    ['a display string', 'keyid="k1"', 'keyid=%"k1"'],
    ['a parameter twice', 'keyid="k1"', 'keyid="k2";keyid="k1"'],
    ['a tag twice', ';tag=', ';tag="x";tag='],
    ['a parameter twice, with a space', 'keyid="k1"', 'keyid="k2"; keyid="k1"'],
    ['a component twice', '("@method"', '("@method" "@method"'],
    ['a component in capitals', '"content-type"', '"Content-Type"'],
    ['a component as a token', '"content-type"', 'content-type'],
    ['a list that is not closed', ')', ''],
    ['a string that is not closed', 'v1"', 'v1'],
    ['a list within a list', '("@method"', '(("@method")'],
    ['a label in capitals', 'sig1=', 'Sig1='],
    ['no list', /\(.*?\)/, '"@method"'],
    ['a trailing comma', 'v1"', 'v1",'],
    ['a quote within a string', 'keyid="k1"', 'keyid="k1\\";tag="x"'],
    ['letters beyond ASCII', 'keyid="k1"', 'keyid="kä"'],
  ])('%s', async (_name, from, to) => {
    expect(await judged(input(signed, from, to))).toBe(MALFORMED);
  });

  it.each([
    ['a string', 'sig1="AAAA"'],
    ['a token', 'sig1=AAAA'],
    ['a parameter on it', 'sig1=:AAAA:;x'],
    ['white space in it', 'sig1=:AA AA:'],
    ['broken padding', 'sig1=:AAAAA:'],
    ['two alphabets', 'sig1=:A+A-:'],
    ['an empty field', ''],
    ['no label', ':AAAA:'],
  ])('a signature with %s', async (_name, text) => {
    expect(await judged(rewritten(signed, 'signature', () => text))).toBe(MALFORMED);
  });

  it('an escaped quote does not hide a label', async () => {
    const hidden = rewritten(signed, 'signature-input', (value) => `a=("x");y="\\", sig1=(", ${value}`);
    expect(await judged(hidden)).toBe('verified'); // `a` comes first, and sig1 is the one that is judged
    expect(await judged(rewritten(hidden, 'signature-input', (value) => `${value}, ${value}`))).toBe(
      MALFORMED,
    );
  });

  it('line breaks in a header cannot forge lines of the base', async () => {
    const forged = rewritten(signed, 'content-type', (value) => `${value}\n"x": 1`);
    expect(await judged(forged)).toBe(MALFORMED);
    await expect(
      sign(key, { components: ['accept'] }, { ...forged, headers: forged.headers.slice(0, 2) }),
    ).rejects.toThrow();
  });

  it('not even another label may bring letters beyond ASCII or line breaks', async () => {
    for (const text of ['é', '\n', '\0'])
      expect(await judged(rewritten(signed, 'signature-input', (value) => `${value}, x=("a${text}")`))).toBe(
        MALFORMED,
      );
  });

  it('huge headers are not even read', async () => {
    const huge = 'a=("x"),'.repeat(200_000);
    expect(await judged(rewritten(signed, 'signature-input', (value) => `${value}, ${huge}`))).toBe(
      MALFORMED,
    );
    expect(await judged(rewritten(signed, 'signature', (value) => `${value}, b=:${'A'.repeat(1e6)}:`))).toBe(
      MALFORMED,
    );
    expect(
      await judged(rewritten(signed, 'content-digest', (value) => `${value}, b=:${'A'.repeat(1e6)}:`)),
    ).toBe(MALFORMED);
  });

  it('blanks within a header take steps by their number, not by its square', async () => {
    const blanks = ' '.repeat(60_000);
    for (const name of ['signature', 'signature-input', 'content-type', 'content-digest', 'host'])
      for (let times = 0; times < 8; times += 1)
        await judged(rewritten(signed, name, (value) => `${value}${blanks}x`)); // the square: 2 s for each
    const inMember = rewritten(signed, 'signature', (value) => `${value}, x=${' '.repeat(7_000)}1`);
    for (let times = 0; times < 40; times += 1) await judged(inMember);
    expect(await judged(rewritten(signed, 'signature', (value) => ` \t${value}\t `))).toBe('verified');
  });

  it('a message with a header of many lines or many covered components is not looked at', async () => {
    const line = ['x', 'y'] as const;
    const many = { ...signed, headers: [...signed.headers, ...Array.from({ length: 300 }, () => line)] };
    expect(await judged(many)).toBe(MALFORMED);
    const names = Array.from({ length: 65 }, (_, n) => `"x${n}"`).join(' ');
    expect(await judged(input(signed, '("@method"', `("@method" ${names}`))).toBe(MALFORMED);
  });

  it('whatever stands in the two headers, there is an answer', async () => {
    const scrap = fc.array(
      fc.constantFrom(
        'sig1',
        '=',
        '(',
        ')',
        '"',
        '\\',
        ';',
        ',',
        ':',
        '?1',
        ' ',
        '"@method"',
        'created',
        '1',
        '\t',
        'ä',
        '*a',
      ),
      { maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(scrap, scrap, async (one, other) => {
        const message = rewritten(signed, 'signature-input', () => one.join(''));
        const verdict = await verify(
          rewritten(message, 'signature', () => other.join('')),
          [key.public],
        );
        expect(verdict.verified).toBe(false);
      }),
    );
  });
});

describe('keys are not confused', () => {
  it('a signature of one curve under the name of the other', async () => {
    const es = await makeKey('k1', 'request-signing', 'ecdsa-p256-sha256');
    expect(await judged(await sign(es))).toBe('purpose: request_signature_key_purpose_invalid');
    const renamed = await sign({ ...es, signer: { ...es.signer, alg: 'ed25519' } });
    expect(await judged(renamed)).toBe('cryptography: request_signature_invalid');
  });

  it('a signature of P-256 in DER, or with a zero in it', async () => {
    const es = await makeKey('k1', 'request-signing', 'ecdsa-p256-sha256');
    const good = await sign(es);
    const zeros = Buffer.alloc(64).toString('base64');
    const der = Buffer.concat([Buffer.from('3006020101020101', 'hex'), Buffer.alloc(56)]).toString('base64');
    for (const bytes of [zeros, der]) {
      const forged = rewritten(good, 'signature', () => `sig1=:${bytes}:`);
      expect(outcome(await verify(forged, [es.public]))).toBe('cryptography: request_signature_invalid');
    }
  });

  it('members of the key that would change how it is imported play no part', async () => {
    const dressed = { ...key.public, ext: false, x5c: ['AAAA'], kid: 'k1', toString: 'x' };
    expect(outcome(await verify(signed, [dressed]))).toBe('verified');
  });

  it('no private part is ever in an error', async () => {
    const { readSigningKey } = await import('../../src/signing/private-key.ts');
    for (const broken of [{ x: 'AAAA' }, { kty: 'EC' }, { kid: 7 }, { proto_use: 'tea' }, { alg: 'none' }]) {
      const error = await readSigningKey({ ...key.private, ...broken }).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({ code: 'input_invalid' });
      expect(JSON.stringify([String(error), error, (error as Error).cause])).not.toContain(
        String(key.private.d),
      );
    }
  });
});

describe('what cannot be verified is not signed', () => {
  it.each([
    ['a user name in the URL', { url: 'https://me:pw@seller.example/' }],
    ['a fragment', { url: 'https://seller.example/#x' }],
    ['a relative URL', { url: '/mcp' }],
    ['another scheme', { url: 'ftp://seller.example/' }],
    ['a body of no type', { headers: [] }],
    [
      'two content types',
      {
        headers: [
          ['content-type', 'a/b'],
          ['content-type', 'c/d'],
        ],
      },
    ],
    ['a method that is none', { method: 'PO ST' }],
  ] as const)('%s', async (_name, change) => {
    await expect(sign(key, {}, { ...buy, ...change })).rejects.toMatchObject({ code: 'input_invalid' });
  });

  it('a lifetime over 300 s', async () => {
    await expect(sign(key, { lifetime: 301 })).rejects.toThrow(/1 to 300 seconds/);
  });
});
