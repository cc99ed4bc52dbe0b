import { setImmediate as othersTurn } from 'node:timers/promises';
import type { DeclaredFacts } from '../domain/declared-facts.ts';
import type { Records } from '../ports/records.ts';
import type { StoredDeclaration } from '../ports/visit-commits.ts';
import { type OnPutOff, withoutBad } from './one-by-one.ts';
import type { GoOn } from './work-alone.ts';

const BATCH = 100;
/** How long one that cannot be derived is left alone; a visit that finds another version of it comes sooner. */
const PUT_OFF_MS = 24 * 3_600_000;

/**
 * Derives the facts of stored declarations anew where a date in them has come (`effective_from`, `effective_until`):
 * a visit with no request to anybody. One that fails is told and put off, and keeps the others from nothing.
 */
export async function deriveDue(
  records: Records,
  derive: (declaration: StoredDeclaration, now: number) => DeclaredFacts,
  now: () => number,
  goOn: GoOn = () => true,
  onPutOff: OnPutOff = () => {},
): Promise<void> {
  const deriveAll = async (declarations: readonly StoredDeclaration[]) => {
    for (const declaration of declarations)
      await records.sources.commitRederivation(declaration, derive(declaration, now()), now());
    return declarations.length;
  };
  const putOff = async (declaration: StoredDeclaration, error: unknown) => {
    const until = now() + PUT_OFF_MS;
    await records.sources.putOffRederivation(declaration, until);
    onPutOff({ kind: 'declaration', key: declaration.key, until, error });
  };
  while (goOn()) {
    const due = await records.sources.dueRederivations(now(), BATCH);
    if (due.length === 0) return;
    for (const declaration of due) await withoutBad([declaration], deriveAll, putOff);
    await othersTurn(); // requests and signals are not to wait for a long backlog
  }
}
