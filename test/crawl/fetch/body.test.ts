import zlib, { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { type ContentEncoding, contentEncoding, decodeBody } from '../../../src/crawl/fetch/body.ts';
import { decodedCap } from '../../../src/crawl/fetch/failure.ts';

const MIB = 1 << 20;

function encode(encoding: ContentEncoding, data: Buffer): Buffer {
  if (encoding === 'gzip') return gzipSync(data);
  if (encoding === 'deflate') return deflateSync(data);
  if (encoding === 'br')
    return brotliCompressSync(data, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 3 } });
  return encoding === 'zstd' ? zstdCompressSync(data) : data;
}

describe.each(['gzip', 'deflate', 'br', 'zstd'] as const)('%s', (encoding) => {
  const small = Buffer.from('{"authorized_agents":[]}');
  const large = Buffer.from(
    Array.from({ length: 30_000 }, (_, index) => `${(index * 2654435761) >>> 0}`).join(),
  );

  it('is decoded, small or large', async () => {
    expect(Buffer.from(await decodeBody(encode(encoding, small), encoding, MIB))).toEqual(small);
    expect(Buffer.from(await decodeBody(encode(encoding, large), encoding, MIB))).toEqual(large);
  });

  it('ends at the cap of decoded bytes', async () => {
    await expect(decodeBody(encode(encoding, large), encoding, 100_000)).rejects.toMatchObject({
      failure: { code: 'too_large', detail: 'the body is larger than 100000 bytes' },
    });
  });

  it('ends at the ratio cap of a bomb', async () => {
    await expect(
      decodeBody(encode(encoding, Buffer.alloc(8 * MIB)), encoding, 20 * MIB),
    ).rejects.toMatchObject({
      failure: { code: 'too_large', detail: 'the body expands more than 100 times' },
    });
  });

  it('is an encoding failure when broken or cut', async () => {
    const broken = { failure: { code: 'encoding', detail: `the ${encoding} data of the body is corrupt` } };
    await expect(decodeBody(Buffer.from('{"not":"encoded"}'), encoding, MIB)).rejects.toMatchObject(broken);
    await expect(
      decodeBody(encode(encoding, large).subarray(0, 30_000), encoding, MIB),
    ).rejects.toMatchObject(broken);
  });
});

test('deflate may come raw', async () => {
  expect(String(await decodeBody(deflateRawSync('{"raw":true}'), 'deflate', MIB))).toBe('{"raw":true}');
});

test('below one mebibyte any ratio is fine', () => {
  expect(decodedCap(10, 5 * MIB)).toBe(MIB);
  expect(decodedCap(20_000, 5 * MIB)).toBe(2_000_000);
  expect(decodedCap(MIB, 5 * MIB)).toBe(5 * MIB);
});

describe('one layer of a known encoding', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    ['GZIP ', 'gzip'],
    ['x-gzip', 'gzip'],
    ['br', 'br'],
  ])('%j is %s', (header, encoding) => {
    expect(contentEncoding(header)).toBe(encoding);
  });

  it.each([
    ['gzip, gzip', 'the response has more than one content encoding (gzip, gzip)'],
    ['br,identity', 'the response has more than one content encoding (br,identity)'],
    ['compress', 'the response has an unknown content encoding (compress)'],
    ['aws-chunked', 'the response has an unknown content encoding (aws-chunked)'],
  ])('%j is refused', (header, message) => {
    expect(() => contentEncoding(header)).toThrow(message);
  });
});
