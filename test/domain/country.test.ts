import { expect, it } from 'vitest';
import { COUNTRIES, countryMeant, readCountry } from '../../src/domain/country.ts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Regions of CLDR that ISO 3166-1 has not assigned: unions, outlying parts, tests and those whose meaning is open. */
const NOT_ASSIGNED = 'AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' ');

it('the countries are the regions of CLDR, without those that ISO 3166-1 has not assigned', () => {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const regions = LETTERS.flatMap((a) => LETTERS.map((b) => a + b)).filter(
    (code) => new Intl.Locale(`und-${code}`).region === code && names.of(code) !== undefined,
  );
  const assigned = regions.filter((code) => !NOT_ASSIGNED.includes(code));
  expect([...COUNTRIES].toSorted()).toEqual(assigned.toSorted());
});

it.each([
  ['DE', 'DE'],
  ['de', 'DE'],
  ['UK', 'GB'],
  ['uk', 'GB'],
  ['EL', 'GR'],
  ['XK', 'XK'],
  ['EU', undefined],
  ['EN', undefined],
  ['XX', undefined],
  ['ZZ', undefined],
  ['SU', undefined],
  ['DEU', undefined],
  ['', undefined],
])('%s can only mean %s', (code, country) => {
  expect(countryMeant(code)).toBe(country);
});

it.each([
  ['de', { ok: true, country: 'DE' }],
  ['UK', { ok: false, problem: 'the ISO 3166-1 code of this country is GB' }],
  ['EU', { ok: false, problem: 'use an ISO 3166-1 alpha-2 code, for example DE' }],
])('a question about %s is read as %j', (code, read) => {
  expect(readCountry(code)).toEqual(read);
});
