import { registrableDomain } from '../domain/domain-name.ts';
import type { BusyDomains } from '../ports/source-store.ts';

/** Something to do with a site, under a lease: visit a domain, probe an agent, test one. */
export interface SiteWork {
  /** A domain, or an agent's canonical URL. */
  readonly key: string;
  /** What first named it: a declaring file, `news.example adagents`, or one word such as `operator`. */
  readonly foundVia?: string;
  /** Names the work in the logs of every process that has to do with it. */
  readonly trace?: string;
}

/**
 * Work in hand, in a queue for each registrable domain. One visit of a domain goes on at a time; the others wait here
 * and not in a slot, so that a domain with many hosts holds up nobody else.
 */
export class DomainQueues<W extends SiteWork> {
  /** By registrable domain with a visit that is ready or under way: those that wait for it to end. */
  readonly #waiting = new Map<string, W[]>();
  /** In order, with their domain. */
  readonly #ready = new Map<W, string>();
  /** Handed out, and not yet out of the queue. */
  readonly #underWay = new Map<W, string>();

  /** Domains of which there is work in hand already: no more of theirs is to be taken from the store. */
  get busy(): BusyDomains {
    return this.#waiting;
  }

  /** How many visits could begin now. */
  get ready(): number {
    return this.#ready.size;
  }

  add(works: readonly W[]): void {
    for (const work of works) {
      const domain = domainOfWork(work);
      const waiting = this.#waiting.get(domain);
      if (waiting === undefined) {
        this.#waiting.set(domain, []);
        this.#ready.set(work, domain);
      } else waiting.push(work);
    }
  }

  /** The first visit that may begin, of those that are `wanted`; undefined when there is none now. */
  find(wanted: (work: W) => boolean): W | undefined {
    for (const work of this.#ready.keys()) if (wanted(work)) return work;
    return undefined;
  }

  /** The next visit that may begin, one that is `wanted` before others; undefined when there is none now. */
  next(wanted: (work: W) => boolean = () => true): W | undefined {
    const work = this.find(wanted) ?? this.find(() => true);
    const domain = work && this.#ready.get(work);
    if (work === undefined || domain === undefined) return undefined;
    this.#ready.delete(work);
    this.#underWay.set(work, domain);
    return work;
  }

  /**
   * Takes a visit out of its queue, so that the next one may begin; doing it again does nothing.
   *
   * @returns what that means: `next` when another visit of the domain became ready, `free` when none is in hand any
   *   more, so that the store may have some, `none` when it was out before
   */
  end(work: W): 'next' | 'free' | 'none' {
    const domain = this.#underWay.get(work);
    if (domain === undefined) return 'none';
    this.#underWay.delete(work);
    const follower = this.#waiting.get(domain)?.shift();
    if (follower === undefined) {
      this.#waiting.delete(domain);
      return 'free';
    }
    this.#ready.set(follower, domain);
    return 'next';
  }

  /** Gives up everything that was not handed out. */
  drain(): W[] {
    const left = [...this.#ready.keys(), ...[...this.#waiting.values()].flat()];
    this.#ready.clear();
    this.#waiting.clear();
    return left;
  }
}

/** The registrable domain in whose queue the work waits. */
export function domainOfWork({ key }: Pick<SiteWork, 'key'>): string {
  return registrableDomain(key.includes('://') ? new URL(key).hostname : key);
}
