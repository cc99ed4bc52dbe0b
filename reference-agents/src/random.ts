/** A small deterministic source of chance: everything in the sandbox follows from its seed. */
export interface Random {
  /** A whole number from 0 up to, not including, `below`. */
  int(below: number): number;
  /** One element; the list must not be empty. */
  pick<T>(list: readonly T[]): T;
  /** A copy in another order. */
  shuffled<T>(list: readonly T[]): T[];
  bytes(count: number): Uint8Array;
  /** An independent source for one part of the web, so that a change in one part leaves the others as they were. */
  fork(label: string): Random;
}

/** The mulberry32 generator: 32 bits of state, the same numbers on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    pick: <T>(list: readonly T[]): T => list[int(list.length)] as T,
    shuffled: <T>(list: readonly T[]): T[] => shuffle([...list], int),
    bytes: (count) => Uint8Array.from({ length: count }, () => int(256)),
    fork: (label) => createRandom(hash(label, seed)),
  };
}

function shuffle<T>(list: T[], int: (below: number) => number): T[] {
  for (let last = list.length - 1; last > 0; last -= 1) {
    const other = int(last + 1);
    [list[last], list[other]] = [list[other] as T, list[last] as T];
  }
  return list;
}

/** FNV-1a over the label, started from the seed. */
function hash(label: string, seed: number): number {
  let value = (2_166_136_261 ^ seed) >>> 0;
  for (const char of label) value = Math.imul(value ^ (char.codePointAt(0) as number), 16_777_619) >>> 0;
  return value;
}
