import { hash } from 'node:crypto';
import type { SavedDocument } from '../../ports/agent-store.ts';
import { recordGroups } from '../query/record-groups.ts';
import { agentFields } from './query.ts';
import { searchFields } from './search-fields.ts';

/** One write of a bulk request, ready to be sent again and again. */
export interface BulkItem {
  /** What people know it by. */
  readonly name: string;
  /** Two lines, each with its end. */
  readonly lines: string;
}

/** Bytes of one request; larger ones cost the engine memory and are not faster. */
const MAX_BYTES = 5_000_000;
const MAX_ITEMS = 5_000;
/** OpenSearch refuses a longer `_id`, bytes. */
const MAX_ID = 512;

/**
 * A document as the engine stores it; its groups stay the text that they are printed as, so that a search passes them
 * on without reading them. A drop is a document too, with nothing in it: its version stays, and an older write loses
 * against it however late it comes.
 */
export function documentItem({ agent, version: seq, document }: SavedDocument): BulkItem {
  if (document === undefined) return bulkItem(agent, idOf(agent), { url: agent, seq, listed: false }, seq);
  const groups = recordGroups(document);
  const fields = {
    ...agentFields(document),
    ...searchFields(document),
    ...groups,
    // processes of layouts before 10 make their entity tags of it
    digest: hash('sha256', JSON.stringify(groups), 'base64url').slice(0, 22),
  };
  return bulkItem(agent, idOf(agent), { url: agent, seq, listed: true, ...fields }, seq);
}

/** Something that a generation remembers of itself, as a document that no search finds. */
export function factItem(name: string, fact: object, version?: number): BulkItem {
  return bulkItem(name, factId(name), { fact }, version);
}

/** No agent has such an id: theirs begin with a scheme or with `sha256:`. */
export function factId(name: string): string {
  return `fact:${name}`;
}

/** Parts of a list that each make one request. */
export function* chunked(documents: readonly SavedDocument[]): Generator<readonly BulkItem[]> {
  let chunk: BulkItem[] = [];
  let bytes = 0;
  for (const document of documents) {
    const item = documentItem(document);
    const size = Buffer.byteLength(item.lines);
    if (chunk.length === MAX_ITEMS || (chunk.length > 0 && bytes + size > MAX_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(item);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

function bulkItem(name: string, id: string, body: object, version: number | undefined): BulkItem {
  const action = { _id: id, ...(version !== undefined && { version, version_type: 'external' }) };
  return { name, lines: `${JSON.stringify({ index: action })}\n${JSON.stringify(body)}\n` };
}

function idOf(agent: string): string {
  if (Buffer.byteLength(agent) <= MAX_ID) return agent;
  return `sha256:${hash('sha256', agent)}`;
}
