/** Slots that a new table has; each is two numbers, and there is always an empty one. */
const FIRST_SLOTS = 64;

/**
 * Numbers by the hash of their key: open addressing. Each slot has the hash and the number, so that wrong numbers are rarely
 * compared. To find a key, call `first` and then `next` until the number is the right one, or 0.
 */
export class HashTable {
  #slots: Uint32Array;
  #mask: number;
  #taken = 0;
  #hash = 0;
  #place = 0;

  /** `slots`: those of a table that was kept; nothing more is put into it. */
  constructor(slots: Uint32Array = new Uint32Array(FIRST_SLOTS * 2)) {
    this.#slots = slots;
    this.#mask = slots.length / 2 - 1;
  }

  /** The first number with this hash, from `hashOf` or `mixed`; 0: there is none. */
  first(hash: number): number {
    this.#hash = hash;
    this.#place = hash & this.#mask;
    return this.#look();
  }

  /** The next one. */
  next(): number {
    this.#place = (this.#place + 1) & this.#mask;
    return this.#look();
  }

  /** Puts a number, which is not 0, in the place of the one that `first` or `next` returned last. */
  put(number: number): void {
    const slot = this.#place * 2;
    if (this.#slots[slot + 1] === 0) this.#taken += 1;
    this.#slots[slot] = this.#hash;
    this.#slots[slot + 1] = number;
    if (this.#taken * 3 > this.#mask * 2) this.#grow();
  }

  slots(): Uint32Array {
    return this.#slots;
  }

  #look(): number {
    const [slots, mask, hash] = [this.#slots, this.#mask, this.#hash];
    for (let place = this.#place; ; place = (place + 1) & mask) {
      const number = slots[place * 2 + 1] ?? 0;
      if (number !== 0 && slots[place * 2] !== hash) continue;
      this.#place = place;
      return number;
    }
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    this.#mask = this.#slots.length / 2 - 1;
    for (let slot = 0; slot < before.length; slot += 2) {
      const [hash, number] = [before[slot] ?? 0, before[slot + 1] ?? 0];
      if (number === 0) continue;
      let place = hash & this.#mask;
      while (this.#slots[place * 2 + 1] !== 0) place = (place + 1) & this.#mask;
      this.#slots[place * 2] = hash;
      this.#slots[place * 2 + 1] = number;
    }
  }
}

/** Two secret random words. */
export type HashKey = readonly [number, number];

/**
 * HalfSipHash-1-3 (Aumasson and Bernstein) of a text in UTF-8. Publishers choose these texts; without the key they cannot choose
 * many with the same hash. It has 31 bits, which V8 stores without allocation.
 */
export function hashOf(text: string, key: HashKey): number {
  const length = encode(text);
  const { words } = scratch;
  const last = length >> 2;
  let v0 = key[0] | 0;
  let v1 = key[1] | 0;
  let v2 = key[0] ^ 0x6c796765;
  let v3 = key[1] ^ 0x74656462;
  // all words, the last one with the length, and three rounds for the end
  for (let at = 0; at <= last + 3; at += 1) {
    let word = 0;
    if (at <= last) word = at < last ? (words[at] ?? 0) : (words[at] ?? 0) | (length << 24);
    else if (at === last + 1) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return (v1 ^ v3) & 0x7fff_ffff;
}

const ENCODER = new TextEncoder();
let scratch = scratchOf(1 << 12);

/** Writes a text where it is read in words, with zeros behind it in the last one; returns the length of its UTF-8. */
function encode(text: string): number {
  if (text.length * 3 + 4 > scratch.bytes.length) scratch = scratchOf(text.length * 4);
  const { bytes, words } = scratch;
  words[text.length >> 2] = 0;
  // most are ASCII and short
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return encodeAll(text);
    bytes[at] = unit;
  }
  return text.length;
}

function encodeAll(text: string): number {
  const { written } = ENCODER.encodeInto(text, scratch.bytes);
  scratch.bytes.fill(0, written, written + 4);
  return written;
}

function scratchOf(length: number) {
  const bytes = new Uint8Array(Math.ceil(length / 4) * 4);
  return { bytes, words: new Int32Array(bytes.buffer) };
}

/** Of two numbers, in 31 bits. */
export function mixed(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & 0x7fff_ffff;
}
