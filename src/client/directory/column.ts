/** Numbers below 2^32 in rows: those of a row lie together, so that a look at one of them brings the others near. */
export class NumberTable {
  readonly width: number;
  values: Uint32Array;

  constructor(width: number, values: Uint32Array = new Uint32Array(0)) {
    this.width = width;
    this.values = values;
  }

  /** Makes room for so many rows at least. */
  grow(rows: number): void {
    if (rows * this.width <= this.values.length) return;
    const larger = new Uint32Array(Math.max(64, Math.ceil(rows * 1.5)) * this.width);
    larger.set(this.values);
    this.values = larger;
  }
}

/** One number of each row; they grow at their end, without a gap and without an object for each. */
export class Column {
  readonly #table: NumberTable;
  readonly #width: number;
  readonly #place: number;
  #length: number;

  constructor(table: NumberTable = new NumberTable(1), place = 0) {
    this.#table = table;
    this.#width = table.width;
    this.#place = place;
    this.#length = table.values.length / table.width;
  }

  get length(): number {
    return this.#length;
  }

  /** 0 where there is none. */
  at(row: number): number {
    return this.#table.values[row * this.#width + this.#place] ?? 0;
  }

  /** The first of some rows that has this value; `to`: none has it. */
  find(value: number, from: number, to: number): number {
    const [values, width] = [this.#table.values, this.#width];
    let at = from * width + this.#place;
    for (let row = from; row < to; row += 1, at += width) if (values[at] === value) return row;
    return to;
  }

  /** Returns the new length. */
  push(value: number): number {
    this.#table.grow(this.#length + 1);
    this.#table.values[this.#length * this.#width + this.#place] = value;
    this.#length += 1;
    return this.#length;
  }

  /** Those of its table, as long as this column. */
  values(): Uint32Array {
    const size = this.#length * this.#width;
    if (size < this.#table.values.length) this.#table.values = this.#table.values.slice(0, size);
    return this.#table.values;
  }
}
