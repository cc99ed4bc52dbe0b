import { hash } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { contextReader } from '../../src/trusted-match/read-request.ts';
import { isReadable } from '../../src/trusted-match/readable-token.ts';
import { changedAt, context } from './support.ts';

const read = contextReader();
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

function isTaken(place: string, value: unknown): boolean {
  try {
    read(JSON.stringify(changedAt(context(), place, value)));
    return true;
  } catch {
    return false;
  }
}

/** Random signs of an alphabet, the same in every run. */
function random(alphabet: string, length: number, which: number): string {
  const bytes = [0, 1].flatMap((half) => [...hash('sha256', `${which} ${half}`, 'buffer')]);
  return Array.from({ length }, (_, at) => alphabet[(bytes[at] ?? 0) % alphabet.length]).join('');
}
const inGroups = (text: string, length: number, between: string) =>
  text.match(new RegExp(`.{1,${length}}`, 'g'))?.join(between) ?? '';

const PLACES: readonly (readonly [string, (token: string) => unknown])[] = [
  ['/content/content_id', (token) => token],
  ['/placement/placement_id', (token) => token],
  ['/property/property_id', (token) => token],
  ['/content/topics', (token) => ['travel.rail', token]],
  ['/content/url', (token) => `https://news.example/travel/${token}`],
];

describe('a token in the place of a name is refused, in so many of a hundred', () => {
  test.each<[string, (which: number) => string, number]>([
    ['32 bytes in base 36', (which) => random(`${LETTERS}0123456789`, 43, which), 99],
    ['16 bytes in base 36', (which) => random(`${LETTERS}0123456789`, 25, which), 97],
    ['16 bytes in base 32', (which) => random(`${LETTERS}234567`, 26, which), 95],
    ['12 signs', (which) => random(`${LETTERS}0123456789`, 12, which), 85],
    ['a ULID', (which) => `01${random('0123456789abcdefghjkmnpqrstvwxyz', 24, which)}`, 97],
    ['16 bytes in letters', (which) => random(LETTERS, 28, which), 85],
    ['32 bytes in 16 letters', (which) => random(LETTERS.slice(0, 16), 64, which), 85],
    [
      '32 bytes in groups of eight',
      (which) => inGroups(random(`${LETTERS}0123456789`, 43, which), 8, '-'),
      97,
    ],
  ])('%s', (_what, make, least) => {
    for (const [place, inPlace] of PLACES) {
      const taken = Array.from({ length: 100 }, (_, which) => isTaken(place, inPlace(make(which))));
      expect(taken.filter((one) => !one).length, place).toBeGreaterThanOrEqual(least);
    }
  });

  it('in pieces: in segments of a path, in topics, over several members', () => {
    const refused = { path: 0, topics: 0, members: 0 };
    for (let which = 0; which < 100; which += 1) {
      const groups = inGroups(random('0123456789abcdef', 32, which), 4, '/').split('/');
      if (!isTaken('/content/url', `https://news.example/${groups.join('/')}`)) refused.path += 1;
      if (!isTaken('/content/topics', [...new Set(groups)])) refused.topics += 1;
      const [property_id = '', placement_id = '', content_id = '', ...topics] = groups;
      const body = context({ property: { property_id }, placement: { placement_id } });
      const pieces = { ...body, content: { content_id, topics: [...new Set(topics)] } };
      if (!isTaken('', pieces)) refused.members += 1;
    }
    expect(
      Object.values(refused).every((count) => count >= 85),
      JSON.stringify(refused),
    ).toBe(true);
  });

  it('and a number that goes over several segments', () => {
    for (const path of ['0790/6478/4771', '079/064/784', '49/171/555/12345'])
      expect(isTaken('/content/url', `https://news.example/${path}`), path).toBe(false);
  });
});

describe('a name that people give is taken', () => {
  test.each(
    `night-trains-2026 s01e02-4k-hdr10 rechtsschutzversicherung geschwindigkeitsbegrenzung covid19update
     konstantynopolitanczykowianeczka hottentottententententoonstelling anticonstitutionnellement iphone15promax
     epajarjestelmallisyys strcprstskrzkrk llanfairpwllgwyngyll utf8mb4unicode manchesterunitedvsliverpool
     champions-league-final-2026 1080p60fps nachrichtenueberblick htmlcssjavascript selbstverstaendlichkeiten`.split(
      /\s+/,
    ),
  )('%s', (name) => {
    for (const [place, inPlace] of PLACES) expect(isTaken(place, inPlace(name)), place).toBe(true);
  });

  it('so are addresses of articles, and taxonomies of numbers', () => {
    for (const path of [
      '2026/11/21/123456',
      '2026/11/id-1234567',
      'world/europe/uk-news-56789012',
      '2024/45678901',
    ])
      expect(isTaken('/content/url', `https://news.example/${path}`), path).toBe(true);
    expect(isTaken('/content/topics', ['iab1', 'iab1-2', 'iab17-44', 'iab19-6', '632', '1042'])).toBe(true);
  });
});

describe('a token that can be read', () => {
  const page = 'https://news.example/travel/night-trains';
  const base64 = Buffer.from(page).toString('base64url');
  const hex = Buffer.from(page).toString('hex');
  test.each([
    ['base64url', base64],
    ['base64url of base64url', Buffer.from(base64).toString('base64url')],
    ['hexadecimal', hex],
    ['hexadecimal in capitals', hex.toUpperCase()],
    ['backwards', [...base64].reverse().join('')],
    ['the text backwards', Buffer.from([...page].reverse().join('')).toString('base64url')],
    ['hexadecimal backwards', [...hex].reverse().join('')],
    ['behind one sign', `A${base64}`],
    ['behind two signs', `xQ${base64}`],
    ['behind three signs', `xQ9${base64}`],
    ['base 32', 'nb2hi4dthixs63tfo5zs4zlymfwxa3dff52heylwmvwc63tjm5uhilluojqw'],
    ['base 32 in capitals', 'NB2HI4DTHIXS63TFO5ZS4ZLYMFWXA3DFF52HEYLWMVWC63TJM5UHILLUOJQW'],
    ['behind random bytes', `kN3vR8sWq1ZxT5bYh0Lm${base64}`],
  ])('as %s is refused', (_how, token) => {
    expect(isReadable(token)).toBe(true);
  });

  it('but random ones are taken', () => {
    const some = Array.from({ length: 500 }, (_, which) => hash('sha256', `${which}`, 'buffer'));
    for (const bytes of some)
      expect([isReadable(bytes.toString('base64url')), isReadable(bytes.toString('hex'))]).toEqual([
        false,
        false,
      ]);
  });
});
