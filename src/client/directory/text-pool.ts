import { type HashKey, HashTable, hashOf } from './hash-table.ts';

const ENCODER = new TextEncoder();
/** It takes nothing away, as it would a mark of byte order in front. */
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true });
/** Behind the last number that a text can have. */
export const END_OF_TEXTS = 0xffff_ffff;
/** Texts that are kept as such, and their longest. */
const [LATELY, MAX_LATELY] = [1 << 12, 200];
/** Before each text stands its length in one byte; before a longer one this byte, and the length in four. */
const LONG = 0xff;

/** Recently found texts, one for each length modulo this number. */
const FOUND_LATELY = 64;

interface KnownText {
  /** 0: the pool does not have the text. */
  readonly number: number;
  readonly text: string;
}

/** The parts of a pool, as they are kept in a file. */
export interface PoolParts {
  /** UTF-8, one text behind the other, each behind its length; the first is empty. */
  readonly bytes: Uint8Array;
  /** Numbers of texts by their hash. */
  readonly slots: Uint32Array;
  /** Of their hashes. */
  readonly key: HashKey;
}

/**
 * Texts by number, each kept once: of ten million entries most say the same. Its number is where a text stands, so that one look
 * at a memory that no cache holds finds it. Number 0 is the empty text.
 */
export class TextPool {
  #bytes: Uint8Array;
  #used: number;
  readonly #numbers: HashTable;
  readonly #key: HashKey;
  readonly #lately: (KnownText | undefined)[] = Array.from({ length: LATELY });
  readonly #foundLately: (KnownText | undefined)[] = Array.from({ length: FOUND_LATELY });

  constructor(parts?: PoolParts) {
    this.#bytes = parts?.bytes ?? new Uint8Array(1 << 16);
    this.#used = parts?.bytes.length ?? 1;
    this.#numbers = new HashTable(parts?.slots);
    this.#key = parts?.key ?? randomKey();
  }

  /** The number of a text that was kept by `keep`; undefined: there is none. */
  find(text: string): number | undefined {
    const lately = this.#foundLately[text.length % FOUND_LATELY];
    if (lately !== undefined && lately.text === text) return lately.number || undefined;
    if (text.length === 0) return 0;
    const number = this.#look(text);
    if (text.length <= MAX_LATELY) this.#remember({ number, text });
    return number || undefined;
  }

  /** The number of a text, new or not. */
  keep(text: string): number {
    if (text.length === 0) return 0;
    const known = this.#look(text);
    if (known !== 0) return known;
    const number = this.add(text);
    this.#numbers.put(number);
    this.#foundLately[text.length % FOUND_LATELY] = undefined; // it may say that there is no such text
    return number;
  }

  /** A new number for a text that is never searched for. */
  add(text: string): number {
    if (text.length === 0) return 0;
    const encoded = ENCODER.encode(text);
    const [number, { length }] = [this.#used, encoded];
    const from = number + sizeOfLength(length);
    const end = from + length;
    if (end >= END_OF_TEXTS) throw new RangeError('the texts of the export are longer than 4 GiB');
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, Math.ceil(this.#bytes.length * 1.5)));
      larger.set(this.#bytes.subarray(0, number));
      this.#bytes = larger;
    }
    this.#bytes[number] = Math.min(length, LONG);
    if (length >= LONG)
      new DataView(this.#bytes.buffer, this.#bytes.byteOffset).setUint32(number + 1, length);
    this.#bytes.set(encoded, from);
    this.#used = end;
    return number;
  }

  /** The text of a number. Most of those that are asked for were asked for a moment ago. */
  text(number: number): string {
    if (number === 0) return '';
    const known = this.#lately[number % LATELY];
    if (known !== undefined && known.number === number) return known.text;
    const length = this.#lengthAt(number);
    const text = textAt(this.#bytes, number + sizeOfLength(length), length);
    if (text.length <= MAX_LATELY) this.#lately[number % LATELY] = { number, text };
    return text;
  }

  parts(): PoolParts {
    return { bytes: this.#bytes.slice(0, this.#used), slots: this.#numbers.slots(), key: this.#key };
  }

  /** For tables of what has a name, in this pool or not. */
  hashOf(text: string): number {
    return hashOf(text, this.#key);
  }

  /** 0: there is none. */
  #look(text: string): number {
    let number = this.#numbers.first(this.hashOf(text));
    while (number !== 0 && !this.#says(number, text)) number = this.#numbers.next();
    return number;
  }

  #says(number: number, text: string): boolean {
    const length = this.#lengthAt(number);
    return isTextAt(this.#bytes, number + sizeOfLength(length), length, text);
  }

  /** For who looks for it again, or asks for its text. */
  #remember(found: KnownText): void {
    // one with a lone surrogate is found, but it is not what is kept
    if (found.number !== 0 && found.text.isWellFormed()) this.#lately[found.number % LATELY] = found;
    this.#foundLately[found.text.length % FOUND_LATELY] = found;
  }

  #lengthAt(number: number): number {
    const length = this.#bytes[number] ?? 0;
    if (length < LONG) return length;
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getUint32(number + 1);
  }
}

function randomKey(): HashKey {
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint32Array(2));
  return [a, b];
}

function sizeOfLength(length: number): number {
  return length < LONG ? 1 : 5;
}

/** The text that some bytes are in UTF-8. */
export function textAt(bytes: Uint8Array, from: number, length: number): string {
  return DECODER.decode(bytes.subarray(from, from + length));
}

/** Whether some bytes are this text in UTF-8, as far as that has it: a lone surrogate is as good as U+FFFD. */
export function isTextAt(bytes: Uint8Array, from: number, length: number, text: string): boolean {
  if (length !== text.length)
    return length > text.length && textAt(bytes, from, length) === text.toWellFormed();
  // as many bytes as units: all of them have to be ASCII
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f || bytes[from + at] !== unit) return false;
  }
  return true;
}
