import type { DeclaredFacts } from '../domain/declared-facts.ts';
import type { StoredDeclaration } from '../domain/visit.ts';
import { deriveStored } from './derive-facts.ts';
import { READER_VERSION } from './schedule.ts';

/**
 * What follows from a stored declaration now, for a self-check; undefined where another reader read its file, which the
 * next visit reads anew.
 */
export function derivedAnew(stored: StoredDeclaration, now: number): DeclaredFacts | undefined {
  const reader = /@(\d+),[^@]*$/.exec(stored.contentHash)?.[1];
  return Number(reader) === READER_VERSION ? deriveStored(stored, now) : undefined;
}
