import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { INDEX_LAYOUT } from '../query/index-fields.ts';
import { FILTER_FIELDS } from './query.ts';
import { SEARCH_FIELDS, UNSHOWN_FIELDS } from './search-fields.ts';

/** The data in schemas/index/agents.json: what every generation is made of, beside the fields of the filters. */
interface IndexBody {
  readonly settings: { readonly index: Readonly<Record<string, unknown>> };
  readonly mappings: Readonly<Record<string, unknown>> & {
    readonly properties: Readonly<Record<string, object>>;
  };
}

const BODY: IndexBody = JSON.parse(
  readFileSync(new URL('../../../schemas/index/agents.json', import.meta.url), 'utf8'),
);

/** What a filter looks at is found by its terms alone, so that nothing else of it is kept. */
const TERMS = { type: 'keyword', doc_values: false };

/**
 * The oldest layout whose searches understand what this version writes, because later ones only added fields. A
 * generation is found under the names of all of them, so that a process of the version before goes on answering after a
 * switch. What this version searches has its own layout: one that was made before is not found instead of answering wrongly.
 */
const UNDERSTOOD_SINCE = 1;

export interface IndexNames {
  /** Points to what is live: the truth. It is the write alias of one index at most, which the engine itself ensures. */
  readonly live: string;
  /** Points to the live generation only if it is one of these records, in the layout of this version. */
  readonly reads: string;
  /** The names that searches of this and older versions go to. */
  readonly allReads: readonly string[];
  readonly previous: string;
  /** Every name of `reads`, of other records and versions too, begins with it. */
  readonly readsOfAny: string;
  index(id: number): string;
  /** The one way to write into a generation; the token makes it another one's when a number comes again after a wipe. */
  handle(id: number, token: string): string;
  promoted(id: number, at: number): string;
  /** Says that numbers up to `number` were given, so that one that was dropped is never given again. */
  given(id: number, number: number): string;
}

/** All names that are used in the engine. The prefix is the operator's, checked by the configuration. */
export function indexNames(prefix: string, recordsId: string): IndexNames {
  const index = (id: number) => `${prefix}-${String(id).padStart(6, '0')}`;
  const owner = hash('sha256', recordsId).slice(0, 16);
  const reads = (layout: number) => `${prefix}-of-${owner}-r${layout}`;
  const layouts = Array.from(
    { length: INDEX_LAYOUT - UNDERSTOOD_SINCE + 1 },
    (_, at) => UNDERSTOOD_SINCE + at,
  );
  return {
    live: prefix,
    reads: reads(INDEX_LAYOUT),
    allReads: layouts.map(reads),
    previous: `${prefix}-previous`,
    readsOfAny: `${prefix}-of-`,
    index,
    handle: (id, token) => `${index(id)}-w-${token}`,
    promoted: (id, at) => `${index(id)}-p-${at}`,
    given: (id, number) => `${index(id)}-n-${number}`,
  };
}

export interface ReadyOptions {
  readonly shards: number;
  readonly replicas: number;
  /** How long the copies on other nodes are waited for, milliseconds. */
  readonly replicasWaitMs: number;
}

export interface CreationOptions {
  readonly shards: number;
  readonly replicas: number;
  readonly recordsId: string;
  readonly createdAt: number;
  readonly aliases: Readonly<Record<string, object>>;
  /** Whether searches are to find what is written; not while a copy is made, which is faster without. */
  readonly searchable: boolean;
}

/** The body of the request that makes a generation: its mapping, settings, names, and whose it is, in one step. */
export function creationBody(options: CreationOptions): object {
  const { shards, recordsId, createdAt, aliases } = options;
  const meta = { layout: INDEX_LAYOUT, records: recordsId, created_at: createdAt };
  const fields = Object.fromEntries(FILTER_FIELDS.map((field) => [field, TERMS]));
  const settings = options.searchable ? searchableSettings(options.replicas) : COPY_SETTINGS;
  return {
    settings: { index: { ...BODY.settings.index, ...settings, number_of_shards: shards } },
    mappings: {
      _meta: meta,
      _source: { excludes: UNSHOWN_FIELDS },
      ...BODY.mappings,
      properties: { ...BODY.mappings.properties, ...fields, ...SEARCH_FIELDS },
    },
    aliases,
  };
}

const COPY_SETTINGS = { refresh_interval: '-1', number_of_replicas: 0, auto_expand_replicas: false };

/**
 * With an interval of its own an index is refreshed even when nobody searched it for a while. `replicas` copies are made
 * as far as there are nodes for them, now and when nodes come and go.
 */
export function searchableSettings(replicas: number): Readonly<Record<string, unknown>> {
  const copies = replicas === 0 ? COPY_SETTINGS : { auto_expand_replicas: `0-${replicas}` };
  return { ...copies, refresh_interval: '1s' };
}
