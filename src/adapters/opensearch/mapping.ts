import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The data in schemas/index/agents.json: what every generation is made of. */
interface IndexBody {
  readonly settings: { readonly index: Readonly<Record<string, unknown>> };
  readonly mappings: Readonly<Record<string, unknown>> & { readonly _meta: { readonly layout: number } };
}

const BODY: IndexBody = JSON.parse(
  readFileSync(new URL('../../../schemas/index/agents.json', import.meta.url), 'utf8'),
);

/**
 * The layout of the fields. It changes with every change of the mapping; a generation of another layout is not written
 * to, because the strict mapping would refuse the documents: it is replaced by a rebuild.
 */
export const LAYOUT = BODY.mappings._meta.layout;

/**
 * Changes only when the searches of this version would not understand a generation made before: it is part of the name
 * that searches go to, so that such a generation is not found instead of answering wrongly.
 */
const READING = 1;

export interface IndexNames {
  /** Points to what is live: the truth. It is the write alias of one index at most, which the engine itself ensures. */
  readonly live: string;
  /** Points to the live generation only if it is one of these records, in a layout that this version reads. */
  readonly reads: string;
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
  const owner = createHash('sha256').update(recordsId).digest('hex').slice(0, 16);
  return {
    live: prefix,
    reads: `${prefix}-of-${owner}-r${READING}`,
    previous: `${prefix}-previous`,
    readsOfAny: `${prefix}-of-`,
    index,
    handle: (id, token) => `${index(id)}-w-${token}`,
    promoted: (id, at) => `${index(id)}-p-${at}`,
    given: (id, number) => `${index(id)}-n-${number}`,
  };
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
  const meta = { ...BODY.mappings._meta, records: recordsId, created_at: createdAt };
  const settings = options.searchable ? searchableSettings(options.replicas) : COPY_SETTINGS;
  return {
    settings: { index: { ...BODY.settings.index, ...settings, number_of_shards: shards } },
    mappings: { ...BODY.mappings, _meta: meta },
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
