import { setImmediate as othersTurn } from 'node:timers/promises';
import type { DeclaredFacts } from '../domain/declared-facts.ts';
import type { Records } from '../ports/records.ts';
import type { StoredDeclaration } from '../ports/visit-commits.ts';
import type { GoOn } from './work-alone.ts';

const BATCH = 100;

/**
 * Derives the facts of stored declarations anew where a date in them has come (`effective_from`, `effective_until`):
 * a visit with no request to anybody.
 */
export async function deriveDue(
  records: Records,
  derive: (declaration: StoredDeclaration, now: number) => DeclaredFacts,
  now: () => number,
  goOn: GoOn = () => true,
): Promise<void> {
  while (goOn()) {
    const due = await records.sources.dueRederivations(now(), BATCH);
    if (due.length === 0) return;
    for (const declaration of due) {
      await records.sources.commitRederivation(declaration, derive(declaration, now()), now());
    }
    await othersTurn(); // requests and signals are not to wait for a long backlog
  }
}
