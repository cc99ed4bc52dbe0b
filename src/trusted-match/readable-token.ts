import { isUtf8 } from 'node:buffer';
import { hasEnoughChanges } from './personal-text.ts';

/** Characters of an address; as many in a row are in no random token of the longest kind, but in one of a million. */
const RUN = 14;
const OF_AN_ADDRESS = Uint8Array.from({ length: 256 }, (_, code) =>
  /[\w/.:% -]/.test(String.fromCharCode(code)) && code < 0x80 ? 1 : 0,
);

/**
 * Whether a token of an identity match is none: the slug of a page, or what is text when it is read as base64url,
 * base32 or hexadecimal, forwards or backwards, also behind a few characters of something else. Text is what is UTF-8,
 * what is UTF-16 in an alphabet, and what has an address in the midst of other bytes. What is encrypted or scrambled,
 * and UTF-16 of scripts with thousands of signs, looks like any random token.
 */
export function isReadable(token: string): boolean {
  return !hasEnoughChanges(token, 3) || isWritten(token, isText) || isWritten(backwards(token), hasRun);
}

/** Behind other bytes, only text in their midst is looked for: the rest can be UTF-8 by chance. */
function isWritten(token: string, isReadableWhole: (bytes: Buffer) => boolean): boolean {
  if (isReadableWhole(Buffer.from(token, 'base64url'))) return true;
  for (let first = 1; first < 4; first += 1)
    if (hasRun(Buffer.from(token.slice(first), 'base64url'))) return true;
  if (/^[0-9a-f]+$/i.test(token)) return isReadableWhole(Buffer.from(token, 'hex'));
  return /^[a-z2-7]+$/i.test(token) && isReadableWhole(fromBase32(token));
}

function backwards(token: string): string {
  let text = '';
  for (let place = token.length - 1; place >= 0; place -= 1) text += token[place];
  return text;
}

/** RFC 4648, section 6, in either case. */
function fromBase32(token: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let value = 0;
  for (const sign of token.toLowerCase()) {
    value = (value << 5) | (sign >= 'a' ? sign.charCodeAt(0) - 0x61 : sign.charCodeAt(0) - 0x32 + 26);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 0xff);
    value &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}

function isText(bytes: Buffer): boolean {
  return hasRun(bytes) || isSameEverySecond(bytes, 0) || isSameEverySecond(bytes, 1) || isTextInUtf8(bytes);
}

/** Random bytes are no UTF-8 but once in a million; text has hardly a control character. */
function isTextInUtf8(bytes: Buffer): boolean {
  if (!isUtf8(bytes)) return false;
  const text = bytes.toString('utf8');
  const strange = text.match(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\s]/gu)?.length ?? 0;
  return strange * 10 <= text.length;
}

function hasRun(bytes: Uint8Array): boolean {
  let run = 0;
  for (let place = 0; place < bytes.length; place += 1) {
    run = OF_AN_ADDRESS[bytes[place] ?? 0] === 1 ? run + 1 : 0;
    if (run === RUN) return true;
  }
  return false;
}

/** UTF-16 has the alphabet in every second byte: one value there is the majority (found by a vote, then counted). */
function isSameEverySecond(bytes: Uint8Array, first: number): boolean {
  let candidate = -1;
  let votes = 0;
  for (let place = first; place < bytes.length; place += 2) {
    if (votes === 0) candidate = bytes[place] ?? -1;
    votes += bytes[place] === candidate ? 1 : -1;
  }
  let same = 0;
  for (let place = first; place < bytes.length; place += 2) if (bytes[place] === candidate) same += 1;
  return same * 4 > bytes.length + 2;
}
