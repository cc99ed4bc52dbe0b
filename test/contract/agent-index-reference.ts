import { expect } from 'vitest';
import type { AgentDocument, SavedDocument } from '../../src/domain/agent-document.ts';
import type { AgentFilter, AgentPage, AgentQuery } from '../../src/domain/agent-query.ts';
import { matches } from '../../src/index/query/filters.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import { documentOf } from './agent-index-samples.ts';

export interface OpenedIndex {
  readonly index: AgentIndex;
  readonly close: () => Promise<void>;
}

/** Writes into the live generation, as the feed of the change log does, and makes it found. */
export function livePut(index: AgentIndex): (...documents: readonly SavedDocument[]) => Promise<void> {
  return async (...documents) => {
    const id = await liveId(index);
    await index.generations.write(id, documents);
    await index.settle(id);
  };
}

export async function liveId(index: AgentIndex): Promise<number> {
  const live = (await index.generations.list()).find(({ state }) => state === 'live');
  if (live === undefined) throw new Error('no generation is live');
  return live.id;
}

export function saved(version: number, parts: Parameters<typeof documentOf>[0]): SavedDocument {
  return { agent: parts.url, version, document: documentOf(parts) };
}

export async function agrees(
  index: AgentIndex,
  all: readonly SavedDocument[],
  filter: AgentFilter,
  limit: number,
): Promise<void> {
  const expected = reference(all, filter);
  expect(await pages((query) => index.search(query), filter, limit)).toEqual(expected);
  expect(await index.count(filter)).toBe(expected.length);
}

/** The newest version of each agent, whatever order they were written in. */
export function newest(batches: readonly (readonly SavedDocument[])[]): readonly SavedDocument[] {
  const byUrl = new Map<string, SavedDocument>();
  for (const one of batches.flat()) {
    if ((byUrl.get(one.agent)?.version ?? 0) < one.version) byUrl.set(one.agent, one);
  }
  return [...byUrl.values()];
}

export function reference(all: readonly SavedDocument[], filter: AgentFilter): readonly string[] {
  const documents = all.flatMap(({ document }): AgentDocument[] =>
    document === undefined ? [] : [document],
  );
  return documents
    .filter((document) => matches(filter, document))
    .map(({ url }) => url)
    .toSorted();
}

export async function pages(
  search: (query: AgentQuery) => Promise<AgentPage>,
  filter: AgentFilter,
  limit: number,
): Promise<string[]> {
  const urls: string[] = [];
  for (;;) {
    const after = urls.at(-1);
    const page = await search({ filter, limit, ...(after !== undefined && { after }) });
    expect(page.hits.length).toBeLessThanOrEqual(limit);
    urls.push(...urlsOf(page));
    if (!page.more) return urls;
    expect(page.hits).toHaveLength(limit);
  }
}

export function urlsOf({ hits }: AgentPage): string[] {
  return hits.map(({ url }) => url);
}
