import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import type { Handler } from '../web/web.ts';

const MIB = 1_048_576;
const DRIP_MS = 100;

/** Takes the request and never answers. */
export const hang: Handler = () => {};

/** A byte now and then, for ever: an idle timer never sees it. */
export const drip: Handler = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"contact":"');
  const timer = setInterval(() => response.write('z'), DRIP_MS);
  response.once('close', () => clearInterval(timer));
};

/** 64 MiB of valid JSON, written as fast as the other side reads. */
export const huge: Handler = async (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  await pipeline(jsonOf(64), response);
};

function* jsonOf(mebibytes: number): Iterable<Buffer | string> {
  yield '{"contact":"';
  yield* repeat(Buffer.alloc(MIB, 'z'), mebibytes);
  yield '"}';
}

/** A gigabyte of blanks in one megabyte of gzip: members of 8 MiB one after another (RFC 1952, section 2.2). */
export const gzipBomb: Handler = async (_request, response) => {
  const member = gzipSync(Buffer.alloc(8 * MIB, ' '));
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  await pipeline(repeat(member, 128), response);
};

function* repeat(chunk: Buffer, times: number): Iterable<Buffer> {
  for (let count = 0; count < times; count += 1) yield chunk;
}
