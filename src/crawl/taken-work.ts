import { registrableDomain } from '../domain/domain-name.ts';
import { namerOf } from '../domain/source.ts';
import type { BusyDomains } from '../records/row-selection.ts';

/** Something to do with a site, under a lease: visit a domain, probe an agent, test one. */
export interface SiteWork {
  /** A domain, or an agent's canonical URL. */
  readonly key: string;
  /** What first named it: a declaring file, `news.example adagents`, or one word such as `operator`. */
  readonly foundVia?: string;
  /** Identifies the work in the logs of every process that has to do with it. */
  readonly trace?: string;
}

/** The registrable domain that the work goes to. */
export function domainOfWork({ key }: Pick<SiteWork, 'key'>): string {
  return registrableDomain(key.includes('://') ? new URL(key).hostname : key);
}

export interface TakenWorkOptions<W extends SiteWork> {
  /** Leases work from the records, none of it of a busy domain; an empty answer means that there is none now. */
  readonly take: (limit: number, busy: BusyDomains) => Promise<readonly W[]>;
  /** Releases work that was leased and not begun. */
  readonly release: (works: readonly W[]) => Promise<void>;
  /** Work that may be under way at once; whoever asks for the next keeps to it. */
  readonly concurrency: number;
  /** Leased at once, at most. Default: five for each slot, and 500. */
  readonly batch?: number;
}

const MAX_BATCH = 500;
/** Maximum share of the slots for work found through the files of one domain, so that its silent domains cannot block others. */
const SHARE_OF_A_FILE = 1 / 2;

/** How long the records are left alone when they have nothing but what has to wait here as well, milliseconds. */
const REST_MS = 250;

/** A piece of work with what decides whether it may begin. */
interface Entry<W> {
  readonly work: W;
  readonly domain: string;
  /** The site whose file led to it; empty for a single word such as `operator`, which is not limited. */
  readonly namer: string;
}

/**
 * Work that was leased from the records and is not done yet. One piece of a registrable domain is handed out at a time: the
 * others wait here and not in a slot, so that a domain with many hosts holds up nobody else.
 */
export class TakenWork<W extends SiteWork> {
  readonly #options: TakenWorkOptions<W>;
  readonly #batch: number;
  readonly #share: number;
  /** Leased and not handed out, in order. */
  #waiting: Entry<W>[] = [];
  /** Handed out. */
  readonly #underWay = new Map<W, Entry<W>>();
  readonly #busyDomains = new Set<string>();
  readonly #underWayOf = new Map<string, number>();
  #taking: Promise<void> | undefined;
  #restUntil = 0;
  #isClosed = false;

  constructor(options: TakenWorkOptions<W>) {
    this.#options = options;
    this.#batch = options.batch ?? Math.min(MAX_BATCH, options.concurrency * 5);
    this.#share = Math.ceil(options.concurrency * SHARE_OF_A_FILE);
  }

  get isIdle(): boolean {
    return this.#underWay.size === 0;
  }

  /** Whether `next` has something to hand out; asks the records for more when there is nothing. */
  async hasNext(): Promise<boolean> {
    if (this.#isClosed) return false;
    if (this.#find() >= 0) return true;
    this.#taking ??= this.#takeMore().finally(() => {
      this.#taking = undefined;
    });
    await this.#taking;
    return !this.#isClosed && this.#find() >= 0;
  }

  /** Hands out the next piece of work; undefined when there is none that may begin now. */
  next(): W | undefined {
    const at = this.#isClosed ? -1 : this.#find();
    const [entry] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (entry === undefined) return undefined;
    const { work, domain, namer } = entry;
    this.#underWay.set(work, entry);
    this.#busyDomains.add(domain);
    this.#underWayOf.set(namer, this.#countOf(namer) + 1);
    return work;
  }

  /** Frees the domain of the work. Idempotent. */
  end(work: W): void {
    this.#takeBack(work);
  }

  /** Work that was handed out and not begun comes next. */
  putBack(work: W): void {
    const entry = this.#takeBack(work);
    if (entry !== undefined) this.#waiting.unshift(entry);
  }

  #takeBack(work: W): Entry<W> | undefined {
    const entry = this.#underWay.get(work);
    if (entry === undefined) return undefined;
    const left = this.#countOf(entry.namer) - 1;
    this.#underWay.delete(work);
    this.#busyDomains.delete(entry.domain);
    if (left > 0) this.#underWayOf.set(entry.namer, left);
    else this.#underWayOf.delete(entry.namer);
    return entry;
  }

  #countOf(namer: string): number {
    return this.#underWayOf.get(namer) ?? 0;
  }

  /** Hands out nothing any more, and releases what was not begun. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#taking?.catch(() => {}); // the caller of hasNext receives the error
    const left = this.#waiting.map(({ work }) => work);
    this.#waiting = [];
    if (left.length > 0) await this.#options.release(left);
  }

  /** The place of the first piece of work that may begin; -1 where none may. */
  #find(): number {
    return this.#waiting.findIndex(
      ({ domain, namer }) =>
        !this.#busyDomains.has(domain) && (namer === '' || this.#countOf(namer) < this.#share),
    );
  }

  async #takeMore(): Promise<void> {
    const inHand = [...this.#waiting, ...this.#underWay.values()];
    if (inHand.length > 2 * this.#batch) return; // what waits has its domain under way, or its share
    if (this.#waiting.length > 0 && performance.now() < this.#restUntil) return;
    const domains = new Set(inHand.map(({ domain }) => domain));
    const crowding = this.#crowding(inHand);
    const crowded = inHand.filter(({ namer }) => crowding.has(namer));
    const files = new Set(crowded.map(({ work }) => work.foundVia ?? ''));
    const works = await this.#options.take(this.#batch, { has: (domain) => domains.has(domain), files });
    this.#waiting.push(...works.map(entryOf));
    if (works.length === 0) this.#restUntil = performance.now() + REST_MS;
    // a file that has its share now may not have been in hand before
    if (works.length > 0 && !this.#isClosed && this.#find() < 0) await this.#takeMore();
  }

  /** Namers that have reached their share of these entries. */
  #crowding(entries: readonly Entry<W>[]): ReadonlySet<string> {
    const counts = new Map<string, number>();
    for (const { namer } of entries) if (namer !== '') counts.set(namer, (counts.get(namer) ?? 0) + 1);
    return new Set([...counts].filter(([, count]) => count >= this.#share).map(([namer]) => namer));
  }
}

function entryOf<W extends SiteWork>(work: W): Entry<W> {
  const { foundVia = '' } = work;
  return { work, domain: domainOfWork(work), namer: foundVia.includes(' ') ? namerOf(foundVia) : '' };
}
