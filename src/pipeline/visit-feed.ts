import { type IRequestList, Request } from '@crawlee/basic';
import type { BusyDomains } from '../ports/source-store.ts';
import { DomainQueues, type SiteWork } from './domain-queues.ts';

/** Takes leased work from the store, none of it of a busy domain; an empty answer means that there is none now. */
export type TakeWork<W extends SiteWork> = (limit: number, busy: BusyDomains) => Promise<readonly W[]>;

/** Which work others come before, and the declaring files that led to it. */
interface Crowding<W> {
  readonly crowding: ReadonlySet<string>;
  isCrowding(work: W): boolean;
}

/**
 * The store's work list in the shape that Crawlee reads. The store leases and remembers; nothing is kept twice,
 * and there is no end of a chunk at which fast domains would wait for the slowest.
 */
export class VisitFeed<W extends SiteWork> implements IRequestList {
  /** Crawlee's own book-keeping of a list; ours is the lease in the store. */
  readonly inProgress = new Set<string>();
  readonly #take: TakeWork<W>;
  readonly #batch: number;
  readonly #stays: boolean;
  readonly #slow: Crowding<W> | undefined;
  readonly #queues = new DomainQueues<W>();
  readonly #inHand = new Map<string, W>();
  /** Of those in hand: handed out, and not yet begun by the crawler. */
  readonly #notBegun = new Map<string, W>();
  #refill: Promise<void> | undefined;
  #dry = false;
  #closed = false;
  #handled = 0;

  /**
   * `batch` visits are taken from the store at once: enough to cost little, few enough to come to within their lease.
   * One that `stays` is finished only when it is closed: there may be work again later. What `slow` says is crowding
   * comes after the rest, and while it is, no more of it is taken from the store.
   */
  constructor(take: TakeWork<W>, batch = 500, stays = false, slow?: Crowding<W>) {
    this.#take = take;
    this.#batch = batch;
    this.#stays = stays;
    this.#slow = slow;
  }

  /** The visit behind a request, which begins now. */
  begin(request: Request): W | undefined {
    this.#notBegun.delete(request.uniqueKey);
    return this.#inHand.get(request.uniqueKey);
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Takes nothing more from the store and hands nothing out: finished when all that is in hand was handled. */
  close(): void {
    this.#closed = true;
  }

  /** Visits that were taken from the store and not begun: to be given back on a stop. */
  async drain(): Promise<readonly W[]> {
    this.close();
    await this.#refill?.catch(() => {}); // whoever waited for it has the error
    const left = [...this.#notBegun.values(), ...this.#queues.drain()];
    this.#notBegun.clear();
    return left;
  }

  /** The store may have more work again: a visit found some. */
  wake(): void {
    this.#dry = false;
  }

  /**
   * Takes a visit that needs its domain no more out of its queue; the end of the visit does the same. Returns whether
   * another visit of the domain may begin now.
   */
  leaveDomain(work: W): boolean {
    const ended = this.#queues.end(work);
    if (ended === 'free') this.wake(); // the store may have more of this domain
    return ended === 'next';
  }

  async isEmpty(): Promise<boolean> {
    await this.#fill();
    return this.#closed || this.#queues.ready === 0;
  }

  async isFinished(): Promise<boolean> {
    const mayEnd = this.#closed || !this.#stays;
    return mayEnd && this.#inHand.size === 0 && (await this.isEmpty());
  }

  async fetchNextRequest(): Promise<Request | null> {
    await this.#fill();
    const work = this.#closed ? undefined : this.#queues.next(this.#isWanted);
    if (work === undefined) return null;
    this.#inHand.set(work.key, work);
    this.#notBegun.set(work.key, work);
    const url = work.key.includes('://') ? work.key : `https://${work.key}/`;
    return new Request({ url, uniqueKey: work.key });
  }

  async markRequestHandled(request: Request): Promise<void> {
    const work = this.#inHand.get(request.uniqueKey);
    this.#inHand.delete(request.uniqueKey);
    if (work !== undefined) this.leaveDomain(work);
    this.#handled += 1;
  }

  /** There are no retries within a run: the schedule knows when to come back. */
  reclaimRequest(request: Request): Promise<void> {
    return this.markRequestHandled(request);
  }

  handledCount(): number {
    return this.#handled;
  }

  length(): number {
    return this.#handled + this.#inHand.size + this.#queues.ready;
  }

  /** The store is the state. */
  async persistState(): Promise<void> {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Request> {
    for (
      let request = await this.fetchNextRequest();
      request !== null;
      request = await this.fetchNextRequest()
    ) {
      yield request;
    }
  }

  readonly #isWanted = (work: W): boolean => this.#slow?.isCrowding(work) !== true;

  /** What is crowding is in hand for a while; so much of it is no reason to take more. */
  #hasEnough(): boolean {
    return this.#queues.ready > this.#batch || this.#queues.find(this.#isWanted) !== undefined;
  }

  #fill(): Promise<void> {
    if (this.#dry || this.#closed || this.#hasEnough()) return Promise.resolve();
    this.#refill ??= this.#takeMore().finally(() => {
      this.#refill = undefined;
    });
    return this.#refill;
  }

  async #takeMore(): Promise<void> {
    this.#dry = true;
    const { busy } = this.#queues;
    const files = this.#slow?.crowding ?? new Set();
    const taken = await this.#take(this.#batch, { has: (domain) => busy.has(domain), files });
    this.#queues.add(taken);
    if (taken.length > 0) this.#dry = false;
  }
}
