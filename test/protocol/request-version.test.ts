import { describe, expect, it } from 'vitest';
import type { KnownErrorCode } from '../../src/protocol/generated/types.ts';
import { readRequest } from '../../src/protocol/read-request.ts';
import { refusal } from './refusal.ts';

describe('a request that asks for a version', () => {
  const address = (label: string, rest = 'media-buy/get_products-request.json') =>
    `https://registry.example/schemas/${label}/${rest}`;

  it.each([
    address('3.0.0'),
    address('3.0'),
    address('3'),
    address('latest'),
    address('3.0.26'),
    address('3.0.0-rc.1'),
    address('3.0-beta'),
    address('3-beta.2'),
    address('v3', 'media-buy/get-products-request.json'),
    '/schemas/3.0.0/media-buy/get_products-request.json',
    'https://registry.example/base/schemas/3.0/media-buy/get_products-request.json#top',
  ])('by $schema %s is read', ($schema) => {
    expect(readRequest('get_products', { $schema, brief: 'tea' })).toMatchObject({
      ok: true,
      version: '3.0.0',
    });
  });

  // $schema, code
  const WRONG: readonly (readonly [unknown, KnownErrorCode])[] = [
    [address('3.7'), 'VERSION_UNSUPPORTED'],
    [address('3.1.1'), 'VERSION_UNSUPPORTED'],
    [address('3.1-beta'), 'VERSION_UNSUPPORTED'],
    [address('3.0.0-'), 'VERSION_UNSUPPORTED'],
    [address('next'), 'VERSION_UNSUPPORTED'],
    [address('3.0', 'media-buy/create_media_buy-request.json'), 'SCHEMA_MISMATCH'],
    [address('3.0', 'creative/get_products-request.json'), 'SCHEMA_MISMATCH'],
    [address('3.0', 'media-buy/get_products-response.json'), 'SCHEMA_MISMATCH'],
    [address('3.0', 'media-buy/get_everything-request.json'), 'SCHEMA_MISMATCH'],
    ['https://json-schema.org/draft/2020-12/schema', 'INVALID_REQUEST'],
    ['', 'INVALID_REQUEST'],
    ['https://[', 'INVALID_REQUEST'],
    [`${address('3.0')}${'/'.repeat(3_000)}`, 'INVALID_REQUEST'],
    [null, 'INVALID_REQUEST'],
    [{}, 'INVALID_REQUEST'],
  ];

  it.each(WRONG)('by $schema %j is refused', ($schema, code) => {
    expect(refusal('get_products', { $schema, brief: 'tea' })).toEqual([code, '/$schema']);
  });

  it.each([
    [{ proto_version: '3.0' }, undefined],
    [{ adcp_version: '3.0' }, undefined],
    [{ adcp_major_version: 3 }, undefined],
    [{ adcp_version: '3.0-rc.3' }, undefined],
    [{ adcp_version: '3.1-rc.3' }, '/adcp_version'],
    [{ adcp_major_version: 99 }, '/adcp_major_version'],
    [{ proto_version: '2.5' }, '/proto_version'],
    [{ $schema: address('3.0'), adcp_version: '4.0' }, '/adcp_version'],
  ])('by %j is read, or refused at %s', (members, pointer) => {
    const payload = { ...members, brief: 'tea' };
    if (pointer === undefined) expect(readRequest('get_products', payload).ok).toBe(true);
    else expect(refusal('get_products', payload)).toEqual(['VERSION_UNSUPPORTED', pointer]);
  });

  it('that is not spoken learns which ones are', () => {
    expect(readRequest('get_products', { proto_version: '9' })).toMatchObject({
      problem: { details: { supported_versions: ['3.0.0'] }, recovery: 'correctable' },
    });
  });
});
