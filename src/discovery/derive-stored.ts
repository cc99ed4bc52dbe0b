import type { DeclaredFacts } from '../domain/declared-facts.ts';
import type { StoredDeclaration } from '../ports/visit-commits.ts';
import { deriveFacts } from './derive-facts.ts';

/** The facts of a stored declaration at another moment than the one it was read at. */
export function deriveStored({ value, key, via, manager }: StoredDeclaration, now: number): DeclaredFacts {
  return deriveFacts({
    declaration: value,
    domain: key,
    via,
    now,
    ...(manager !== undefined && { managerDomain: manager }),
  });
}
