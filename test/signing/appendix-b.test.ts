import { webcrypto } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { importJWK, type JWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { digestFault } from '../../src/signing/covered.ts';
import { type HttpMessage, signatureBase } from '../../src/signing/message.ts';
import { readSigningKey } from '../../src/signing/private-key.ts';
import { CRYPTOGRAPHY, type SignatureAlgorithm } from '../../src/signing/profile.ts';
import { readSignatureFields } from '../../src/signing/signature-fields.ts';

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
interface Examples {
  readonly keys: Readonly<Record<string, { readonly public: JWK; readonly private: JWK }>>;
  readonly request: Message & { readonly method: string; readonly url: string };
  readonly response: Message & { readonly status: number };
  readonly cases: readonly {
    readonly id: string;
    readonly message: 'request' | 'response';
    readonly signature_input: string;
    readonly signature_base: string;
    readonly signature: string;
  }[];
}

/** The RFC's own values: keys B.1.3 and B.1.4, messages B.2, test cases B.2.4 and B.2.6. */
const examples: Examples = JSON.parse(
  readFileSync(new URL('fixtures/rfc9421-appendix-b.json', import.meta.url), 'utf8'),
);
const algorithmOf: Readonly<Record<string, SignatureAlgorithm>> = {
  'test-key-ed25519': 'ed25519',
  'test-key-ecc-p256': 'ecdsa-p256-sha256',
};

const judged = (field: string): string => field.replace(/^sig-b\d+/, 'sig1');

describe('the worked examples of RFC 9421, appendix B', () => {
  const read = ({ message, signature_input, signature }: Examples['cases'][number]) => {
    const { headers, ...rest } = examples[message];
    const lines = Object.entries({
      ...headers,
      'Signature-Input': judged(signature_input), // the label is covered by nothing
      Signature: judged(signature),
    });
    const given = { ...rest, body: undefined, headers: lines } as unknown as HttpMessage;
    const fields = readSignatureFields(given, '3.2');
    if ('refusal' in fields) throw new Error(fields.refusal.detail);
    return { given, fields: fields.value };
  };

  it.each(examples.cases)('$id has the base that the RFC prints', (example) => {
    const { given, fields } = read(example);
    expect(signatureBase(given, fields.components, fields.params)).toBe(example.signature_base);
  });

  it.each(examples.cases)('$id verifies, and no longer with one bit changed', async (example) => {
    const { fields } = read(example);
    const keyid = fields.parameters.keyid ?? '';
    const jwk = examples.keys[keyid]?.public ?? {};
    const key = (await importJWK(jwk)) as webcrypto.CryptoKey;
    const algorithm = CRYPTOGRAPHY[algorithmOf[keyid] ?? 'ed25519'];
    const base = new TextEncoder().encode(example.signature_base);
    const signature = Uint8Array.from(fields.signature);
    expect(await webcrypto.subtle.verify(algorithm, key, signature, base)).toBe(true);
    base[0] = (base[0] ?? 0) ^ 1;
    expect(await webcrypto.subtle.verify(algorithm, key, signature, base)).toBe(false);
  });

  it('B.2.6 is what our own key signs, byte for byte', async () => {
    const example = examples.cases.find(({ id }) => id === 'B.2.6');
    const jwk = { ...examples.keys['test-key-ed25519']?.private, kid: 'test-key-ed25519' };
    const key = await readSigningKey(jwk);
    const signature = await key.sign(new TextEncoder().encode(example?.signature_base));
    expect(`sig-b26=:${Buffer.from(signature).toString('base64')}:`).toBe(example?.signature);
  });

  it.each(['request', 'response'] as const)('the digest of the %s is that of its body', (name) => {
    const { headers, body } = examples[name];
    const digest = headers['Content-Digest'] ?? '';
    expect(digestFault(digest, new TextEncoder().encode(body))).toBeUndefined();
    expect(digestFault(digest, new TextEncoder().encode(`${body} `))).toMatch(/does not match the body/);
  });
});
