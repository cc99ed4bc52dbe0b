/** How fast we may be with one registrable domain. */
export interface Rate {
  /** From the end of a visit to the start of the next, milliseconds. */
  readonly gapMs: number;
  /** Requests that start within any second of a visit. */
  readonly requestsPerSecond: number;
  /** Open at the same time in a visit. */
  readonly connections: number;
}

/** One second between visits, ten requests a second and two connections inside one. */
export const DEFAULT_RATE: Rate = { gapMs: 1_000, requestsPerSecond: 10, connections: 2 };

/** Counts the requests of one visit; answers how long the next one has to wait. */
export class Pace {
  readonly #perSecond: number;
  readonly #starts: number[] = [];

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Books the next request. @returns milliseconds to wait before it starts */
  book(now: number): number {
    const earliest = this.#starts.length < this.#perSecond ? now : (this.#starts.shift() ?? now) + 1_000;
    const start = Math.max(now, earliest);
    this.#starts.push(start);
    return start - now;
  }
}
