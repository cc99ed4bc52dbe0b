import { describe, expect, it, test } from 'vitest';
import { FetchGuardError, fetchFailureOf, guardError } from '../../../src/crawl/fetch/failure.ts';

describe('the codes of the system in our words', () => {
  it.each([
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns'],
    ['ECONNREFUSED', 'refused'],
    ['ECONNRESET', 'refused'],
    ['EHOSTUNREACH', 'refused'],
    ['ENETUNREACH', 'refused'],
    ['UND_ERR_SOCKET', 'refused'],
    ['ETIMEDOUT', 'timeout'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
    ['CERT_HAS_EXPIRED', 'tls'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls'],
    ['EPROTO', 'tls'],
    ['HPE_INVALID_CONSTANT', 'protocol'],
    ['UND_ERR_HEADERS_OVERFLOW', 'protocol'],
    ['SOMETHING_NEW', 'protocol'],
  ])('%s is %s', (code, expected) => {
    const failure = fetchFailureOf(Object.assign(new Error('Text'), { code }));
    expect(failure.code).toBe(expected);
    expect(failure.detail).toMatch(/^[a-z]/);
  });
});

test('a failure of ours stays itself, as a value and as an exception', () => {
  const error = new FetchGuardError('blocked', 'no');
  expect(fetchFailureOf(error)).toEqual({ code: 'blocked', detail: 'no' });
  expect(guardError(error)).toBe(error);
  expect(guardError('odd')).toMatchObject({
    failure: { code: 'protocol', detail: 'the request failed: odd' },
    cause: 'odd',
  });
});
