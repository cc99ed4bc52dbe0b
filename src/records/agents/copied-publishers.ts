import { defined, present } from '../../base/json.ts';
import type { CopiedContent, CopiedPublisher, Copies } from '../../ports/authorisations.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { first, type Param, prepare, sql } from '../statements.ts';
import { createContentReader } from './copied-content.ts';

/** Publishers that are read at once, at most, and the bytes of their files: the rows of a file are about as long. */
const MOST = 100;
const MAX_BYTES = 4 * 1024 * 1024;
/** A longer file is read by itself, in pieces. */
const LONG_BYTES = 512 * 1024;

/** Each call is a read of its own, and a short one: a long one would keep the log of the file from being cleared. */
export function createCopies(store: SqlStore): Copies {
  const selectNext = prepare(store, nextPublishers);
  const selectOne = prepare(store, onePublisher);
  const { contentOfEach, contentOf } = createContentReader(store);
  function* complete(rows: readonly PublisherRow[]): SqlTask<readonly CopiedPublisher[]> {
    const short = rows.filter(({ bytes }) => bytes <= LONG_BYTES).map(({ key }) => key);
    const contents = short.length === 0 ? NONE : yield* contentOfEach(short);
    return rows.map((row) => ({ ...knownPublisher(row), ...defined({ content: contents.get(row.key) }) }));
  }
  return {
    publishersBehind: (after) =>
      store.read(function* () {
        return yield* complete(withRoom(yield* selectNext.all({ after, limit: MOST })));
      }),
    publisher: (domain) =>
      store.read(function* () {
        const row = yield* selectOne.first({ domain });
        return row && knownPublisher(row);
      }),
    contentOf,
    count: () =>
      store.read(function* () {
        const publishers = yield* first(store, countPublishers());
        const entries = yield* first(store, countEntries());
        return { publishers: Number(publishers?.n), entries: Number(entries?.n) };
      }),
  };
}

const NONE: ReadonlyMap<string, CopiedContent> = new Map();

interface PublisherRow {
  readonly key: string;
  readonly url: string;
  readonly bytes: number;
  readonly failures: number;
  readonly first_seen_at: number;
  readonly next_visit_at: number;
  readonly last_visit_at: number | null;
  readonly last_success_at: number | null;
}

function withRoom(rows: readonly PublisherRow[]): readonly PublisherRow[] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += row.bytes;
    return bytes > MAX_BYTES;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

function knownPublisher(row: PublisherRow): Pick<CopiedPublisher, 'publisher' | 'url' | 'source'> {
  const source = {
    failures: row.failures,
    firstSeenAt: row.first_seen_at,
    nextVisitAt: row.next_visit_at,
    ...present({ lastVisitAt: row.last_visit_at, lastSuccessAt: row.last_success_at }),
  };
  return { publisher: row.key, url: row.url, source };
}

function publisherRows() {
  return sql
    .selectFrom('source')
    .innerJoin('declaration', 'declaration.id', 'source.declaration')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .select(['source.key', 'source.failures', 'source.first_seen_at', 'source.next_visit_at'])
    .select(['source.last_visit_at', 'source.last_success_at', 'declaration.url'])
    .select(({ fn }) => fn<number>('octet_length', ['declared_value.value']).as('bytes'))
    .where('source.kind', '=', 'adagents')
    .where('source.declaration', 'is not', null);
}

function nextPublishers(param: Param<{ after: string; limit: number }>) {
  return publisherRows().where('source.key', '>', param('after')).orderBy('source.key').limit(param('limit'));
}

function onePublisher(param: Param<{ domain: string }>) {
  return publisherRows().where('source.key', '=', param('domain'));
}

function countPublishers() {
  return sql
    .selectFrom('source')
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .where('kind', '=', 'adagents')
    .where('declaration', 'is not', null);
}

function countEntries() {
  return sql
    .selectFrom('authorisation')
    .select(({ fn }) => fn.countAll<number | string>().as('n'))
    .where('seen_until', 'is', null);
}
