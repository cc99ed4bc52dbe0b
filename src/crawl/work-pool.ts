import PQueue from 'p-queue';
import { pause } from '../base/back-off.ts';
import type { SiteWork, TakenWork } from './taken-work.ts';

export interface WorkPoolOptions<W extends SiteWork> {
  readonly taken: TakenWork<W>;
  /** Does one piece of work; what it rejects with ends the pool. */
  readonly handle: (work: W) => Promise<void>;
  readonly concurrency: number;
  /** Begins nothing more; what is under way is waited for. */
  readonly signal: AbortSignal;
}

/** Does work of the records, so many pieces at once. */
export class WorkPool<W extends SiteWork> {
  readonly #options: WorkPoolOptions<W>;
  readonly #queue: PQueue;
  #filling: Promise<void> | undefined;
  /** Somebody asked since the records were asked last. */
  #isAsked = false;
  #fault: { readonly error: unknown } | undefined;

  constructor(options: WorkPoolOptions<W>) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.concurrency });
  }

  get hasFailed(): boolean {
    return this.#fault !== undefined;
  }

  get isIdle(): boolean {
    return this.#filling === undefined && this.#queue.pending === 0 && this.#queue.size === 0;
  }

  /** Begins what there is; call it whenever there may be more. Resolves when the records have answered; never rejects. */
  fill(): Promise<void> {
    this.#isAsked = true;
    this.#filling ??= this.#fill()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#filling = undefined;
      });
    return this.#filling;
  }

  /** Looks for work every `everyMs`, until the signal or the first fault. Never rejects. */
  async poll(everyMs: number): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted && !this.hasFailed) {
      void this.fill();
      await pause(everyMs, signal);
    }
  }

  /** Resolves when the records have no more and nothing is under way; rejects with the first fault. */
  async idle(): Promise<void> {
    await this.fill();
    while (!this.isIdle) {
      await this.#filling;
      await this.#queue.onIdle();
    }
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  async #fill(): Promise<void> {
    const { taken, concurrency } = this.#options;
    do {
      this.#isAsked = false;
      while (
        !this.#isOver &&
        this.#queue.pending + this.#queue.size < concurrency &&
        (await taken.hasNext())
      ) {
        const work = taken.next();
        if (work === undefined) break;
        void this.#queue.add(() => this.#do(work)).then(() => this.fill());
      }
    } while (this.#isAsked && !this.#isOver);
  }

  async #do(work: W): Promise<void> {
    const { taken, handle } = this.#options;
    try {
      await handle(work);
    } catch (error) {
      this.#fail(error);
    } finally {
      taken.end(work);
    }
  }

  get #isOver(): boolean {
    return this.#options.signal.aborted || this.#fault !== undefined;
  }

  #fail(error: unknown): void {
    this.#fault ??= { error };
  }
}
