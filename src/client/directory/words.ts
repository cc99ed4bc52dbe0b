/** A place, and one more, is a number below 2^32. */
const MOST_WORDS = 0xffff_fffe;

/** Numbers below 2^32 that grow at their end, without an object for each. */
export class Words {
  #values: Uint32Array;
  #bytes: Uint8Array;
  #length: number;

  constructor(values: Uint32Array = new Uint32Array(0)) {
    this.#values = values;
    this.#bytes = bytesOf(values);
    this.#length = values.length;
  }

  get length(): number {
    return this.#length;
  }

  /** The same memory as bytes: of the word `at` they begin at `at * 4`. Take it anew after anything was pushed. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** 0 behind the end. */
  at(place: number): number {
    return this.#values[place] ?? 0;
  }

  set(place: number, value: number): void {
    this.#values[place] = value;
  }

  push(...values: readonly number[]): void {
    this.#makeRoom(values.length);
    for (const value of values) {
      this.#values[this.#length] = value;
      this.#length += 1;
    }
  }

  /** All of others. */
  pushAll(others: Words): void {
    this.#makeRoom(others.length);
    this.#values.set(others.values(), this.#length);
    this.#length += others.length;
  }

  /** UTF-8, filled up with zeros to whole words. */
  pushBytes(text: Uint8Array): void {
    const words = Math.ceil(text.length / 4);
    this.#makeRoom(words);
    this.#bytes.set(text, this.#length * 4);
    this.#length += words;
  }

  /** As many as there are. */
  values(): Uint32Array {
    return this.#values.subarray(0, this.#length);
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#values.length) return;
    if (needed > MOST_WORDS) throw new RangeError('the export is too large for a copy');
    const larger = new Uint32Array(Math.min(MOST_WORDS, Math.max(64, Math.ceil(needed * 1.5))));
    larger.set(this.values());
    this.#values = larger;
    this.#bytes = bytesOf(larger);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
