import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { judgeAddress } from '../../../src/crawl/fetch/address.ts';
import { BAD_ADDRESSES, GOOD_ADDRESSES, LOOPBACK_SPELLINGS, PRIVATE_SPELLINGS } from './addresses.ts';

test('the tables hold at least 150 addresses and spellings, none twice', () => {
  const all = [
    ...BAD_ADDRESSES,
    ...LOOPBACK_SPELLINGS.map((host) => `//${host}`),
    ...PRIVATE_SPELLINGS.map((host) => `//${host}`),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThanOrEqual(150);
});

describe('an address that must not be dialled is refused', () => {
  it.each(BAD_ADDRESSES)('%s', (address) => {
    expect(judgeAddress(address)).toMatchObject({ ok: false });
  });
});

describe('a public unicast address is good', () => {
  it.each(GOOD_ADDRESSES)('%s', (address) => {
    expect(judgeAddress(address)).toEqual({ ok: true });
  });
});

test('the reason names the address and its kind', () => {
  expect(judgeAddress('10.1.2.3')).toEqual({ ok: false, reason: '10.1.2.3 is a private address' });
  expect(judgeAddress('168.63.129.16')).toEqual({
    ok: false,
    reason: '168.63.129.16 is the wire server of a cloud',
  });
  expect(judgeAddress('2606::5efe:a00:1')).toEqual({
    ok: false,
    reason: '2606::5efe:a00:1 is an ISATAP tunnel',
  });
});

test('no address outside of 2000::/3 is good, whatever its lower bits', () => {
  const part = fc.integer({ min: 0, max: 0xffff });
  const outside = part.filter((first) => first >> 13 !== 1);
  fc.assert(
    fc.property(outside, fc.array(part, { minLength: 7, maxLength: 7 }), (first, rest) => {
      const address = [first, ...rest].map((one) => one.toString(16)).join(':');
      expect(judgeAddress(address).ok).toBe(false);
    }),
  );
});

test('any text gets a verdict and never an exception', () => {
  fc.assert(fc.property(fc.string(), (text) => typeof judgeAddress(text).ok === 'boolean'));
});
