/** Lets so many tasks run at once; who comes later waits in line. */
export interface Slots {
  /** Waits for a place; the function that is returned gives it back. */
  take(): Promise<() => void>;
}

export function createSlots(places: number): Slots {
  let free = places;
  const line: (() => void)[] = [];
  const giveBack = () => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => line.push(resolve));
      return giveBack;
    },
  };
}
