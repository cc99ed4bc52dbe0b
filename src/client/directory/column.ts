/** Numbers below 2^32 that grow at their end, without a gap and without an object for each. */
export class Column {
  #values: Uint32Array;
  #length: number;

  constructor(values: Uint32Array = new Uint32Array(0)) {
    this.#values = values;
    this.#length = values.length;
  }

  get length(): number {
    return this.#length;
  }

  /** 0 where there is none. */
  at(place: number): number {
    return this.#values[place] ?? 0;
  }

  /** Returns the new length. */
  push(value: number): number {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(Math.max(64, Math.ceil(this.#length * 1.5)));
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
    return this.#length;
  }

  /** As long as there are values. */
  values(): Uint32Array {
    if (this.#length < this.#values.length) this.#values = this.#values.slice(0, this.#length);
    return this.#values;
  }
}
