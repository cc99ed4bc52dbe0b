import { RegistryFailure } from '../failure.ts';
import type { HashKey } from './hash-table.ts';
import { Packed } from './packed.ts';
import { TextPool } from './text-pool.ts';

/** The head of a saved directory. */
export interface SavedHead {
  readonly cursor: string;
  readonly generatedAt: string;
}

/** At the begin of each, with the sum of all behind its line; another version of the form has another. */
const MAGIC = 'agent-registry directory 5 ';
/** The sum has eight digits, so that what it is of begins at a whole word. */
const HEAD_FROM = MAGIC.length + 9;
/** Odd, so that no step loses anything. */
const STEP = 0x9e3779b1;
const ENCODER = new TextEncoder();

/** One piece of bytes, to be kept in a file or in the storage of a browser. */
export function savedBytes(packed: Packed, head: SavedHead): Uint8Array<ArrayBuffer> {
  const { bytes, slots, key } = packed.texts.parts();
  const parts = new Map<string, Uint32Array | Uint8Array>([['text slots', slots]]);
  for (const [name, part] of Object.entries(packed.parts())) parts.set(name, part);
  parts.set('texts', bytes);
  const lengths = [...parts].map(([name, part]) => [name, part.length]);
  const begin = ENCODER.encode(`${firstLine(0)}${JSON.stringify({ ...head, key, lengths })}\n`);
  const from = aligned(begin.length);
  const size = [...parts.values()].reduce((sum, part) => sum + part.byteLength, from);
  const saved = new Uint8Array(size);
  saved.fill(0x20, 0, from);
  saved.set(begin.subarray(0, -1));
  saved[from - 1] = 0x0a;
  let at = from;
  for (const part of parts.values()) {
    saved.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at);
    at += part.byteLength;
  }
  saved.set(ENCODER.encode(firstLine(sumOf(saved))));
  return saved;
}

/** Opens what `savedBytes` made, without a copy. Throws a `RegistryFailure` `not_understood` for anything else. */
export function unpackSaved(saved: Uint8Array): SavedHead & { readonly packed: Packed } {
  const whole = saved.byteOffset % 4 === 0 ? saved : saved.slice();
  const begin = new TextDecoder().decode(saved.subarray(0, HEAD_FROM));
  if (!begin.startsWith(MAGIC)) throw unreadable('it is not a directory of this version');
  if (begin !== firstLine(sumOf(whole))) throw unreadable('it is truncated or corrupt');
  const end = saved.indexOf(0x0a, HEAD_FROM);
  const { key, lengths, ...head } = JSON.parse(
    new TextDecoder().decode(saved.subarray(HEAD_FROM, end)),
  ) as SavedHead & { readonly key: HashKey; readonly lengths: readonly (readonly [string, number])[] };
  let at = end + 1;
  const parts: Record<string, Uint32Array> = {};
  for (const [name, length] of lengths.slice(0, -1)) {
    parts[name] = new Uint32Array(whole.buffer, whole.byteOffset + at, length);
    at += length * 4;
  }
  const slots = parts['text slots'];
  if (slots === undefined) throw unreadable('its texts are missing');
  return { ...head, packed: new Packed(new TextPool({ bytes: whole.subarray(at), slots, key }), parts) };
}

function firstLine(sum: number): string {
  return `${MAGIC}${sum.toString(16).padStart(8, '0')}\n`;
}

/**
 * Of all behind the first line. Each step can be undone, so one changed word always gives another sum. A cryptographic
 * hash would be too slow, and would not help: an attacker who can write the file can write its sum, too.
 */
function sumOf(saved: Uint8Array): number {
  const words = new Uint32Array(saved.buffer, saved.byteOffset + HEAD_FROM, (saved.length - HEAD_FROM) >>> 2);
  let sum = saved.length | 0;
  // by place: an iterator takes three times as long, and a copy has 100,000,000 words
  for (let at = 0; at < words.length; at += 1) sum = Math.imul(sum ^ (words[at] as number), STEP);
  for (const byte of saved.subarray(HEAD_FROM + words.byteLength)) sum = Math.imul(sum ^ byte, STEP);
  return sum >>> 0;
}

function aligned(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function unreadable(reason: string): RegistryFailure {
  const hint = 'delete it, and load an export again';
  return new RegistryFailure('not_understood', `the saved directory cannot be read: ${reason}`, { hint });
}
