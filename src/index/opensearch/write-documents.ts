import { backOffMs, pause } from '../../base/back-off.ts';
import type { SavedDocument } from '../../ports/agent-store.ts';
import { type BulkItem, chunked } from './bulk-lines.ts';
import type { Engine } from './client.ts';
import {
  documentsRefused,
  EngineFault,
  indexUnavailable,
  isBlocked,
  isIndexNotFound,
  isTransient,
  type RefusedItem,
} from './errors.ts';

export interface WriterOptions {
  /** Concurrent bulk requests; faster writers wait. */
  readonly concurrency: number;
  /** For one bulk request with all its retries, milliseconds. */
  readonly deadlineMs: number;
  /** Told how many items are sent again, each time. */
  readonly onRetried?: (items: number) => void;
}

/** Both reject with a RegistryError, or with an EngineFault `isIndexNotFound` if the alias does not exist. */
export interface Writer {
  /** Resolves when all documents are durable. */
  write(handle: string, documents: readonly SavedDocument[]): Promise<void>;
  /** Writes a few items in one request. */
  remember(handle: string, items: readonly BulkItem[]): Promise<void>;
}

interface BulkAnswer {
  readonly errors: boolean;
  readonly items: readonly Readonly<Record<string, ItemAnswer>>[];
}

interface ItemAnswer {
  readonly status: number;
  readonly error?: { readonly type: string; readonly reason: string };
}

/** What is left of a request: items to send again and items that will never be taken. */
interface Rest {
  readonly again: readonly BulkItem[];
  readonly refused: readonly RefusedItem[];
  readonly fault: EngineFault;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** The index as a whole is closed to writes, or to this user: no document is to blame. */
const FORBIDDEN = 403;
const VERSION_CONFLICT = 409;
/** Of a single item too: it says that its shard failed just then. */
const SERVER_FAULT = 500;

export function createWriter(engine: Engine, { concurrency, deadlineMs, onRetried }: WriterOptions): Writer {
  const slots = createSlots(concurrency);

  const send = async (handle: string, items: readonly BulkItem[]): Promise<readonly RefusedItem[]> => {
    const end = performance.now() + deadlineMs;
    const refused: RefusedItem[] = [];
    let pending = items;
    for (let failures = 0; ; failures++) {
      const rest = await sendOnce(engine, handle, pending, end - performance.now());
      refused.push(...rest.refused);
      if (rest.again.length === 0) return refused;
      // an engine that takes most of it is not to be spared longer each time
      if (rest.again.length <= pending.length / 2) failures = 0;
      pending = rest.again;
      const waitMs = pauseMs(failures, rest.fault.retryAfterMs);
      if (performance.now() + waitMs >= end) throw indexUnavailable(engine.place, rest.fault);
      await pause(waitMs);
      onRetried?.(pending.length);
    }
  };
  const inSlot = async (handle: string, items: readonly BulkItem[], giveBack: () => void) => {
    try {
      return await send(handle, items);
    } finally {
      giveBack();
    }
  };
  return {
    async write(handle, documents) {
      const sent: Promise<readonly RefusedItem[]>[] = [];
      const chunks = chunked(documents);
      for (;;) {
        const giveBack = await slots.take(); // before the chunk is made: what waits takes no memory
        const { done, value } = chunks.next();
        if (done) {
          giveBack();
          break;
        }
        const task = inSlot(handle, value, giveBack);
        task.catch(() => {}); // heard of below, when all others have ended
        sent.push(task);
      }
      const refused = (await allOf(sent)).flat();
      if (refused.length > 0) throw documentsRefused(engine.place, refused);
    },
    async remember(handle, items) {
      const refused = await inSlot(handle, items, await slots.take());
      if (refused.length > 0) throw documentsRefused(engine.place, refused);
    },
  };
}

/** Waits for all, then rejects with the first failure. */
async function allOf<T>(tasks: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}

async function sendOnce(
  engine: Engine,
  handle: string,
  items: readonly BulkItem[],
  withinMs: number,
): Promise<Rest> {
  try {
    const answer = await engine.send<BulkAnswer>(
      {
        method: 'POST',
        path: `/${handle}/_bulk`,
        // an engine that was wiped must not make an index of its own from our first document
        query: { require_alias: true, filter_path: 'errors,items.*.status,items.*.error' },
        lines: items.map(({ lines }) => lines).join(''),
      },
      { withinMs, retries: 0 },
    );
    return answer.errors ? readItems(items, answer) : { again: [], refused: [], fault: new EngineFault('') };
  } catch (fault) {
    if (!(fault instanceof EngineFault) || isIndexNotFound(fault)) throw fault;
    if (!isTransient(fault)) throw indexUnavailable(engine.place, fault);
    return { again: items, refused: [], fault };
  }
}

/** Judges each item alone. A version conflict is a success: a newer write was there before. */
function readItems(items: readonly BulkItem[], answer: BulkAnswer): Rest {
  const again: BulkItem[] = [];
  const refused: RefusedItem[] = [];
  let transient = new EngineFault('the response to a bulk request is incomplete');
  for (const [at, item] of items.entries()) {
    const outcome = Object.values(answer.items[at] ?? {})[0];
    const fault = new EngineFault(
      outcome?.error?.reason ?? transient.message,
      outcome?.status,
      outcome?.error?.type,
    );
    if (isIndexNotFound(fault) || fault.status === FORBIDDEN || isBlocked(fault)) throw fault;
    if (fault.status === VERSION_CONFLICT || (outcome !== undefined && outcome.error === undefined)) continue;
    if (isTransient(fault) || fault.status === SERVER_FAULT) {
      again.push(item);
      transient = fault;
    } else refused.push({ id: item.name, reason: `${fault.type}: ${fault.message}` });
  }
  return { again, refused, fault: transient };
}

/** With jitter, so that writers that were refused together do not come back together. */
function pauseMs(failures: number, asked: number): number {
  const full = backOffMs(failures + 1, FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  return Math.max(full * (0.5 + Math.random() / 2), asked);
}

/** Lets so many tasks run at once; who comes later waits in line. */
interface Slots {
  /** Waits for a place; the function that is returned gives it back. */
  take(): Promise<() => void>;
}

function createSlots(places: number): Slots {
  let free = places;
  const line: (() => void)[] = [];
  const giveBack = () => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async take() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => line.push(resolve));
      return giveBack;
    },
  };
}
