import type { ExpressionBuilder } from 'kysely';
import type { AuthorisationLimits, PinnedKey } from '../../domain/declaration.ts';
import type { AuthorisationVia, Coverage } from '../../domain/declared-facts.ts';
import type { EntryPage, EntryPlace, Graph, LiveEntry } from '../../ports/graph.ts';
import type { Tables } from '../schema.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** Bytes of one text of an entry that a list shows. An entry may be as long as its file; a list reads none of the rest. */
const MAX_TEXT = 8_192;
const BEGIN: EntryPlace = { agent: '', publisher: '', id: 0 };

/** Reads the live entries of one agent or of all, by the index of their agents. */
export function createEntryReader(store: SqlStore): (page: EntryPage) => SqlTask<readonly LiveEntry[]> {
  const selectAll = prepare(store, entriesOfAll);
  const selectOf = prepare(store, entriesOfAgent);
  return function* ({ agent, after = BEGIN, limit }) {
    const rows =
      agent === undefined
        ? yield* selectAll.all({ ...after, limit })
        : yield* selectOf.all({ ...after, agent, limit });
    return rows.map(liveEntry);
  };
}

/** The same of one publisher, by the index of its entries. */
export function createPublisherEntryReader(
  store: SqlStore,
): (...asked: Parameters<Graph['entriesOf']>) => SqlTask<readonly LiveEntry[]> {
  const selectOf = prepare(store, entriesOfPublisher);
  const selectEdge = prepare(store, entriesOfEdge);
  return function* (publisher, { agent, after, limit }) {
    const asked = { publisher, after, limit };
    return (yield* agent === undefined ? selectOf.all(asked) : selectEdge.all({ ...asked, agent })).map(
      liveEntry,
    );
  };
}

/** An entry of a file from its row. A list has millions of them, so nothing is copied on the way. */
export function liveEntry(row: EntryRow): LiveEntry {
  const entry: { -readonly [Name in keyof LiveEntry]: LiveEntry[Name] } = {
    agent: row.agent,
    publisher: row.publisher,
    id: row.id,
    entry: row.entry,
    sells: row.sells === 1,
    via: row.via,
    scope: row.scope,
    seenFrom: row.seen_from,
    hasLimits: row.limits_bytes !== null,
    pinsKeys: row.keys_bytes !== null,
  };
  const [covers, limits, signingKeys] = [
    coversOf(row.covers),
    limitsOf(row.limits),
    keysOf(row.signing_keys),
  ];
  if (row.authorized_for !== null) entry.authorizedFor = row.authorized_for;
  if (covers !== undefined) entry.covers = covers;
  if (limits !== undefined) entry.limits = limits;
  if (signingKeys !== undefined) entry.signingKeys = signingKeys;
  return entry;
}

/** Entries of one file say mostly the same. */
const coversOf = parsedAlike<Coverage>();
const limitsOf = parsedAlike<AuthorisationLimits>();
const keysOf = parsedAlike<readonly PinnedKey[]>();

export interface EntryRow extends EntryPlace {
  readonly entry: string;
  readonly via: AuthorisationVia;
  readonly scope: string;
  readonly sells: number;
  readonly seen_from: number;
  readonly authorized_for: string | null;
  readonly covers: string | null;
  readonly limits: string | null;
  readonly limits_bytes: number | null;
  readonly signing_keys: string | null;
  readonly keys_bytes: number | null;
}

/** The live entries, with the texts that a list shows. */
function entryRows() {
  return sql
    .selectFrom('authorisation')
    .select(['id', 'agent', 'publisher', 'entry', 'via', 'scope', 'sells', 'seen_from', 'authorized_for'])
    .select(shownTexts)
    .where('seen_until', 'is', null)
    .$castTo<EntryRow>();
}

/** The texts of an entry as a list shows them, and how long they are. */
export function shownTexts(row: ExpressionBuilder<Tables, 'authorisation'>) {
  const bytesOf = (column: 'covers' | 'limits' | 'signing_keys') =>
    row.fn<number | null>('octet_length', [`authorisation.${column}`]);
  return [
    bytesOf('limits').as('limits_bytes'),
    bytesOf('signing_keys').as('keys_bytes'),
    ...(['covers', 'limits', 'signing_keys'] as const).map((column) =>
      row.case().when(bytesOf(column), '<=', MAX_TEXT).then(row.ref(column)).end().as(column),
    ),
  ];
}

function inOrder() {
  return entryRows().orderBy('agent').orderBy('publisher').orderBy('id');
}

function entriesOfAll(param: Param<EntryPlace & { limit: number }>) {
  return inOrder()
    .where((row) =>
      row(
        row.refTuple('agent', 'publisher', 'id'),
        '>',
        row.tuple(param('agent'), param('publisher'), param('id')),
      ),
    )
    .limit(param('limit'));
}

function entriesOfAgent(param: Param<EntryPlace & { limit: number }>) {
  return inOrder()
    .where('agent', '=', param('agent'))
    .where((row) => row(row.refTuple('publisher', 'id'), '>', row.tuple(param('publisher'), param('id'))))
    .limit(param('limit'));
}

function entriesOfPublisher(param: Param<{ publisher: string; after: number; limit: number }>) {
  return entryRows()
    .where('publisher', '=', param('publisher'))
    .where('id', '>', param('after'))
    .orderBy('id')
    .limit(param('limit'));
}

function entriesOfEdge(param: Param<{ publisher: string; agent: string; after: number; limit: number }>) {
  return entriesOfPublisher(param).where('agent', '=', param('agent'));
}

/** Parses a JSON column of rows of which many have one text after the other: that is parsed once, and its value is shared. */
function parsedAlike<T>(): (text: string | null) => T | undefined {
  let last: { readonly text: string; readonly value: T } | undefined;
  return (text) => {
    if (text === null) return undefined;
    if (last?.text !== text) last = { text, value: JSON.parse(text) as T };
    return last.value;
  };
}
