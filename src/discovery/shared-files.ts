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
/** What is kept in memory at most; the oldest goes first, and those that only one domain asked for before the others. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Of that, files that only one domain asked for: a larger one is kept when it is asked for again. */
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
  readonly until: number;
  readonly bytes: number;
}

/** One for a process (or a run): requests for the same URL at the same time become one. */
export function createSharedFiles(
  now: () => number,
  large: Pick<LargeFiles, 'read'> = new LargeFiles(),
  freshMs = FRESH_MS,
): SharedFiles {
  const pending = new Map<string, Asked>();
  const kept = new Map<string, Kept>();
  const readings = new WeakMap<Uint8Array, Read<Declaration> | Promise<Read<Declaration>>>();
  /** Asked for by one domain, and not kept. */
  const forgotten = new Set<string>();
  let [bytesKept, bytesAlone] = [0, 0];

  function drop(url: string): void {
    const { bytes = 0, isShared } = kept.get(url) ?? {};
    bytesKept -= bytes;
    if (isShared === false) bytesAlone -= bytes;
    kept.delete(url);
  }

  function forget(url: string): void {
    drop(url);
    const [oldest] = forgotten;
    if (forgotten.size >= MAX_FILES && oldest !== undefined) forgotten.delete(oldest);
    forgotten.add(url);
  }

  function share(file: Asked | Kept): void {
    if ('bytes' in file && !file.isShared) bytesAlone -= file.bytes;
    file.isShared = true;
  }

  function keep(url: string, file: Kept): void {
    if (forgotten.delete(url) || kept.get(url)?.isShared) file.isShared = true;
    drop(url);
    kept.set(url, file);
    bytesKept += file.bytes;
    if (!file.isShared) bytesAlone += file.bytes;
    const isTooMuch = (): boolean => bytesKept > MAX_BYTES || kept.size > MAX_FILES;
    for (const [oldest, one] of kept) {
      if (bytesAlone <= MAX_BYTES_ALONE && !isTooMuch()) return;
      if (!one.isShared) forget(oldest);
    }
    for (const [oldest, one] of kept) {
      if (!isTooMuch()) return;
      if (one !== file) drop(oldest);
    }
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
    const until = now() + (isUsable(settled) ? freshMs : Math.min(FAILED_MS, freshMs));
    keep(url, { ...asked, until, bytes: settled.ok ? settled.body.length : 0 });
    return settled;
  }

  function find(url: string): Asked | undefined {
    const asked = pending.get(url);
    if (asked !== undefined) {
      share(asked);
      return asked;
    }
    const file = kept.get(url);
    const leftMs = (file?.until ?? 0) - now();
    if (file === undefined || leftMs <= 0 || leftMs > FRESH_MS) return undefined; // more is of a clock that has been put back
    share(file);
    return file;
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
