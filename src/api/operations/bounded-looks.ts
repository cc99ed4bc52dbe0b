import { createAllowance } from '../../base/allowance.ts';
import type { Clock } from '../../ports/clock.ts';
import { refuseWhile } from '../callers.ts';
import { HttpProblem } from '../problem.ts';

/** What was seen, and when, epoch milliseconds. */
export interface SeenAt<T> {
  readonly at: number;
  readonly value: T;
}

/** One look at something of somebody else's. */
export interface Look<T> {
  readonly caller: string;
  /** What is told again for a minute, whoever asks for it; absent: nothing is. */
  readonly key?: string;
  /** The registrable domain that is visited. */
  readonly site?: string;
  see(): Promise<T>;
  /** Told when nothing new was looked at. */
  repeated?(): void;
  /** Put around each look that was not repeated, refused ones included. */
  begun?(seen: Promise<SeenAt<T>>): Promise<SeenAt<T>>;
}

interface LookParts {
  readonly clock: Clock;
  /** Of all callers together. */
  readonly atOnce: number;
  /** What is looked at and what is done, as in "a file is being checked". */
  readonly words: { readonly one: string; readonly many: string; readonly done: string };
}

/** What was seen is told again for so long. */
const FRESH_MS = 60_000;
const MAX_KEPT = 200;
/** Looks at one site in a minute, whoever asks. */
const OF_SITE = 5;
/** The field's clients wait 10 s. */
const ANSWER_MS = 9_000;

/**
 * Looks for strangers: one at a time for a caller, a few at once for all, and the same once a minute whoever asks. What
 * takes longer than a caller waits goes on, and is told to whoever asks again. Throws HttpProblems, and what `see` does.
 */
export function createBoundedLooks<T>({ clock, atOnce, words }: LookParts) {
  const siteWaitMs = createAllowance({ clock, max: OF_SITE, windowMs: 60_000 });
  const kept = new Map<string, SeenAt<T>>();
  const underWay = new Map<string, Promise<SeenAt<T>>>();
  const callers = new Set<string>();
  const { one, many, done } = words;

  function find(key: string): SeenAt<T> | undefined {
    const known = kept.get(key);
    if (known === undefined) return undefined;
    const age = clock.now() - known.at;
    return age >= 0 && age < FRESH_MS ? known : undefined; // less is of a clock that was put back
  }

  function keep(key: string, seen: SeenAt<T>): void {
    kept.delete(key);
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
    kept.set(key, seen);
  }

  async function run({ caller, site, see }: Look<T>): Promise<SeenAt<T>> {
    if (callers.has(caller))
      throw busy('rate_limited', `${one} is being ${done} for you; one is ${done} at a time`, 2);
    // each is of another caller
    if (callers.size >= atOnce)
      throw busy('overloaded', `many ${many} are being ${done}; try again in a few seconds`, 5);
    if (site !== undefined) refuseWhile(siteWaitMs(site), `${OF_SITE} of these requests about one site`);
    callers.add(caller);
    try {
      return { at: clock.now(), value: await see() };
    } finally {
      callers.delete(caller);
    }
  }

  function begin(look: Look<T>): Promise<SeenAt<T>> {
    const { key, begun = (seen) => seen } = look;
    if (key === undefined) return begun(run(look));
    const known = find(key);
    const same = known === undefined ? underWay.get(key) : Promise.resolve(known);
    if (same !== undefined) {
      look.repeated?.();
      return same;
    }
    const asked = begun(run(look)).finally(() => underWay.delete(key));
    underWay.set(key, asked);
    asked.then(
      (seen) => keep(key, seen),
      () => {}, // told to those who wait
    );
    return asked;
  }

  return (look: Look<T>): Promise<SeenAt<T>> =>
    inTime(begin(look), `the ${many} are still being ${done}; ask again in a few seconds`);
}

async function inTime<T>(work: Promise<T>, detail: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(busy('unavailable', detail, 5)), ANSWER_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The problem that says when to ask again, in seconds. */
export function busy(
  code: 'rate_limited' | 'overloaded' | 'unavailable',
  detail: string,
  seconds: number,
): HttpProblem {
  return new HttpProblem(code, detail, {}, { 'retry-after': String(seconds) });
}
