import { type IRequestList, Request } from '@crawlee/basic';
import type { BusyDomains } from '../ports/source-store.ts';
import { DomainQueues, type SiteWork } from './domain-queues.ts';

/** Takes leased work from the store, none of it of a busy domain; an empty answer means that there is none now. */
export type TakeWork<W extends SiteWork> = (limit: number, busy: BusyDomains) => Promise<readonly W[]>;

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
   * One that `stays` is finished only when it is closed: there may be work again later.
   */
  constructor(take: TakeWork<W>, batch = 500, stays = false) {
    this.#take = take;
    this.#batch = batch;
    this.#stays = stays;
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
    const work = this.#closed ? undefined : this.#queues.next();
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

  #fill(): Promise<void> {
    if (this.#queues.ready > 0 || this.#dry || this.#closed) return Promise.resolve();
    this.#refill ??= this.#takeMore().finally(() => {
      this.#refill = undefined;
    });
    return this.#refill;
  }

  async #takeMore(): Promise<void> {
    this.#dry = true;
    const taken = await this.#take(this.#batch, this.#queues.busy);
    this.#queues.add(taken);
    if (taken.length > 0) this.#dry = false;
  }
}
