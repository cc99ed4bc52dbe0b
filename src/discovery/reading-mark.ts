import type { FileBounds } from './fetched-file.ts';

/** Raised whenever the readers, or what is derived from a declaration, make something else of the same bytes. */
const READER_VERSION = 1;

/**
 * How a file was read. It ends a declaration's content hash: under another reader or other bounds the same bytes may say
 * something else, so they are asked for in full and read anew.
 */
export function readingMark({ maxAgents, maxDomains }: FileBounds): string {
  return `@${READER_VERSION},${maxAgents},${maxDomains}`;
}
