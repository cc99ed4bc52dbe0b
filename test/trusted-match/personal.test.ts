import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../support/any-character.ts';
import { changedAt, context, identity, startProvider } from './support.ts';

const hex = (length: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length })
    .filter((text) => /\d/.test(text) && /[a-f]/.test(text));
const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
/** Values that stand for somebody, in the forms in which they go about. */
const userish = fc.oneof(
  fc.emailAddress(),
  fc.ipV4(),
  fc.ipV6(),
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  hex(16),
  hex(32),
  hex(64),
  digits(9, 15),
  digits(9, 15).map((text) => `+${text.slice(0, 2)} ${text.slice(2, 5)} ${text.slice(5)}`),
  fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
  fc.tuple(digits(9, 10), digits(10, 10)).map(([a, b]) => `GA1.2.${a}.${b}`),
  fc
    .emailAddress()
    .filter((mail) => mail.length >= 18)
    .map((mail) => Buffer.from(mail).toString('base64url')),
);
const PLACES = [
  '/property/property_id',
  '/property/property_type',
  '/placement/placement_id',
  '/placement/formats/0',
  '/content/url',
  '/content/content_id',
  '/content/artifact_types/0',
  '/content/topics/0',
  '/content/keywords/0',
  '/content/language',
  '/content/sensitive_categories/0',
  '/package_ids/0',
];

describe('whatever stands for somebody', () => {
  it('is accepted nowhere in a context match', async () => {
    const { post } = startProvider();
    await fc.assert(
      fc.asyncProperty(userish, fc.constantFrom(...PLACES), async (value, place) => {
        expect((await post('/context', changedAt(context(), place, value))).status).toBe(400);
      }),
      { numRuns: 1_500 },
    );
  });

  it('is accepted in no segment of the address of the content', async () => {
    const { post } = startProvider();
    const inUrl = userish.filter((value) => !value.startsWith('/'));
    await fc.assert(
      fc.asyncProperty(inUrl, fc.boolean(), async (value, isEscaped) => {
        const url = `https://news.example/a/${isEscaped ? encodeURIComponent(value) : value}/b`;
        expect((await post('/context', changedAt(context(), '/content/url', url))).status).toBe(400);
      }),
      { numRuns: 500 },
    );
  });

  it('is no request id, unless it has the very form of one', async () => {
    const { post } = startProvider();
    const isRequestId = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const other = userish.filter((value) => !isRequestId.test(value));
    await fc.assert(
      fc.asyncProperty(other, async (request_id) => {
        expect((await post('/context', context({ request_id }))).status).toBe(400);
      }),
      { numRuns: 200 },
    );
  });

  it('is accepted under no other name, wherever it stands', async () => {
    const { post } = startProvider();
    const known = new Set(JSON.stringify(context()).match(/(?<=")\w+(?=":)/g));
    const name = fc.string({ unit: anyCharacter }).filter((one) => !known.has(one));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('', '/property', '/placement', '/content'),
        name,
        userish,
        async (place, key, value) => {
          const body = context();
          const target = place === '' ? body : body[place.slice(1) as 'content'];
          Object.defineProperty(target, key, { value, enumerable: true });
          expect((await post('/context', body)).status).toBe(400);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a random token', () => {
  it('is hardly ever taken for readable text: four of a million', async () => {
    const { post } = startProvider();
    // without their bias to small numbers: the bytes of a token are of all sizes
    const bytes = fc.noBias(fc.uint8Array({ minLength: 32, maxLength: 64 }));
    const refused: string[] = [];
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom('base64url' as const, 'hex' as const), async (one, form) => {
        const token = Buffer.from(one).toString(form);
        if ((await post('/identity', identity({ token }))).status !== 200) refused.push(token);
        expect(refused.length).toBeLessThan(2);
      }),
      { numRuns: 500 },
    );
  });
});
