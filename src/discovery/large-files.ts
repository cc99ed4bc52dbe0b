import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Declaration } from '../domain/declaration.ts';
import type { DeclarationKind } from '../domain/declared-facts.ts';
import type { FileBounds, Read } from './read-document.ts';
import { findingOf } from './report.ts';

/** One file to be read, and for whom. */
export interface FileReading {
  readonly kind: DeclarationKind;
  readonly body: Uint8Array;
  readonly bounds: FileBounds;
  /** Whose files take turns with those of others: a domain, or whoever named it. Asked of large files only. */
  owner(): string;
}

/** What one file may take of the thread; behind that it is given up. */
export interface ReadingCeiling {
  readonly ms: number;
  /** For each million of values that it may have. */
  readonly heapMiB: number;
}

/**
 * Readers take time in proportion to a text, and 20 MiB take 2 s at the worst, so this is for what nobody has thought of.
 * The values of a text are counted before it is parsed: V8 ends the whole process when JSON.parse itself is out of memory.
 */
const CEILING: ReadingCeiling = { ms: 30_000, heapMiB: 96 };
const VALUES_IN_A_HEAP = 1_000_000;
/** A heap that was large stays large, so after a file of more than this the thread ends, too: a new one takes 0.1 s. */
const THREAD_BYTES = 1024 * 1024;
/** The thread ends soon after the last file, and gives its memory back. */
const IDLE_MS = 1_000;
/** Owners whose used time is counted. */
const MAX_OWNERS = 10_000;

interface Waiting {
  readonly reading: FileReading;
  readonly owner: string;
  readonly resolve: (read: Read<Declaration>) => void;
  readonly reject: (fault: unknown) => void;
}

/**
 * Reads large files on a thread of their own, one at a time, so that the loop serves the others meanwhile. Next is whoever
 * has used the thread least, and of those the smallest file: ten hostile files of one owner keep nobody's from its turn.
 */
export class LargeFiles {
  readonly #ceiling: ReadingCeiling;
  readonly #waiting: Waiting[] = [];
  readonly #usedMs = new LRUCache<string, number>({ max: MAX_OWNERS });
  #thread: ReaderThread | undefined;
  #isBusy = false;
  #idle: NodeJS.Timeout | undefined;

  constructor(ceiling: ReadingCeiling = CEILING) {
    this.#ceiling = ceiling;
  }

  /** Never rejects for content: what is too costly is a finding. Rejects when the readers have a fault. */
  read(reading: FileReading): Promise<Read<Declaration>> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ reading, owner: reading.owner(), resolve, reject });
      if (!this.#isBusy) void this.#readAll();
    });
  }

  async #readAll(): Promise<void> {
    this.#isBusy = true;
    clearTimeout(this.#idle);
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      const startedAt = performance.now();
      await this.#readOne(next.reading).then(next.resolve, next.reject);
      const { owner } = next;
      this.#usedMs.set(owner, this.#used(owner) + performance.now() - startedAt);
    }
    this.#isBusy = false;
    this.#usedMs.clear();
    this.#idle = setTimeout(() => void this.#endThread(), IDLE_MS).unref();
  }

  #take(): Waiting | undefined {
    const first = this.#waiting.reduce<Waiting | undefined>(
      (best, one) => (best === undefined || this.#isBefore(one, best) ? one : best),
      undefined,
    );
    if (first !== undefined) this.#waiting.splice(this.#waiting.indexOf(first), 1);
    return first;
  }

  #isBefore(a: Waiting, b: Waiting): boolean {
    const more = this.#used(a.owner) - this.#used(b.owner);
    return more === 0 ? a.reading.body.length < b.reading.body.length : more < 0;
  }

  #used(owner: string): number {
    return this.#usedMs.get(owner) ?? 0;
  }

  async #readOne(reading: FileReading): Promise<Read<Declaration>> {
    const heaps = Math.ceil((reading.bounds.maxValues ?? VALUES_IN_A_HEAP) / VALUES_IN_A_HEAP);
    const heapMiB = this.#ceiling.heapMiB * heaps;
    if (this.#thread?.heapMiB !== heapMiB) await this.#endThread();
    this.#thread ??= new ReaderThread(heapMiB);
    const read = await this.#thread.read(reading, this.#ceiling.ms);
    if (read === undefined || reading.body.length > THREAD_BYTES) await this.#endThread();
    if (read !== undefined) return read;
    const most = `more than ${this.#ceiling.ms / 1_000} s or ${heapMiB} MiB of memory`;
    return { findings: [findingOf('too_costly', '', most)] };
  }

  /** Waits until its memory is free, so that two are never there at once. */
  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }
}

/** One thread with a heap of its own. */
class ReaderThread {
  readonly heapMiB: number;
  readonly #worker: Worker;
  #settle: ((read: Read<Declaration> | undefined) => void) | undefined;
  #fail: ((fault: unknown) => void) | undefined;

  constructor(heapMiB: number) {
    this.heapMiB = heapMiB;
    this.#worker = new Worker(new URL('./read-worker.ts', import.meta.url), {
      name: 'reader of large files',
      resourceLimits: { maxOldGenerationSizeMb: heapMiB, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.unref();
    this.#worker.on('message', (read: Read<Declaration>) => this.#settle?.(read));
    this.#worker.on('error', (fault: NodeJS.ErrnoException) =>
      fault.code === 'ERR_WORKER_OUT_OF_MEMORY' ? this.#settle?.(undefined) : this.#fail?.(fault),
    );
    this.#worker.on('exit', () => this.#settle?.(undefined));
  }

  /** Undefined when it would take more than is allowed; the thread is of no use then. */
  async read({ kind, body, bounds }: FileReading, ms: number): Promise<Read<Declaration> | undefined> {
    const timer = setTimeout(() => this.#settle?.(undefined), ms);
    this.#worker.ref();
    try {
      return await new Promise((resolve, reject) => {
        [this.#settle, this.#fail] = [resolve, reject];
        const bytes = new Uint8Array(body); // of its own, for others still read the body
        this.#worker.postMessage({ kind, bytes, bounds }, [bytes.buffer]);
      });
    } finally {
      clearTimeout(timer);
      this.#worker.unref();
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
