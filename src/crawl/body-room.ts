import type { BodyHolder } from '../ports/fetcher.ts';

const MIB = 1024 * 1024;
/** For the large bodies of all visits together, from their arrival until they are kept. */
const LIMIT = 16 * MIB;

interface Waiting {
  readonly holder: BodyHolder;
  readonly bytes: number;
  readonly go: () => void;
}

/**
 * Limits the memory that large bodies of all running visits use together. Requests that do not fit wait in order. When
 * none fits, the oldest waiting holder may exceed the limit until it ends, which prevents a deadlock; only one holder may
 * at a time. Small files never wait.
 */
export class BodyRoom {
  readonly #limit: number;
  readonly #holders = new Set<BodyHolder>();
  #waiting: Waiting[] = [];
  #used = 0;
  /** The holder that may exceed the limit until it ends. */
  #first: BodyHolder | undefined;

  constructor(limit = LIMIT) {
    this.#limit = limit;
  }

  get used(): number {
    return this.#used;
  }

  /** Makes room for more bytes of a holder; undefined when there is some at once. */
  take(holder: BodyHolder, bytes: number): Promise<void> | undefined {
    holder.hasAsked = true;
    this.#holders.add(holder);
    let isDone = false;
    const turn = new Promise<void>((resolve) => {
      const go = (): void => {
        isDone = true;
        resolve();
      };
      this.#waiting.push({ holder, bytes, go });
    });
    this.#serve();
    return isDone ? undefined : turn;
  }

  /** Bytes that a holder does not need any more. */
  give(holder: BodyHolder, bytes: number): void {
    holder.bytes -= bytes;
    this.#used -= bytes;
    this.#serve();
  }

  /** The holder needs nothing any more, and waits for nothing. */
  end(holder: BodyHolder): void {
    this.#holders.delete(holder);
    if (this.#first === holder) this.#first = undefined;
    this.#waiting = this.#waiting.filter((one) => one.holder !== holder);
    this.give(holder, holder.bytes);
  }

  #serve(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting = this.#waiting.filter((one) => one !== next);
      next.holder.bytes += next.bytes;
      this.#used += next.bytes;
      next.go();
    }
  }

  #next(): Waiting | undefined {
    const [head] = this.#waiting;
    if (head === undefined || this.#used + head.bytes <= this.#limit) return head;
    this.#first ??= [...this.#holders].find((holder) => this.#waiting.some((one) => one.holder === holder));
    return this.#waiting.find(({ holder }) => holder === this.#first);
  }
}
