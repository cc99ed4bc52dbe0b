import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evidenceOf } from '../../src/compliance/evidence.ts';
import { createRedact, hideSecrets } from '../../src/compliance/secrets.ts';
import { says } from './support/check.ts';

describe('credentials that were given', () => {
  it('are hidden in every form, in names too', () => {
    const secret = 'p"ss/wörd+of us';
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
      JSON.stringify(secret),
    ];
    const hidden = JSON.stringify(
      createRedact([secret])({ list: forms.map((form) => `<${form}>`), [secret]: 1 }),
    );
    for (const form of forms) expect(hidden).not.toContain(form);
  });

  it('leave everything else as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!JSON.stringify(value).includes('a-token'));
        expect(createRedact(['a-token'])(value)).toEqual(value);
        expect(createRedact([])(value)).toBe(value);
      }),
    );
  });
});

describe('what looks like a secret', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'api_key',
    'x-api-key',
    'access_token',
    'client_secret',
    'password',
    'private_key',
    'credentials',
    'Set-Cookie',
  ])('is hidden under %s', (name) => {
    expect(hideSecrets({ [name]: 'abc', deep: [{ [name]: 'abc' }] })).toEqual({
      [name]: '[redacted]',
      deep: [{ [name]: '[redacted]' }],
    });
  });

  it('is hidden behind Bearer, and names that only sound like it stay', () => {
    expect(hideSecrets('it said Bearer abcdefgh1234= twice')).toBe('it said Bearer [redacted] twice');
    const plain = { tokens_used: 'x', key: 'x', author: 'x', secret_count: 'x', password: 7 };
    expect(hideSecrets(plain)).toEqual(plain);
  });
});

describe('evidence', () => {
  it('is bounded, and says that it was cut', () => {
    const evidence = evidenceOf('t', { brief: 'x'.repeat(50_000) }, says({ text: 'y'.repeat(90_000) }));
    expect(evidence.response_cut).toBe(true);
    expect(JSON.stringify(evidence).length).toBeLessThan(50_000);
  });
});
