import type { Capture, Validator } from '../domain/capture.ts';

/** How long a shared file is taken as read; the least that Cache-Control can ask for, so nobody is served stale. */
const FRESH_MS = 3_600_000;
/** How long a shared file that could not be fetched is not asked for again. */
const FAILED_MS = 600_000;
/** What a server may take before its slowness is its own, and not that of the visit in which it was asked. */
const FAIR_MS = 5_000;
/** What is kept in memory at most; the oldest goes first. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_FILES = 5_000;

/** Fetches one URL; with a validator the request is conditional. */
export type FetchOnce = (validator: Validator | undefined) => Promise<Capture>;

/**
 * Files that speak for many domains: a manager's adagents.json, the target of a reference, the brand.json of a
 * house. Six thousand publishers of one manager cost its server one request an hour, and us one parse.
 */
export interface SharedFiles {
  get(url: string, validator: Validator | undefined, fetchOnce: FetchOnce): Promise<Capture>;
  /** What `read` makes of a body, made once for as long as the body is kept. */
  read<T extends object>(body: Uint8Array, read: () => T): T;
}

interface Asked {
  readonly capture: Promise<Capture>;
  /** What a 304 stands for: the body that the request's validator named. */
  readonly validated: string | undefined;
}

interface Kept extends Asked {
  readonly until: number;
  readonly bytes: number;
}

/** One for a process (or a run): requests for the same URL at the same time become one. */
export function createSharedFiles(now: () => number): SharedFiles {
  const pending = new Map<string, Asked>();
  const kept = new Map<string, Kept>();
  const readings = new WeakMap<Uint8Array, object>();
  let bytesKept = 0;

  function drop(url: string): void {
    bytesKept -= kept.get(url)?.bytes ?? 0;
    kept.delete(url);
  }

  function keep(url: string, file: Kept): void {
    drop(url);
    kept.set(url, file);
    bytesKept += file.bytes;
    for (const oldest of kept.keys()) {
      if (bytesKept <= MAX_BYTES && kept.size <= MAX_FILES) return;
      drop(oldest);
    }
  }

  async function fetchAndKeep(
    url: string,
    validator: Validator | undefined,
    fetchOnce: FetchOnce,
  ): Promise<Capture> {
    const asked = { capture: fetchOnce(validator), validated: validator?.bodyHash };
    pending.set(url, asked);
    const settled = await asked.capture.finally(() => pending.get(url) === asked && pending.delete(url));
    if (isOfVisit(settled)) return settled;
    const until = now() + (isUsable(settled) ? FRESH_MS : FAILED_MS);
    keep(url, { ...asked, until, bytes: settled.ok ? settled.body.length : 0 });
    return settled;
  }

  function find(url: string): Asked | undefined {
    const asked = pending.get(url);
    if (asked !== undefined) return asked;
    const file = kept.get(url);
    const leftMs = (file?.until ?? 0) - now();
    return leftMs > 0 && leftMs <= FRESH_MS ? file : undefined; // more is of a clock that has been put back
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
    read(body, read) {
      const known = readings.get(body);
      if (known !== undefined) return known as ReturnType<typeof read>;
      const reading = read();
      readings.set(body, reading);
      return reading;
    },
  };
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
