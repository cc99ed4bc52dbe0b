const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
const FIRST_SLOTS = 1 << 10;
/** Texts that are kept as such, and their longest. */
const [LATELY, MAX_LATELY] = [1 << 12, 200];
/** Before each text stands its length in one byte; before a longer one this byte, and the length in four. */
const LONG = 0xff;

/** Texts that one question looks for again; they are told apart by their length. */
const FOUND_LATELY = 64;

interface KnownText {
  /** 0: no text is kept that says this. */
  readonly number: number;
  readonly text: string;
}

/** The parts of a pool, as they are kept in a file. */
export interface PoolParts {
  /** UTF-8, one text behind the other, each behind its length; the first is empty. */
  readonly bytes: Uint8Array;
  /** Numbers of texts by their hash, 0 for none; a power of two. */
  readonly slots: Uint32Array;
}

/**
 * Texts by number, each kept once: of ten million entries most say the same. Its number is where a text stands, so that one look
 * at a memory that no cache holds finds it. Number 0 is the empty text.
 */
export class TextPool {
  #bytes: Uint8Array;
  #used: number;
  #slots: Uint32Array;
  #found: number;
  /** The text that is looked for. */
  #sought = '';
  #scratch = new Uint8Array(1 << 12);
  #length = 0;
  readonly #lately: (KnownText | undefined)[] = Array.from({ length: LATELY });
  readonly #foundLately: (KnownText | undefined)[] = Array.from({ length: FOUND_LATELY });

  constructor(parts?: PoolParts) {
    this.#bytes = parts?.bytes ?? new Uint8Array(1 << 16);
    this.#used = parts?.bytes.length ?? 1;
    this.#slots = parts?.slots ?? new Uint32Array(FIRST_SLOTS);
    this.#found = parts === undefined ? 0 : Infinity; // what was opened is not added to
  }

  /** The number of a text that was kept by `keep`; undefined: there is none. */
  find(text: string): number | undefined {
    const lately = this.#foundLately[text.length % FOUND_LATELY];
    if (lately !== undefined && lately.text === text) return lately.number || undefined;
    if (text.length === 0) return 0;
    const number = this.#slots[this.#slotOf(this.seek(text))] ?? 0;
    this.#remember(number);
    return number || undefined;
  }

  /** The number of a text, new or not. */
  keep(text: string): number {
    const hash = this.seek(text);
    if (this.#length === 0) return 0;
    const slot = this.#slotOf(hash);
    const known = this.#slots[slot];
    if (known !== undefined && known !== 0) return known;
    const number = this.#append();
    this.#slots[slot] = number;
    this.#foundLately[text.length % FOUND_LATELY] = undefined; // it may say that there is no such text
    this.#found += 1;
    if (this.#found * 3 > this.#slots.length * 2) this.#grow();
    return number;
  }

  /** A number of its own for a text that nobody looks for. */
  add(text: string): number {
    this.seek(text);
    return this.#length === 0 ? 0 : this.#append();
  }

  /** The text of a number. Most of those that are asked for were asked for a moment ago. */
  text(number: number): string {
    if (number === 0) return '';
    const place = number % LATELY;
    const known = this.#lately[place];
    if (known !== undefined && known.number === number) return known.text;
    const length = this.#lengthAt(number);
    const from = number + sizeOfLength(length);
    const text = DECODER.decode(this.#bytes.subarray(from, from + length));
    if (text.length <= MAX_LATELY) this.#lately[place] = { number, text };
    return text;
  }

  parts(): PoolParts {
    return { bytes: this.#bytes.slice(0, this.#used), slots: this.#slots };
  }

  /** Begins to look for a text in any index; returns its hash: FNV-1a over UTF-8, with its upper bits mixed into the lower ones. */
  seek(text: string): number {
    if (text.length * 3 > this.#scratch.length) this.#scratch = new Uint8Array(text.length * 3);
    const scratch = this.#scratch;
    this.#sought = text;
    this.#length = text.length;
    let hash = 0x811c9dc5;
    // most are ASCII and short
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit > 0x7f) {
        this.#length = ENCODER.encodeInto(text, scratch).written;
        return hashOf(scratch, 0, this.#length);
      }
      scratch[at] = unit;
      hash = Math.imul(hash ^ unit, 0x01000193);
    }
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  /** Whether this is the text that is looked for. */
  isSought(number: number): boolean {
    const [bytes, scratch, length] = [this.#bytes, this.#scratch, this.#length];
    if (this.#lengthAt(number) !== length) return false;
    const from = number + sizeOfLength(length);
    for (let at = 0; at < length; at += 1) if (bytes[from + at] !== scratch[at]) return false;
    this.#remember(number);
    return true;
  }

  /** As `seek` says it of this text. */
  hashAt(number: number): number {
    const length = this.#lengthAt(number);
    const from = number + sizeOfLength(length);
    return hashOf(this.#bytes, from, from + length);
  }

  /** For who looks for it again, or asks for its text. */
  #remember(number: number): void {
    const text = this.#sought;
    if (text.length > MAX_LATELY) return;
    const found = { number, text };
    if (number !== 0) this.#lately[number % LATELY] = found;
    this.#foundLately[text.length % FOUND_LATELY] = found;
  }

  #append(): number {
    const [number, length] = [this.#used, this.#length];
    const from = number + sizeOfLength(length);
    const end = from + length;
    if (end > 0xffff_ffff) throw new RangeError('the texts of the export are longer than 4 GiB');
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, Math.ceil(this.#bytes.length * 1.5)));
      larger.set(this.#bytes.subarray(0, number));
      this.#bytes = larger;
    }
    this.#bytes[number] = Math.min(length, LONG);
    if (length >= LONG)
      new DataView(this.#bytes.buffer, this.#bytes.byteOffset).setUint32(number + 1, length);
    this.#bytes.set(this.#scratch.subarray(0, length), from);
    this.#used = end;
    return number;
  }

  #lengthAt(number: number): number {
    const length = this.#bytes[number] ?? 0;
    if (length < LONG) return length;
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset).getUint32(number + 1);
  }

  /** Where the text that is looked for is, or would be. */
  #slotOf(hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let number = slots[slot]; number !== undefined && number !== 0; number = slots[slot]) {
      if (this.isSought(number)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    const mask = this.#slots.length - 1;
    for (const number of before) {
      if (number === 0) continue;
      let slot = this.hashAt(number) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = number;
    }
  }
}

function sizeOfLength(length: number): number {
  return length < LONG ? 1 : 5;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
