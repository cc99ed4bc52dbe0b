import { parentPort, type ResourceLimits, Worker } from 'node:worker_threads';

export interface AskedThreadOptions {
  /** What runs in the thread; it calls `answerQuestions`. */
  readonly file: URL;
  /** Shown by debuggers. */
  readonly name: string;
  readonly workerData: unknown;
  readonly limits: ResourceLimits;
  /** A question that takes longer ends the thread, with all its other questions; milliseconds, without the start of the thread. */
  readonly ceilingMs: number;
  /** Idle time after which the thread ends, milliseconds; if absent, never. */
  readonly idleMs?: number;
}

/** Why a question got no answer: the thread took more than it may, or was ended. */
export class ThreadEnded extends Error {
  /** Its question was the only one from first to last, so it is what took too much. */
  readonly isTooCostly: boolean;

  constructor(isTooCostly: boolean) {
    super(isTooCostly ? 'the question reached its time or memory limit' : 'the thread has ended');
    this.name = 'ThreadEnded';
    this.isTooCostly = isTooCostly;
  }
}

interface Pending<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: unknown) => void;
  timer?: NodeJS.Timeout;
}

type Sent<Answer> = { readonly id: number } & ({ readonly answer: Answer } | { readonly fault: unknown });

/** A question, or that it is to end early. */
type Asked<Question> = { readonly id: number } & (
  | { readonly question: Question }
  | { readonly isAborted: true }
);

/** Says that the thread has loaded its modules. */
const READY = 0;

/** A thread of its own that is asked questions, any number at once. It keeps no process alive. */
export class AskedThread<Question, Answer> {
  /** Whether it has loaded what it needs; before that a question waits. */
  isReady = false;
  hasEnded = false;
  readonly #options: AskedThreadOptions;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending<Answer>>();
  /** Whether nothing else was asked since the thread was idle. */
  #isOnlyOne = true;
  #last = READY;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: AskedThreadOptions) {
    const { file, name, workerData, limits: resourceLimits } = options;
    this.#options = options;
    this.#worker = new Worker(file, { name, workerData, resourceLimits });
    this.#worker.unref();
    this.#worker.on('message', (sent: Sent<Answer>) => this.#settle(sent));
    this.#worker.on('error', (fault: NodeJS.ErrnoException) => {
      void this.end(fault.code === 'ERR_WORKER_OUT_OF_MEMORY' ? undefined : fault);
    });
    this.#worker.on('exit', () => void this.end());
  }

  /** Rejects with what the answer threw, or with ThreadEnded. `signal` asks the answer to end early. */
  ask(question: Question, signal?: AbortSignal): Promise<Answer> {
    clearTimeout(this.#idle);
    this.#isOnlyOne = this.#pending.size === 0;
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      const pending: Pending<Answer> = { resolve, reject };
      this.#pending.set(id, pending);
      if (this.isReady) this.#limit(pending);
      this.#worker.postMessage({ id, question });
      const abort = () => this.#worker.postMessage({ id, isAborted: true });
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
    });
  }

  #limit(pending: Pending<Answer>): void {
    pending.timer = setTimeout(() => void this.end(), this.#options.ceilingMs);
  }

  #settle(sent: Sent<Answer>): void {
    if (!this.isReady) {
      this.isReady = true;
      for (const waiting of this.#pending.values()) this.#limit(waiting);
    }
    const pending = this.#pending.get(sent.id);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    this.#pending.delete(sent.id);
    if ('answer' in sent) pending.resolve(sent.answer);
    else pending.reject(sent.fault);
    const { idleMs } = this.#options;
    if (this.#pending.size > 0 || idleMs === undefined) return;
    this.#idle = setTimeout(() => void this.end(new ThreadEnded(false)), idleMs).unref();
  }

  /** Ends the thread, and rejects what is not answered with `why`; without it, with a ThreadEnded that says what took too much. */
  async end(why?: unknown): Promise<void> {
    this.hasEnded = true;
    clearTimeout(this.#idle);
    const reason = why ?? new ThreadEnded(this.#isOnlyOne);
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(reason);
    }
    this.#pending.clear();
    await this.#worker.terminate();
  }
}

/** In the thread: answers what it is asked. */
export function answerQuestions<Question, Answer>(
  answer: (question: Question, signal: AbortSignal) => Promise<Answer>,
): void {
  const underWay = new Map<number, AbortController>();
  parentPort?.on('message', async (asked: Asked<Question>) => {
    const { id } = asked;
    if ('isAborted' in asked) {
      underWay.get(id)?.abort();
      return;
    }
    const controller = new AbortController();
    underWay.set(id, controller);
    const sent = await answer(asked.question, controller.signal).then(
      (given) => ({ id, answer: given }),
      (fault: unknown) => ({ id, fault }),
    );
    underWay.delete(id);
    parentPort?.postMessage(sent);
  });
  parentPort?.postMessage({ id: READY });
}
