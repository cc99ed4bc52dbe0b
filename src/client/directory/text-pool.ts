import { Column, NumberTable } from './column.ts';

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
const FIRST_SLOTS = 1 << 10;
/** Texts that are kept as such, and their longest. */
const [LATELY, MAX_LATELY] = [1 << 12, 200];

/** Texts that one question looks for again; they are told apart by their length. */
const FOUND_LATELY = 64;

interface KnownText {
  /** 0: no text is kept that says this. */
  readonly number: number;
  readonly text: string;
}

/** The parts of a pool, as they are kept in a file. */
export interface PoolParts {
  /** UTF-8, one text behind the other. */
  readonly bytes: Uint8Array;
  /** Where each text ends; the first is empty. */
  readonly ends: Uint32Array;
  /** Numbers of texts by their hash, 0 for none; a power of two. */
  readonly slots: Uint32Array;
}

/** Texts by number, each kept once: of ten million entries most say the same. Number 0 is the empty text. */
export class TextPool {
  #bytes: Uint8Array;
  #used: number;
  readonly #ends: Column;
  #slots: Uint32Array;
  #found: number;
  #scratch = new Uint8Array(1 << 12);
  readonly #lately: (KnownText | undefined)[] = Array.from({ length: LATELY });
  readonly #foundLately: (KnownText | undefined)[] = Array.from({ length: FOUND_LATELY });

  constructor(parts?: PoolParts) {
    this.#bytes = parts?.bytes ?? new Uint8Array(1 << 16);
    this.#used = parts?.bytes.length ?? 0;
    this.#ends = new Column(new NumberTable(1, parts?.ends ?? Uint32Array.of(0)));
    this.#slots = parts?.slots ?? new Uint32Array(FIRST_SLOTS);
    this.#found = parts === undefined ? 0 : Infinity; // what was opened is not added to
  }

  /** The number of a text that was kept by `keep`; undefined: there is none. */
  find(text: string): number | undefined {
    const { length } = text;
    const lately = this.#foundLately[length % FOUND_LATELY];
    if (lately !== undefined && lately.text === text) return lately.number || undefined;
    if (length === 0) return 0;
    const hash = asciiHash(text);
    // a text with half a character is found as another one
    if (hash === undefined) return this.#slots[this.#slotOf(this.#encode(text))] || undefined;
    const number = this.#numberOf(text, hash);
    if (length <= MAX_LATELY) {
      const found = { number, text };
      if (number !== 0) this.#lately[number % LATELY] = found;
      this.#foundLately[length % FOUND_LATELY] = found;
    }
    return number || undefined;
  }

  /** The number of a text, new or not. */
  keep(text: string): number {
    const length = this.#encode(text);
    if (length === 0) return 0;
    const slot = this.#slotOf(length);
    const known = this.#slots[slot];
    if (known !== undefined && known !== 0) return known;
    const number = this.#append(length);
    this.#slots[slot] = number;
    this.#foundLately[length % FOUND_LATELY] = undefined; // it may say that there is no such text
    this.#found += 1;
    if (this.#found * 3 > this.#slots.length * 2) this.#grow();
    return number;
  }

  /** A number of its own for a text that nobody looks for. */
  add(text: string): number {
    const length = this.#encode(text);
    return length === 0 ? 0 : this.#append(length);
  }

  /** The text of a number. Most of those that are asked for were asked for a moment ago. */
  text(number: number): string {
    if (number === 0) return '';
    const place = number % LATELY;
    const known = this.#lately[place];
    if (known !== undefined && known.number === number) return known.text;
    const text = DECODER.decode(this.#bytes.subarray(this.#ends.at(number - 1), this.#ends.at(number)));
    if (text.length <= MAX_LATELY) this.#lately[place] = { number, text };
    return text;
  }

  parts(): PoolParts {
    return { bytes: this.#bytes.slice(0, this.#used), ends: this.#ends.values(), slots: this.#slots };
  }

  /** Writes the bytes of a text into the scratch; most are ASCII and short. */
  #encode(text: string): number {
    if (text.length * 3 > this.#scratch.length) this.#scratch = new Uint8Array(text.length * 3);
    const scratch = this.#scratch;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit > 0x7f) return ENCODER.encodeInto(text, scratch).written;
      scratch[at] = unit;
    }
    return text.length;
  }

  #append(length: number): number {
    const end = this.#used + length;
    if (end > 0xffff_ffff) throw new RangeError('the texts of the export are longer than 4 GiB');
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, Math.ceil(this.#bytes.length * 1.5)));
      larger.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = larger;
    }
    this.#bytes.set(this.#scratch.subarray(0, length), this.#used);
    this.#used = end;
    return this.#ends.push(end) - 1;
  }

  /** The number of an ASCII text, without a copy of it; 0 for none. */
  #numberOf(text: string, hash: number): number {
    const [slots, bytes, ends] = [this.#slots, this.#bytes, this.#ends];
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot];
      if (number === undefined || number === 0) return 0;
      const start = ends.at(number - 1);
      if (ends.at(number) - start !== text.length) continue;
      let at = 0;
      while (at < text.length && bytes[start + at] === text.charCodeAt(at)) at += 1;
      if (at === text.length) return number;
    }
  }

  /** Where the text in the scratch is, or would be. */
  #slotOf(length: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashOf(this.#scratch, 0, length) & mask;
    for (let number = this.#slots[slot]; number !== undefined && number !== 0; number = this.#slots[slot]) {
      if (this.#isSame(number, length)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #isSame(number: number, length: number): boolean {
    const start = this.#ends.at(number - 1);
    if (this.#ends.at(number) - start !== length) return false;
    for (let at = 0; at < length; at += 1) if (this.#bytes[start + at] !== this.#scratch[at]) return false;
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    const mask = this.#slots.length - 1;
    for (const number of before) {
      if (number === 0) continue;
      let slot = hashOf(this.#bytes, this.#ends.at(number - 1), this.#ends.at(number)) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number;
    }
  }
}

/** FNV-1a over bytes, with its upper bits mixed into the lower ones. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** The same of a text without a copy of it; undefined: its UTF-8 is longer. */
function asciiHash(text: string): number | undefined {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return undefined;
    hash = Math.imul(hash ^ unit, 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
