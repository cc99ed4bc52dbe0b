/** From then on a visit waits for others and hardly costs us anything, milliseconds. */
const SLOW_MS = 500;
/** Visits that are slow and keep nobody from a slot, for each slot. */
const BESIDE_EACH_SLOT = 3;

/**
 * Slots that slow work does not keep from others. A stranger decides how long a visit takes: silent name servers, servers
 * that drip. Work that has gone on for half a second opens a slot beside its own, until it ends; so a hundred slow domains
 * cost the others half a second, and not their deadline. Three times the slots are opened at most.
 */
export class SlowWork {
  readonly #slots: number;
  readonly #resize: (slots: number) => void;
  #slow = 0;

  /** @param resize sets how much may go on at the same time from now on */
  constructor(slots: number, resize: (slots: number) => void) {
    this.#slots = slots;
    this.#resize = resize;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#change(1);
    }, SLOW_MS);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      if (isSlow) this.#change(-1);
    }
  }

  #change(by: 1 | -1): void {
    this.#slow += by;
    this.#resize(this.#slots + Math.min(this.#slow, this.#slots * BESIDE_EACH_SLOT));
  }
}
