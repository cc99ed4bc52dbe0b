import {
  createOpenSearchIndex,
  type OpenSearchIndexOptions,
} from '../../../src/index/opensearch/opensearch-index.ts';
import { INDEX_LAYOUT } from '../../../src/index/query/index-fields.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import type { OpenedIndex } from '../../contract/agent-index-reference.ts';
import { freshIndexPrefix, openSearchUrl } from '../support/engines.ts';

/** What the tests open an index with, unless they say otherwise. */
export function optionsOf(prefix: string): OpenSearchIndexOptions {
  return {
    nodes: [new URL(openSearchUrl())],
    prefix,
    recordsId: 'records-of-the-test',
    recordsEmpty: async () => true,
    clock: { now: () => 1_000 },
    timeoutMs: 15_000, // the machine of the tests is busy; what is about time says its own
    retries: 2,
    shards: 1,
    replicas: 1,
    replicasWaitMs: 30_000,
    concurrency: 2,
    deadlineMs: 60_000,
  };
}

export interface OpenedOpenSearch extends OpenedIndex {
  readonly index: AgentIndex;
  readonly prefix: string;
}

/** An index under a prefix of its own, deleted when it is closed. */
export async function openFresh(overrides: Partial<OpenSearchIndexOptions> = {}): Promise<OpenedOpenSearch> {
  const prefix = overrides.prefix ?? `${freshIndexPrefix()}agents`;
  const index = await createOpenSearchIndex({ ...optionsOf(prefix), ...overrides });
  return {
    index,
    prefix,
    async close() {
      await index.close();
      await wipe(prefix);
    },
  };
}

/** What a disk that is gone does to an engine. */
export async function wipe(prefix: string): Promise<void> {
  await ask('DELETE', `/${prefix}-*`);
  await ask('DELETE', `/_index_template/${prefix}`).catch(() => {}); // it is missing after the first wipe
}

/** A request that goes past the adapter. */
export async function ask<T = unknown>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(openSearchUrl() + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

export interface IndexDescription {
  readonly aliases: object;
  readonly mappings: { readonly _meta: object };
  readonly settings: { readonly index: Readonly<Record<string, string>> };
}

/** What the engine says of the one index that a name leads to. */
export async function describeIndex(name: string): Promise<readonly [string, IndexDescription]> {
  const [found] = Object.entries(await ask<Record<string, IndexDescription>>('GET', `/${name}`));
  if (found === undefined) throw new Error(`${name} leads to nothing`);
  return found;
}

export function indexName(prefix: string, id: number): string {
  return `${prefix}-${String(id).padStart(6, '0')}`;
}

/** Makes a generation look as if a version with the layout before had created it. Returns the alias that its searches use. */
export async function makeOlder(name: string): Promise<string> {
  const [index, { mappings, aliases }] = await describeIndex(name);
  await ask('PUT', `/${index}/_mapping`, { _meta: { ...mappings._meta, layout: INDEX_LAYOUT - 1 } });
  const reads = Object.keys(aliases).find((alias) => alias.endsWith(`-layout-${INDEX_LAYOUT}`));
  if (reads === undefined) return '';
  const older = reads.replace(/\d+$/, String(INDEX_LAYOUT - 1));
  const actions = [{ remove: { index, alias: reads } }, { add: { index, alias: older } }];
  await ask('POST', '/_aliases', { actions });
  return older;
}
