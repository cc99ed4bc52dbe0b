import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Records } from '../ports/records.ts';
import { entityTag, type TaggedAnswer } from './answers.ts';
import { TextRoom } from './text-room.ts';

/** Longer queries are not remembered. */
const MAX_LENGTH = 1_024;

/** A rendered answer, ready to be sent. */
export interface RenderedBody extends TaggedAnswer {
  /** The value of the Link header; absent on the last page. */
  readonly link?: string;
  /** The last moment, epoch milliseconds, at which the same data yield the same bytes. */
  readonly validUntil: number;
  /** Returns the buffer to the pool. Optional; call at most once, after the response has been sent. */
  readonly giveBack?: (() => void) | undefined;
}

type Versioned = Record<'records' | 'index', Pick<Records, 'version'>>;

/** Differs whenever anything that an answer may show has changed. */
export async function dataVersion({ records, index }: Versioned): Promise<string> {
  return (await Promise.all([records.version(), index.version()])).join(' ');
}

interface KeptBody<Body> {
  readonly version: string;
  readonly rendered: Body;
}

/**
 * Rendered answers by canonical query, bounded by their bytes; the least recently used go first. An answer is kept from the
 * second time on: most pages deep in a list are asked for once, and memory that is always new costs more than they do.
 */
export interface BodyCache<Body extends RenderedBody = RenderedBody> {
  /** The answer, when the data are still of this version and no clock has overtaken it. */
  get(key: string, version: string, now: number): Body | undefined;
  set(key: string, version: string, rendered: Body): void;
  /** Whether `get` may find it, or `set` keep it. */
  isKnown(key: string): boolean;
}

/**
 * Queries that are known to have been asked once: about as many as there is room for pages. Whoever goes round more pages
 * than that would find none of them kept.
 */
const MAX_ASKED = 512;

// What an entry costs beside its body: key, tag, link and the objects around them.
const OVERHEAD_BYTES = 1_024;

/** Makes a cache that holds at most `maxBytes` bytes of bodies. An answer larger than that is not kept. */
export function createBodyCache<Body extends RenderedBody = RenderedBody>(maxBytes: number): BodyCache<Body> {
  const entries = new LRUCache<string, KeptBody<Body>>({ maxSize: maxBytes, sizeCalculation: costOf });
  const asked = new LRUCache<string, true>({ max: MAX_ASKED });

  function wasAsked(key: string): boolean {
    if (key.length > MAX_LENGTH || asked.has(key)) return true;
    asked.set(key, true);
    return false;
  }

  function get(key: string, version: string, now: number): Body | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.version === version && now <= entry.rendered.validUntil) return entry.rendered;
    entries.delete(key);
    return undefined;
  }

  function set(key: string, version: string, rendered: Body): void {
    entries.delete(key);
    if (!wasAsked(key) || costOf({ version, rendered }, key) > maxBytes) return;
    const isLent = rendered.giveBack !== undefined;
    const own = isLent ? { ...rendered, body: Buffer.from(rendered.body), giveBack: undefined } : rendered;
    entries.set(key, { version, rendered: own });
  }

  return { get, set, isKnown: (key) => key.length > MAX_LENGTH || entries.has(key) || asked.has(key) };
}

function costOf(entry: KeptBody<RenderedBody>, key: string): number {
  return entry.rendered.body.byteLength + key.length * 2 + OVERHEAD_BYTES;
}

/** Bytes that are read and written between two breaks, a millisecond's work. One record may be as long as an answer. */
const PART = 262_144;
/** Rounds of the event loop in a break: in each, one connection is taken in or one request begun. */
const ROUNDS_BETWEEN = 12;

/** Yields to the event loop. */
export async function yieldToEventLoop(): Promise<void> {
  for (let round = 0; round < ROUNDS_BETWEEN; round += 1) await setImmediate();
}

/** An answer ends before it has more bytes: clients stop reading there. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Bytes of an answer beside its records. */
const TAIL_BYTES = 4_096;

/**
 * A list of JSON texts that becomes bytes while it is made: what is kept as text, each garbage collection would copy.
 * `form` is what the digests of the texts do not tell of them: which parts of their records they show.
 */
export class ListBody {
  readonly #room = new TextRoom();
  #count = 0;
  #work = 0;
  /** What the bytes are made of: hashing it costs a tenth of hashing them. */
  #made: string[];

  constructor(name: string, form = '') {
    this.#made = [form];
    this.#room.write(`{"${name}":[`);
  }

  /** Of texts. */
  get count(): number {
    return this.#count;
  }

  /**
   * Adds the text that `write` writes, for which so many bytes were read; what `write` returns differs wherever the texts differ.
   * False, with nothing added, when the answer would have more than 2 MiB; the first text always has room.
   */
  add(write: (room: TextRoom) => string, read: number): boolean {
    const room = this.#room;
    const before = room.bytes;
    if (this.#count > 0) room.write(',');
    const digest = write(room);
    if (this.#count > 0 && room.bytes > MAX_BYTES - TAIL_BYTES) {
      room.cut(before);
      return false;
    }
    this.#made.push(digest);
    this.#count += 1;
    this.#work += room.bytes - before + read;
    return true;
  }

  /** A break, when it is time for one. */
  pause(): Promise<void> | undefined {
    if (this.#work < PART) return undefined;
    this.#work = 0;
    return yieldToEventLoop();
  }

  /** The members behind the list, without the brace that opens them. */
  end(members: string): Pick<RenderedBody, 'body' | 'etag' | 'giveBack'> {
    this.#room.write(`],${members}`);
    this.#made.push(members);
    const etag = entityTag(this.#made.join('\n'));
    this.#made = []; // thousands of pieces: the collector would copy them for as long as anything holds this list
    return { ...this.#room.end(), etag };
  }
}
