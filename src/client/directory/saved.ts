import { RegistryFailure } from '../failure.ts';
import { COLUMNS, INDEXES, Packed } from './packed.ts';
import { TextPool } from './text-pool.ts';

/** What a saved directory says of itself. */
export interface SavedHead {
  readonly cursor: string;
  readonly generatedAt: string;
}

/** At the begin of each; another version of the form has another. */
const MAGIC = 'agent-registry directory 1\n';
const ENCODER = new TextEncoder();

/** One piece of bytes, to be kept in a file or in the storage of a browser. */
export function savedBytes(packed: Packed, head: SavedHead): Uint8Array<ArrayBuffer> {
  const { bytes, ends, slots } = packed.texts.parts();
  const parts = new Map<string, Uint32Array | Uint8Array>([
    ['text ends', ends],
    ['text slots', slots],
  ]);
  for (const name of COLUMNS) parts.set(name, packed.columns[name].values());
  for (const name of INDEXES) {
    const index = packed.indexes[name].parts();
    parts.set(`${name} slots`, index.slots).set(`${name} next`, index.next);
  }
  parts.set('texts', bytes);
  const lengths = [...parts].map(([name, part]) => [name, part.length]);
  const begin = ENCODER.encode(`${MAGIC}${JSON.stringify({ ...head, lengths })}\n`);
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
  return saved;
}

/** Opens what `savedBytes` made, without a copy. Throws a `RegistryFailure` `not_understood` for anything else. */
export function unpackSaved(saved: Uint8Array): SavedHead & { readonly packed: Packed } {
  const end = saved.indexOf(0x0a, MAGIC.length);
  const text = new TextDecoder().decode(saved.subarray(0, Math.max(end, 0)));
  if (!text.startsWith(MAGIC)) throw unreadable('it is no directory of this version');
  const { lengths, ...head } = JSON.parse(text.slice(MAGIC.length)) as SavedHead & {
    readonly lengths: readonly (readonly [string, number])[];
  };
  const whole = saved.byteOffset % 4 === 0 ? saved : saved.slice();
  let at = end + 1;
  const size = lengths.reduce((sum, [name, length]) => sum + length * (name === 'texts' ? 1 : 4), at);
  if (size !== saved.length) throw unreadable('it was cut');
  const parts: Record<string, Uint32Array> = {};
  for (const [name, length] of lengths.slice(0, -1)) {
    parts[name] = new Uint32Array(whole.buffer, whole.byteOffset + at, length);
    at += length * 4;
  }
  const [ends, slots] = [parts['text ends'], parts['text slots']];
  if (ends === undefined || slots === undefined) throw unreadable('it has no texts');
  return { ...head, packed: new Packed(new TextPool({ bytes: whole.subarray(at), ends, slots }), parts) };
}

function aligned(length: number): number {
  return Math.ceil(length / 4) * 4;
}

function unreadable(reason: string): RegistryFailure {
  const hint = 'delete it, and load an export of the registry again';
  return new RegistryFailure('not_understood', `the saved directory cannot be read: ${reason}`, { hint });
}
