import type { Client } from '@opensearch-project/opensearch';
import PQueue from 'p-queue';
import type { SavedDocument } from '../../domain/agent-document.ts';
import type { Engine, RequestOptions } from './client.ts';
import { storedDocument, termWithin } from './document.ts';
import { documentsRefused, EngineError, type RefusedDocument } from './errors.ts';

export interface WriterOptions {
  /** Maximum number of bulk requests at the same time. */
  readonly concurrency: number;
  /** Deadline of a bulk request including its retries, milliseconds. */
  readonly deadlineMs: number;
  /** Called with the number of documents each time that documents are sent again. */
  readonly onRetried?: (documents: number) => void;
}

/**
 * Writes documents through an alias that must exist. Resolves when all are durable. Rejects with `index_refused` if OpenSearch
 * rejects some permanently, after all others were written, and otherwise with an EngineError.
 */
export type WriteDocuments = (alias: string, documents: readonly SavedDocument[]) => Promise<void>;

const FLUSH_BYTES = 5_000_000;
/** How often documents that OpenSearch is too busy for are sent again, and the pause before it, milliseconds. */
const BUSY_RETRIES = 3;
const BUSY_PAUSE_MS = 100;

/** `checkBlocks` rejects if the live index is read-only. */
export function createWriter(
  engine: Engine,
  checkBlocks: () => Promise<void>,
  { concurrency, deadlineMs, onRetried }: WriterOptions,
): WriteDocuments {
  const queue = new PQueue({ concurrency });
  const write: WriteDocuments = async (alias, documents) => {
    const refused: RefusedDocument[] = [];
    let pending = documents;
    let attempts = 0;
    await engine.write((client, request) => {
      attempts += 1;
      if (attempts > 1) onRetried?.(pending.length);
      const bulk = sendBulk(client, request, alias, pending);
      const judge = async () => {
        const { dropped, retried } = await bulk.sent;
        if (retried > 0) onRetried?.(retried);
        const { permanent, again, reason } = sortDropped(engine.place, dropped);
        refused.push(...permanent);
        if (again.size === 0) return;
        pending = pending.filter(({ agent }) => again.has(agent));
        await checkBlocks(); // OpenSearch also answers 429 if a disk is full
        throw new EngineError(engine.place, reason, 503);
      };
      return Object.assign(judge(), { abort: bulk.abort });
    }, deadlineMs);
    if (refused.length > 0) throw documentsRefused(engine.place, refused);
  };
  return (alias, documents) => queue.add(() => write(alias, documents));
}

/** Sends documents, and repeats those that OpenSearch was too busy for. */
function sendBulk(
  client: Client,
  request: RequestOptions,
  alias: string,
  documents: readonly SavedDocument[],
) {
  const dropped: Dropped[] = [];
  const bulk = client.helpers.bulk<SavedDocument>(
    {
      index: alias,
      require_alias: true, // or a write that comes after a wipe would create an index
      datasource: [...documents],
      onDocument: (saved) => [bulkAction(saved), storedDocument(saved)] as never,
      onDrop: (drop) => dropped.push(drop as unknown as Dropped),
      flushBytes: FLUSH_BYTES,
      concurrency: 1,
      retries: BUSY_RETRIES,
      wait: BUSY_PAUSE_MS,
    },
    request,
  );
  // the helper counts two lines for each document that it sends again
  const sent = bulk.then(({ retry }) => ({ dropped, retried: retry / 2 }));
  return { sent, abort: () => bulk.abort() };
}

/** OpenSearch rejects a longer `_id`, bytes. */
const MAX_ID_BYTES = 512;

/** An older version never wins, so that a document can be sent again at any time. */
function bulkAction({ agent, version }: SavedDocument) {
  return { index: { _id: termWithin(agent, MAX_ID_BYTES), version, version_type: 'external' } };
}

interface Dropped {
  readonly status: number;
  /** Null for a document that OpenSearch was too busy for. */
  readonly error: { readonly type: string; readonly reason: string } | null;
  readonly document: { readonly url: string };
}

/** Throws an EngineError if the index is to blame and not a document: it is missing or closed to writes. */
function sortDropped(place: string, dropped: readonly Dropped[]) {
  const permanent: RefusedDocument[] = [];
  const again = new Set<string>();
  let reason = 'too many requests';
  for (const { status, error, document } of dropped) {
    if (status === 409) continue; // a newer version was written before
    if (error !== null) reason = `${error.type}: ${error.reason}`;
    if (error === null || status >= 500) {
      again.add(document.url);
      continue;
    }
    const failure = new EngineError(place, reason, status, error.type);
    if (failure.isMissing || failure.code !== 'index_unavailable') throw failure;
    permanent.push({ agent: document.url, reason });
  }
  return { permanent, again, reason };
}
