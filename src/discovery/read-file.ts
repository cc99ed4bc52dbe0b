import type { Declaration } from '../domain/declaration.ts';
import type { Finding } from '../domain/finding.ts';
import type { FileFetch, FileBounds } from './fetched-file.ts';
import { readAdagents } from './read-adagents.ts';
import { readBrand } from './read-brand.ts';
import { restrictTo } from './restrict.ts';

/** A fetched file and what it says; no declaration when it said nothing that can be used, or nothing new. */
export interface ReadFile {
  readonly fetched: FileFetch;
  readonly declaration?: Declaration;
  readonly findings: readonly Finding[];
  /** How much the file could bring in. */
  readonly bounds?: FileBounds;
}

/**
 * Reads the content of a fetched file. A file that speaks for many domains is read once and then cut down to what
 * concerns this one, so that six thousand publishers do not store six thousand copies of their manager's file.
 */
export function readFile(fetched: FileFetch): ReadFile {
  const { end, task } = fetched;
  if (end.type !== 'content') return { fetched, findings: [] };
  const bounds = task.bounds(new URL(end.url).hostname);
  const reading: { readonly declaration?: Declaration; readonly findings: readonly Finding[] } =
    task.shared.read(end.body, () =>
      task.kind === 'adagents' ? readAdagents(end.body, bounds) : readBrand(end.body, bounds),
    );
  const { declaration, findings } = reading;
  if (declaration === undefined) return { fetched, findings };
  const own =
    declaration.kind === 'adagents' && end.via !== 'own'
      ? restrictTo(declaration, { domain: task.domain, via: end.via })
      : declaration;
  return { fetched, declaration: own, findings, bounds };
}
