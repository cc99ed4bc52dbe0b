import { describe, expect, test } from 'vitest';
import { check, says } from '../support/check.ts';

const ACME = { brand: { domain: 'acme.example' }, operator: 'desk.example' };
const OTHER = { brand: { domain: 'other.example' }, operator: 'other.example' };
const OF_BRAND = { brand: { domain: 'acme.example' } };
const ownAccount = (answer: object, request: object = {}) =>
  check({ check: 'own_account', value: ACME }, says({ ...answer }), { request: { ...request } });

describe('an answer passes', () => {
  test.each<[string, object, object?]>([
    ['that names no account', { creatives: [{ creative_id: 'c' }] }],
    ['that names the account of the request', { creatives: [{ account: ACME }] }, { account: ACME }],
    ['in other letters', { account: { brand: { domain: 'Acme.Example' } } }, { account: ACME }],
    ['that names the account by its id alone', { account: { account_id: 'acc_1' } }, { account: ACME }],
    ['of one of several accounts', { accounts: [OTHER, ACME] }, { accounts: [ACME, OTHER] }],
    ['with another brand of the same operator', { accounts: [{ ...OTHER, operator: 'desk.example' }] }],
    ['whose vendor fields name another account', { ext: { account: OTHER } }, { account: ACME }],
  ])('%s', (_name, answer, request) => {
    expect(ownAccount(answer, request).result).toBe('pass');
  });
});

describe('an answer fails', () => {
  test.each<[string, object, string, object?]>([
    [
      'with a creative of another account',
      { creatives: [{ account: ACME }, { account: OTHER }] },
      '/creatives/1/account',
      { account: ACME },
    ],
    [
      'with a media buy of another operator',
      { media_buys: [{ account: { operator: 'other.example' } }] },
      '/media_buys/0/account',
      { account: ACME },
    ],
    [
      'with another account id',
      { account: { account_id: 'acc_2' } },
      '/account',
      { account: { account_id: 'acc_1' } },
    ],
    [
      'with an account of another brand than was filtered for',
      { accounts: [ACME, { ...ACME, brand: { domain: 'other.example' } }] },
      '/accounts/1',
      OF_BRAND,
    ],
    ['with an account of another buyer in a list', { accounts: [ACME, OTHER] }, '/accounts/1'],
  ])('%s', (_name, answer, pointer, request) => {
    expect(ownAccount(answer, request)).toMatchObject({ result: 'fail', pointer });
  });
});
