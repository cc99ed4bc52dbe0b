const HOUR_MS = 3_600_000;

/** Whether something is done for the first time in an hour, by its name; true is remembered as done. */
export type OnceAnHour = (name: string, now: number) => boolean;

/** Remembers for an hour what was done in this process. */
export function createOnceAnHour(): OnceAnHour {
  const doneAt = new Map<string, number>(); // oldest first
  return (name, now) => {
    for (const [done, at] of doneAt) {
      // what lies ahead is of a clock that has been put back
      if (at <= now && now - at < HOUR_MS) break;
      doneAt.delete(done);
    }
    if (doneAt.has(name)) return false;
    doneAt.set(name, now);
    return true;
  };
}
