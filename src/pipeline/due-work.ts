import type { BusyDomains } from '../ports/source-store.ts';
import type { DomainClaims } from './domain-claims.ts';
import { domainOfWork, type SiteWork } from './domain-queues.ts';
import { engineBackOffMs, isTransientFault } from './transient.ts';
import type { TakeWork } from './work-queue.ts';

export interface DueWorkOptions<W extends SiteWork> {
  /** Takes what is due with leases, none of it of a busy domain. */
  readonly take: TakeWork<W>;
  readonly release: (works: readonly W[]) => Promise<void>;
  /** Among processes that share the records; absent where there is no other. */
  readonly claims?: DomainClaims;
  /** Of a claim, milliseconds. */
  readonly leaseMs: number;
  /** Hears of an engine that did not answer; absent: its fault ends the run. */
  readonly onFault?: (error: unknown) => void;
}

/** SiteWork that is taken from the records themselves. */
export interface DueWork<W extends SiteWork> {
  readonly take: TakeWork<W>;
  readonly giveBack: (works: readonly W[]) => Promise<void>;
  /** The work is over. */
  ended(work: W): void;
  /** Something is due that could not be had yet: others have claimed its domains. */
  readonly isWaiting: boolean;
}

/** Domains that turn out to be busy one after the other, before other work gets its chance. */
const MAX_ASKS = 10;

/**
 * Takes one piece of work of each registrable domain at a time, so that its lease has not to outlast a line of others:
 * what else there is of that domain is given back at once, due as before.
 */
export function createDueWork<W extends SiteWork>(options: DueWorkOptions<W>): DueWork<W> {
  const { claims, leaseMs, onFault } = options;
  let isWaiting = false;
  let failures = 0;
  let restUntil = 0;

  const tolerate = (error: unknown) => {
    if (onFault === undefined || !isTransientFault(error)) throw error;
    failures += 1;
    restUntil = performance.now() + engineBackOffMs(failures);
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
      for (const work of works) passed.add(domainOfWork(work));
    }
    return [];
  }

  async function mineOf(works: readonly W[]): Promise<readonly W[]> {
    const first = new Map(works.toReversed().map((work) => [domainOfWork(work), work]));
    const firsts = works.filter((work) => first.get(domainOfWork(work)) === work);
    if (claims === undefined) return firsts;
    const got = await claims.claim(new Set(first.keys()), leaseMs);
    return firsts.filter((work) => got.has(domainOfWork(work)));
  }

  const ended = (work: W, visited: boolean) => claims?.leave(domainOfWork(work), visited);
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
