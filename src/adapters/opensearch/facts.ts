import { type BulkItem, factId, factItem } from './bulk-lines.ts';
import { type Entry, LOOK } from './catalogue.ts';
import type { Engine } from './client.ts';
import { EngineFault } from './errors.ts';

/**
 * What a generation remembers of itself: documents in its own index, so that they are lost with it and never outlive
 * it. Read by id, which sees a write at once, refreshed or not.
 */
export interface Facts {
  readonly appliedSeq: number;
  readonly copiedUpTo?: string;
  readonly isComplete: boolean;
}

const APPLIED = 'applied';
const COPIED = 'copied';
const COMPLETE = 'complete';

/** The number is the version of the document, so the engine itself sees to it that it never goes back. */
export function appliedFact(seq: number): BulkItem {
  return factItem(APPLIED, { seq }, seq);
}

export function copiedFact(upTo: string): BulkItem {
  return factItem(COPIED, { up_to: upTo });
}

export function completeFact(): BulkItem {
  return factItem(COMPLETE, {});
}

interface FoundDocument {
  readonly found?: boolean;
  readonly _source?: { readonly fact: { readonly seq?: number; readonly up_to?: string } };
  readonly error?: { readonly type: string; readonly reason: string };
}

/** The facts of each entry in turn; undefined for one whose index is gone meanwhile. */
export async function readFacts(
  engine: Engine,
  entries: readonly Entry[],
): Promise<readonly (Facts | undefined)[]> {
  if (entries.length === 0) return [];
  const docs = entries.flatMap(({ index }) =>
    [APPLIED, COPIED, COMPLETE].map((name) => ({ _index: index, _id: factId(name) })),
  );
  const answer = await engine.send<{ readonly docs: readonly FoundDocument[] }>(
    { method: 'POST', path: '/_mget', body: { docs } },
    LOOK,
  );
  return entries.map((_, at) => factsOf(answer.docs.slice(at * 3, at * 3 + 3)));
}

function factsOf(documents: readonly FoundDocument[]): Facts | undefined {
  const error = documents.find((document) => document.error !== undefined)?.error;
  if (error?.type === 'index_not_found_exception') return undefined;
  if (error !== undefined || documents.length < 3)
    throw new EngineFault(error?.reason ?? 'the answer is not whole');
  const [applied, copied, complete] = documents.map((document) => document._source?.fact);
  return {
    appliedSeq: applied?.seq ?? 0,
    ...(copied?.up_to !== undefined && { copiedUpTo: copied.up_to }),
    isComplete: complete !== undefined,
  };
}
