import type { Column } from './column.ts';
import type { TextPool } from './text-pool.ts';

/**
 * Rows by their name: open addressing, from the hash of the text to the row. Of rows with one name the last one is found. What
 * it finds takes three looks at memory that no cache holds: the slot, the row, and the text.
 */
export class NameIndex {
  readonly #texts: TextPool;
  readonly #names: Column;
  #slots: Uint32Array;
  #keys = 0;

  constructor(texts: TextPool, names: Column, slots: Uint32Array = new Uint32Array(64)) {
    this.#texts = texts;
    this.#names = names;
    this.#slots = slots;
  }

  /** The last row with this name; undefined: none has it. */
  row(name: string): number | undefined {
    const [slots, mask] = [this.#slots, this.#slots.length - 1];
    for (let slot = this.#texts.seek(name) & mask; ; slot = (slot + 1) & mask) {
      const row = slots[slot];
      if (row === undefined || row === 0) return undefined;
      if (this.#texts.isSought(this.#names.at(row - 1))) return row - 1;
    }
  }

  /** Takes the last row of the column; call it for each. */
  add(): void {
    const row = this.#names.length - 1;
    const slot = this.#slotOf(this.#names.at(row));
    if (this.#slots[slot] === 0) this.#keys += 1;
    this.#slots[slot] = row + 1;
    if (this.#keys * 3 > this.#slots.length * 2) this.#grow();
  }

  parts(): { readonly slots: Uint32Array } {
    return { slots: this.#slots };
  }

  /** Each name is kept once, so that its number says which it is. */
  #slotOf(name: number): number {
    const mask = this.#slots.length - 1;
    let slot = this.#texts.hashAt(name) & mask;
    for (let row = this.#slots[slot] ?? 0; row !== 0; row = this.#slots[slot] ?? 0) {
      if (this.#names.at(row - 1) === name) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    for (const row of before) if (row !== 0) this.#slots[this.#slotOf(this.#names.at(row - 1))] = row;
  }
}
