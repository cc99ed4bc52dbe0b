/** Wakes whoever waits; ringing while nobody waits is heard by those who asked for `next` before. */
export interface Bell {
  ring(): void;
  /** Resolves at the next ring. */
  next(): Promise<void>;
  /** Waits for a ring, but no longer than so many milliseconds. */
  wait(rung: Promise<void>, ms: number): Promise<void>;
}

export function createBell(): Bell {
  let current = Promise.withResolvers<void>();
  return {
    ring() {
      current.resolve();
      current = Promise.withResolvers<void>();
    },
    next: () => current.promise,
    async wait(rung, ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      await Promise.race([rung, promise]);
      clearTimeout(timer);
    },
  };
}
