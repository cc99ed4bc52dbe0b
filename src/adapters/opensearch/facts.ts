import { type BulkItem, factId, factItem } from './bulk-lines.ts';
import type { Entry } from './catalogue.ts';
import type { Engine, Patience } from './client.ts';
import { EngineFault } from './errors.ts';

/**
 * What a generation remembers of itself: documents in its own index, so that they are lost with it and never outlive
 * it. Read by id, which sees a write at once, refreshed or not.
 */
export interface Facts {
  readonly appliedSeq: number;
  readonly appliedMark?: string;
  readonly copiedUpTo?: string;
  readonly isComplete: boolean;
}

const APPLIED = 'applied';
const COPIED = 'copied';
const COMPLETE = 'complete';
const UNAVAILABLE = 503;

/** The number is the version of the document, so the engine itself sees to it that it never goes back. */
export function appliedFact(seq: number, mark?: string): BulkItem {
  return factItem(APPLIED, { seq, ...(mark !== undefined && { mark }) }, seq);
}

export function copiedFact(upTo: string): BulkItem {
  return factItem(COPIED, { up_to: upTo });
}

export function completeFact(): BulkItem {
  return factItem(COMPLETE, {});
}

interface StoredFact {
  readonly seq?: number;
  readonly mark?: string;
  readonly up_to?: string;
}

interface FoundDocument {
  readonly found?: boolean;
  readonly _source?: { readonly fact: StoredFact };
  readonly error?: { readonly type: string; readonly reason: string };
}

/** The facts of a generation; undefined when its index is gone meanwhile. Rejects with an EngineFault. */
export async function readFacts(
  engine: Engine,
  { index }: Entry,
  patience: Patience,
): Promise<Facts | undefined> {
  const docs = [APPLIED, COPIED, COMPLETE].map((name) => ({ _index: index, _id: factId(name) }));
  let facts: Facts | undefined;
  await engine.send<{ readonly docs: readonly FoundDocument[] }>(
    { method: 'POST', path: '/_mget', body: { docs } },
    patience,
    (answer) => {
      facts = factsOf(answer.docs);
    },
  );
  return facts;
}

function factsOf(documents: readonly FoundDocument[]): Facts | undefined {
  const error = documents.find((document) => document.error !== undefined)?.error;
  if (error?.type === 'index_not_found_exception') return undefined;
  if (error !== undefined) throw new EngineFault(error.reason, UNAVAILABLE, error.type);
  if (documents.length < 3) throw new EngineFault('the answer is not whole');
  const [applied, copied, complete] = documents.map((document) => document._source?.fact);
  return {
    appliedSeq: applied?.seq ?? 0,
    ...(applied?.mark !== undefined && { appliedMark: applied.mark }),
    ...(copied?.up_to !== undefined && { copiedUpTo: copied.up_to }),
    isComplete: complete !== undefined,
  };
}
