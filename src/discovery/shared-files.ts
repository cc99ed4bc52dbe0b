import type { Capture, Validator } from '../domain/capture.ts';

/** How long a shared file is taken as read; the least that Cache-Control can ask for, so nobody is served stale. */
const FRESH_MS = 3_600_000;
/** How long a shared file that could not be fetched is not asked for again. */
const FAILED_MS = 600_000;
/** What a server may take before its slowness is its own, and not that of the visit in which it was asked. */
const FAIR_MS = 5_000;
/** Bodies kept in memory at most. */
const MAX_BYTES = 64 * 1024 * 1024;

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

interface Entry {
  readonly capture: Promise<Capture>;
  /** What a 304 stands for: the body that the request's validator named. */
  readonly validated: string | undefined;
  readonly until: number;
  readonly bytes: number;
}

/** One for a process (or a run): requests for the same URL at the same time become one. */
export function createSharedFiles(now: () => number): SharedFiles {
  const entries = new Map<string, Entry>();
  const readings = new WeakMap<Uint8Array, object>();

  async function fetchAndKeep(
    url: string,
    validator: Validator | undefined,
    fetchOnce: FetchOnce,
  ): Promise<Capture> {
    const capture = fetchOnce(validator);
    const validated = validator?.bodyHash;
    entries.set(url, { capture, validated, until: now() + FRESH_MS, bytes: 0 });
    const settled = await capture;
    const bytes = settled.ok ? settled.body.length : 0;
    entries.delete(url);
    if (isOfVisit(settled)) return settled;
    entries.set(url, {
      capture,
      validated,
      until: now() + (isUsable(settled) ? FRESH_MS : FAILED_MS),
      bytes,
    });
    evict(entries);
    return settled;
  }

  return {
    async get(url, validator, fetchOnce) {
      const known = entries.get(url);
      if (known === undefined || known.until <= now()) return fetchAndKeep(url, validator, fetchOnce);
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

function evict(entries: Map<string, Entry>): void {
  let total = 0;
  for (const entry of entries.values()) total += entry.bytes;
  for (const [url, entry] of entries) {
    if (total <= MAX_BYTES) return;
    if (entry.bytes === 0) continue;
    entries.delete(url);
    total -= entry.bytes;
  }
}
