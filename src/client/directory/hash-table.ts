/** Slots that a new table has; each is two numbers, and there is always an empty one. */
const FIRST_SLOTS = 64;

/**
 * Numbers by the hash of what they stand for: open addressing. The hash stands beside its number, so that hardly ever a wrong
 * one is looked at. To find something, call `first` and then `next` until the number is the one that is meant, or 0.
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

  /** Puts a number, which is not 0, in the place of the one that was looked at last. */
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

/** Of a text, FNV-1a over its UTF-16 units, in 31 bits: V8 keeps such a number without memory of its own. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) & 0x7fff_ffff;
}

/** Of two numbers, in 31 bits. */
export function mixed(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & 0x7fff_ffff;
}
