import type { BusyDomains } from '../ports/source-store.ts';
import { turnOf, type Work } from './work.ts';

/**
 * Work in hand, of which one visit for each registrable domain may go on at a time: the others wait here and not in a
 * slot, so that a domain with many hosts holds up nobody else.
 */
export class Turns<W extends Work> {
  /** By registrable domain with a turn that is ready or under way: those that wait for it to end. */
  readonly #lines = new Map<string, W[]>();
  /** In order, with their domain. */
  readonly #ready = new Map<W, string>();
  /** Handed out, and its turn not yet over. */
  readonly #underWay = new Map<W, string>();

  /** Domains of which there is work in hand already: no more of theirs is to be taken from the store. */
  get busy(): BusyDomains {
    return this.#lines;
  }

  /** How many visits could begin now. */
  get ready(): number {
    return this.#ready.size;
  }

  add(works: readonly W[]): void {
    for (const work of works) {
      const domain = turnOf(work);
      const line = this.#lines.get(domain);
      if (line === undefined) {
        this.#lines.set(domain, []);
        this.#ready.set(work, domain);
      } else line.push(work);
    }
  }

  /** A visit whose turn it is; undefined when there is none now. */
  next(): W | undefined {
    const [first] = this.#ready;
    if (first === undefined) return undefined;
    const [work, domain] = first;
    this.#ready.delete(work);
    this.#underWay.set(work, domain);
    return work;
  }

  /**
   * Ends the turn of a visit; ending it again does nothing.
   *
   * @returns what that means: `next` when another visit of the domain became ready, `free` when none is in hand any
   *   more, so that the store may have some, `none` when the turn had ended before
   */
  end(work: W): 'next' | 'free' | 'none' {
    const domain = this.#underWay.get(work);
    if (domain === undefined) return 'none';
    this.#underWay.delete(work);
    const follower = this.#lines.get(domain)?.shift();
    if (follower === undefined) {
      this.#lines.delete(domain);
      return 'free';
    }
    this.#ready.set(follower, domain);
    return 'next';
  }

  /** Gives up everything that was not handed out. */
  drain(): W[] {
    const left = [...this.#ready.keys(), ...[...this.#lines.values()].flat()];
    this.#ready.clear();
    this.#lines.clear();
    return left;
  }
}
