import type { BusyDomains } from '../ports/source-store.ts';
import type { DomainTurns } from './domain-turns.ts';
import { isPassing, pauseAfter } from './passing.ts';
import type { TakeWork } from './visit-feed.ts';
import { turnOf, type Work } from './work.ts';

export interface DueSourceOptions<W extends Work> {
  /** Takes what is due with leases, none of it of a busy domain. */
  readonly take: TakeWork<W>;
  readonly release: (works: readonly W[]) => Promise<void>;
  /** Among processes that share the records; absent where there is no other. */
  readonly turns?: DomainTurns;
  /** Of a turn, milliseconds. */
  readonly leaseMs: number;
  /** Hears of an engine that did not answer; absent: its fault ends the run. */
  readonly onFault?: (error: unknown) => void;
}

/** Work that is taken from the records themselves. */
export interface DueSource<W extends Work> {
  readonly take: TakeWork<W>;
  readonly giveBack: (works: readonly W[]) => Promise<void>;
  /** The work is over. */
  ended(work: W): void;
  /** Something is due that could not be had yet: others have the turns of its domains. */
  readonly isWaiting: boolean;
}

/** Domains that turn out to be busy one after the other, before other work gets its chance. */
const MAX_ASKS = 10;

/**
 * Takes one piece of work of each registrable domain at a time, so that its lease has not to outlast a line of others:
 * what else there is of that domain is given back at once, due as before.
 */
export function createDueSource<W extends Work>(options: DueSourceOptions<W>): DueSource<W> {
  const { turns, leaseMs, onFault } = options;
  let isWaiting = false;
  let failures = 0;
  let restUntil = 0;

  const tolerate = (error: unknown) => {
    if (onFault === undefined || !isPassing(error)) throw error;
    failures += 1;
    restUntil = performance.now() + pauseAfter(failures);
    onFault(error);
  };

  async function takeFree(limit: number, busy: BusyDomains): Promise<readonly W[]> {
    const passed = new Set<string>();
    isWaiting = false;
    for (let asks = 0; asks < MAX_ASKS; asks += 1) {
      const works = await options.take(limit, { has: (domain) => busy.has(domain) || passed.has(domain) });
      if (works.length === 0) return [];
      const mine = await mineOf(works);
      const others = works.filter((work) => !mine.includes(work));
      if (others.length > 0) await options.release(others);
      if (mine.length > 0) return mine;
      isWaiting = true;
      for (const work of works) passed.add(turnOf(work));
    }
    return [];
  }

  async function mineOf(works: readonly W[]): Promise<readonly W[]> {
    const first = new Map(works.toReversed().map((work) => [turnOf(work), work]));
    const firsts = works.filter((work) => first.get(turnOf(work)) === work);
    if (turns === undefined) return firsts;
    const got = await turns.claim(new Set(first.keys()), leaseMs);
    return firsts.filter((work) => got.has(turnOf(work)));
  }

  const ended = (work: W, visited: boolean) => turns?.leave(turnOf(work), visited);
  return {
    async take(limit, busy) {
      if (performance.now() < restUntil) return [];
      try {
        const works = await takeFree(limit, busy);
        failures = 0;
        return works;
      } catch (error) {
        tolerate(error);
        return [];
      }
    },
    async giveBack(works) {
      for (const work of works) ended(work, false);
      if (works.length > 0) await options.release(works).catch(tolerate); // else the leases run out by themselves
    },
    ended: (work) => ended(work, true),
    get isWaiting() {
      return isWaiting;
    },
  };
}
