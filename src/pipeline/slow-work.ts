import { performance } from 'node:perf_hooks';
import { namerOf } from '../domain/source.ts';

/** From then on a visit waits for others and hardly costs us anything, milliseconds. */
const SLOW_MS = 200;
/** Visits that are slow and keep nobody from a slot, for each slot. */
const BESIDE_EACH_SLOT = 3;
/** The visits that so many slots may have under way: theirs, and slow ones beside them. */
export function mostUnderWay(slots: number): number {
  return slots * (1 + BESIDE_EACH_SLOT);
}

/** What one declaring file led to has this part of the slots before what others led to comes first. */
const SHARE_OF_A_FILE = 1 / 4;
/** Work that was slow while the loop was full is looked at again after so long, milliseconds. */
const LOOK_MS = 50;
/** A look that comes so late says that the loop was busy, and nothing of the work; milliseconds. */
const LATE_MS = 20;
/** A loop that waits for less than a twentieth of the time has work enough, and more at once would make it slower. */
const FULL = 0.95;
/** So long a process runs most of its code for the first time, milliseconds. */
const COLD_MS = 2_000;
/** Until then a visit waited for others only when the loop had nothing to do for so long since it began, milliseconds. */
const WAITED_MS = 50;

/**
 * Slots that slow work does not keep from others. A stranger decides how long a visit takes: silent name servers, servers
 * that drip. Work that has gone on for a fifth of a second opens a slot beside its own, until it ends; so a hundred slow domains
 * cost the others a fifth of a second, and not their deadline. Three times the slots are opened at most, and none while this
 * process has no time left: then it is not slots that the others lack. What took long because this process has just
 * started is not slow either. A file that names ten thousand silent domains would
 * still have them all: what is slow is counted for each declaring file, and one that has its share comes after the others.
 */
export class SlowWork {
  readonly #slots: number;
  readonly #resize: (slots: number) => void;
  readonly #busyShare: BusyShare;
  /** By declaring file, and by whoever is behind it. */
  readonly #slowOf = new Map<string, number>();
  readonly #slowBy = new Map<string, number>();
  #slow = 0;
  readonly #coldUntil = performance.now() + COLD_MS;

  /** @param resize sets how much may go on at the same time from now on */
  constructor(slots: number, resize: (slots: number) => void, busyShare: BusyShare = loopShare) {
    this.#slots = slots;
    this.#resize = resize;
    this.#busyShare = busyShare;
  }

  /** Declaring files that have their share of what is slow. */
  get crowding(): ReadonlySet<string> {
    return new Set([...this.#slowOf.keys()].filter((foundVia) => this.isCrowding({ foundVia })));
  }

  /** Whether others come before it. */
  isCrowding({ foundVia = '' }: { readonly foundVia?: string }): boolean {
    if (this.#slowBy.size === 0) return false;
    return (this.#slowBy.get(namerOf(foundVia)) ?? 0) >= Math.ceil(this.#slots * SHARE_OF_A_FILE);
  }

  /**
   * @param work is handed what says that it waits for nobody else any more: what is ours to do is not slow
   * @param foundVia what led to the work; one word, such as `operator`, has no bound
   */
  async run<T>(work: (isOurs: () => void) => Promise<T>, foundVia?: string): Promise<T> {
    let isCounted = false;
    let isSlow = false;
    let waitedMs = 0;
    let lookedFor = SLOW_MS;
    const since = this.#busyShare();
    let dueAt = performance.now() + SLOW_MS;
    const lookAgain = (): void => {
      dueAt = performance.now() + LOOK_MS;
      lookedFor = LOOK_MS;
      timer = setTimeout(look, LOOK_MS);
    };
    const look = (): void => {
      const isLate = performance.now() - dueAt > LATE_MS;
      const busy = since();
      waitedMs += (1 - busy) * lookedFor;
      if (!isLate && !isCounted) this.#count(foundVia, 1);
      isCounted ||= !isLate;
      const hasWaited = waitedMs >= WAITED_MS || performance.now() > this.#coldUntil;
      isSlow = !isLate && busy < FULL && hasWaited;
      if (isSlow) this.#change(1);
      else lookAgain();
    };
    let timer = setTimeout(look, SLOW_MS);
    const end = (): void => {
      clearTimeout(timer);
      if (isCounted) this.#count(foundVia, -1);
      if (isSlow) this.#change(-1);
      [isCounted, isSlow] = [false, false];
    };
    try {
      return await work(end);
    } finally {
      end();
    }
  }

  #count(foundVia: string | undefined, by: 1 | -1): void {
    if (!foundVia?.includes(' ')) return;
    countBy(this.#slowOf, foundVia, by);
    countBy(this.#slowBy, namerOf(foundVia), by);
  }

  #change(by: 1 | -1): void {
    this.#slow += by;
    this.#resize(Math.min(this.#slots + this.#slow, mostUnderWay(this.#slots)));
  }
}

/** Begins to measure; what it returns says for which share of the time since it was last asked the loop was busy, 0 to 1. */
export type BusyShare = () => () => number;

export const loopShare: BusyShare = () => {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
};

function countBy(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
