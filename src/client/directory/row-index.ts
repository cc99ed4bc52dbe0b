import { Column, NumberTable } from './column.ts';

/** The parts of an index, as they are kept in a file. */
export interface RowIndexParts {
  readonly slots: Uint32Array;
  readonly next: Uint32Array;
}

/** Rows by two of their columns: open addressing, with the rows of one key in a chain, the last one first. */
export class RowIndex {
  #slots: Uint32Array;
  readonly #next: Column;
  #keys = 0;
  readonly #a: Column;
  readonly #b: Column;

  constructor(a: Column, b: Column, parts?: RowIndexParts) {
    this.#a = a;
    this.#b = b;
    this.#slots = parts?.slots ?? new Uint32Array(64);
    this.#next = new Column(new NumberTable(1, parts?.next));
  }

  /** The last row with this key; undefined: none has it. */
  row(a: number, b: number): number | undefined {
    const row = this.#slots[this.#slotOf(a, b)] ?? 0;
    return row === 0 ? undefined : row - 1;
  }

  /** The row with the same key that was added before; undefined: there is none. */
  before(row: number): number | undefined {
    const next = this.#next.at(row);
    return next === 0 ? undefined : next - 1;
  }

  /** Takes the next row of the columns, from 0 and without a gap; one that is not to be found only takes its place. */
  add(isFound = true): void {
    const row = this.#next.length;
    if (!isFound) {
      this.#next.push(0);
      return;
    }
    const slot = this.#slotOf(this.#a.at(row), this.#b.at(row));
    const before = this.#slots[slot] ?? 0;
    this.#next.push(before);
    this.#slots[slot] = row + 1;
    if (before === 0) this.#keys += 1;
    if (this.#keys * 3 > this.#slots.length * 2) this.#grow();
  }

  parts(): RowIndexParts {
    return { slots: this.#slots, next: this.#next.values() };
  }

  #slotOf(a: number, b: number): number {
    const mask = this.#slots.length - 1;
    let slot = mixed(a, b) & mask;
    for (let row = this.#slots[slot] ?? 0; row !== 0; row = this.#slots[slot] ?? 0) {
      if (this.#a.at(row - 1) === a && this.#b.at(row - 1) === b) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (const row of before)
      if (row !== 0) this.#slots[this.#slotOf(this.#a.at(row - 1), this.#b.at(row - 1))] = row;
  }
}

function mixed(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
