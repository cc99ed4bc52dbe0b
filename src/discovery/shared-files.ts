import { LRUCache } from 'lru-cache';
import { elapsedBy } from '../base/elapsed.ts';
import type { Capture, Validator } from '../domain/capture.ts';
import type { Declaration } from '../domain/declaration.ts';
import type { DeclarationKind } from '../domain/declared-facts.ts';
import { type FileReading, LargeFiles } from './large-files.ts';
import { readAdagents } from './read-adagents.ts';
import { readArd } from './read-ard.ts';
import { readBrand } from './read-brand.ts';
import type { Read, ReadOptions } from './read-document.ts';

/** How long a shared file is taken as read; the least that Cache-Control can ask for, so nobody is served stale. */
const FRESH_MS = 3_600_000;
/** How long a shared file that could not be fetched is not asked for again. */
const FAILED_MS = 600_000;
/** What a server may take before its slowness is its own, and not that of the visit in which it was asked. */
const FAIR_MS = 5_000;
/** Bodies kept in memory of files that several domains asked for. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The same of files that one domain asked for; a larger one is kept when it is asked for again. */
const MAX_BYTES_ALONE = 4 * 1024 * 1024;
const MAX_FILES = 5_000;
/** What is read on the loop: a few milliseconds at the worst, which is less than the way to another thread. */
const READ_AT_ONCE = 256 * 1024;

/** Fetches one URL; with a validator the request is conditional. */
export type FetchOnce = (validator: Validator | undefined) => Promise<Capture>;

/**
 * Files that speak for many domains: a manager's adagents.json, the target of a reference, the brand.json of a
 * house. Six thousand publishers of one manager cost its server one request an hour, and us one parse.
 */
export interface SharedFiles {
  get(url: string, validator: Validator | undefined, fetchOnce: FetchOnce): Promise<Capture>;
  /** What a file says, read once for as long as its body is kept; a large one is read beside the loop. */
  read(reading: FileReading): Read<Declaration> | Promise<Read<Declaration>>;
}

interface Asked {
  readonly capture: Promise<Capture>;
  /** What a 304 stands for: the body that the request's validator named. */
  readonly validated: string | undefined;
  /** More than one came for it. */
  isShared: boolean;
}

interface Kept extends Asked {
  readonly bytes: number;
}

/** One for a process (or a run): requests for the same URL at the same time become one. */
export function createSharedFiles(
  now: () => number,
  large: Pick<LargeFiles, 'read'> = new LargeFiles(),
  freshMs = FRESH_MS,
): SharedFiles {
  const pending = new Map<string, Asked>();
  const readings = new WeakMap<Uint8Array, Read<Declaration> | Promise<Read<Declaration>>>();
  const limits = {
    max: MAX_FILES,
    sizeCalculation: ({ bytes }: Kept) => bytes + 1,
    perf: elapsedBy({ now }),
    ttlResolution: 0,
  };
  /** Files to be kept as shared ones the next time. */
  const askedBefore = new LRUCache<string, true>({ max: MAX_FILES });
  const shared = new LRUCache<string, Kept>({
    ...limits,
    maxSize: MAX_BYTES,
    dispose: (_file, url, reason) => reason === 'expire' && askedBefore.set(url, true),
  });
  const alone = new LRUCache<string, Kept>({
    ...limits,
    maxSize: MAX_BYTES_ALONE,
    dispose: (_file, url, reason) => reason === 'evict' && askedBefore.set(url, true),
  });

  function keep(url: string, file: Kept, ttl: number): void {
    if (file.isShared || askedBefore.delete(url)) {
      shared.set(url, file, { ttl });
      return;
    }
    alone.set(url, file, { ttl });
    if (!alone.has(url)) askedBefore.set(url, true); // it is too large
  }

  /** A kept file; from the second time on it is a shared one. */
  function keptFile(url: string): Kept | undefined {
    const file = alone.get(url);
    if (file === undefined) return shared.get(url);
    shared.set(url, file, { ttl: Math.max(1, alone.getRemainingTTL(url)) });
    alone.delete(url);
    return file;
  }

  async function fetchAndKeep(
    url: string,
    validator: Validator | undefined,
    fetchOnce: FetchOnce,
  ): Promise<Capture> {
    const asked: Asked = {
      capture: fetchOnce(validator),
      validated: validator?.bodyHash,
      isShared: false,
    };
    pending.set(url, asked);
    const settled = await asked.capture.finally(() => pending.get(url) === asked && pending.delete(url));
    if (isOfVisit(settled)) return settled;
    const bytes = settled.ok ? settled.body.length : 0;
    keep(url, { ...asked, bytes }, isUsable(settled) ? freshMs : Math.min(FAILED_MS, freshMs));
    return settled;
  }

  function find(url: string): Asked | undefined {
    const asked = pending.get(url);
    if (asked === undefined) return keptFile(url);
    asked.isShared = true;
    return asked;
  }

  return {
    async get(url, validator, fetchOnce) {
      const known = find(url);
      if (known === undefined) return fetchAndKeep(url, validator, fetchOnce);
      const capture = await known.capture;
      if (isOfVisit(capture)) return this.get(url, validator, fetchOnce);
      const speaksForUs = !isNotModified(capture) || known.validated === validator?.bodyHash;
      return speaksForUs ? capture : fetchAndKeep(url, undefined, fetchOnce);
    },
    read(reading) {
      const { kind, body, bounds } = reading;
      const known = readings.get(body);
      if (known !== undefined) return known;
      const read = body.length > READ_AT_ONCE ? large.read(reading) : readBytes(kind, body, bounds);
      readings.set(body, read);
      return read;
    },
  };
}

const READERS = { adagents: readAdagents, brand: readBrand, ard: readArd } as const satisfies Record<
  DeclarationKind,
  unknown
>;

/** What a file of this kind says. */
export function readBytes(kind: DeclarationKind, body: Uint8Array, options: ReadOptions): Read<Declaration> {
  return READERS[kind](body, options);
}

function isUsable(capture: Capture): boolean {
  return capture.ok && (capture.status === 200 || capture.status === 304);
}

/** A visit that was stopped, or had no time left, says nothing about the file: the next one asks for itself. */
function isOfVisit(capture: Capture): boolean {
  if (capture.ok) return false;
  const { code } = capture.failure;
  return code === 'interrupted' || (code === 'timeout' && capture.durationMs < FAIR_MS);
}

function isNotModified(capture: Capture): boolean {
  return capture.ok && capture.status === 304;
}
