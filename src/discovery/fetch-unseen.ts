import type { FileKind } from '../domain/declaration.ts';
import type { Fetcher, Visit } from '../ports/fetcher.ts';
import { CHECK_BOUNDS } from './check/check-text.ts';
import { fetchAdagents, fetchBrand } from './fetch-files.ts';
import type { FileFetch } from './file-task.ts';
import type { FileBounds } from './read-document.ts';
import { createSharedFiles, type SharedFiles } from './shared-files.ts';

export interface DomainCheck {
  readonly domain: string;
  readonly fetcher: Fetcher;
  readonly now: number;
  readonly deadlineMs: number;
  /** How much a file that is read from this host may bring in; by default what a crawl takes of a stranger's file. */
  readonly bounds?: (host: string) => FileBounds;
  /** By default adagents.json, or brand.json where only that is published. */
  readonly kind?: FileKind;
  /** Files that speak for many domains, where more than one check asks for them. */
  readonly shared?: SharedFiles;
  /** Ends the visits early. */
  readonly signal?: AbortSignal;
}

/** Fetches a domain's file as a first crawl would. */
export function fetchUnseen(
  {
    domain,
    now,
    bounds = () => CHECK_BOUNDS,
    shared = createSharedFiles(() => now),
  }: Pick<DomainCheck, 'domain' | 'now' | 'bounds' | 'shared'>,
  visit: Visit,
  kind: FileKind,
): Promise<FileFetch> {
  const source = {
    kind,
    key: domain,
    foundVia: 'validate',
    firstSeenAt: now,
    nextVisitAt: now,
    failures: 0,
    validators: [],
    absentVisits: 0,
  };
  const task = { domain, kind, source, visit, shared, now, bounds };
  return kind === 'adagents' ? fetchAdagents(task) : fetchBrand(task);
}
