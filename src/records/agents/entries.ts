import type { ExpressionBuilder } from 'kysely';
import { present } from '../../base/json.ts';
import type { AuthorisationLimits, PinnedKey } from '../../domain/declaration.ts';
import type { AuthorisationVia, Coverage } from '../../domain/declared-facts.ts';
import { type Db, parsed } from '../database.ts';
import type { Tables } from '../tables.ts';

/** The position of an entry among all. */
export interface EntryPlace {
  readonly agent: string;
  readonly publisher: string;
  /** The entry's number in these records. */
  readonly id: number;
}

export interface EntryPage {
  readonly agent?: string;
  readonly after?: EntryPlace;
  readonly limit: number;
}

export interface PublisherEntryPage {
  readonly agent?: string;
  /** The number of the last entry that was read; 0 for the beginning. */
  readonly after: number;
  readonly limit: number;
}

/** One entry by which a publisher names an agent. */
export interface LiveEntry extends EntryPlace {
  /** JSON pointer of the entry in the file that was read. */
  readonly entry: string;
  /** It covers something that the publisher has. */
  readonly sells: boolean;
  readonly via: AuthorisationVia;
  /** The entry's authorization_type, or `all`. */
  readonly scope: string;
  readonly authorizedFor?: string;
  /** Absent: too long for a list. */
  readonly covers?: Coverage;
  /** Absent with `hasLimits`: too long for a list. */
  readonly limits?: AuthorisationLimits;
  readonly hasLimits: boolean;
  /** Absent with `pinsKeys`: too long for a list. */
  readonly signingKeys?: readonly PinnedKey[];
  readonly pinsKeys: boolean;
  /** Epoch milliseconds. */
  readonly seenFrom: number;
}

/** The live entries of publishers' files, as lists and the edge log show them. */

/** Bytes of one text of an entry that a list shows. An entry may be as long as its file; a list reads no longer text. */
const MAX_TEXT = 8_192;
const BEGIN: EntryPlace = { agent: '', publisher: '', id: 0 };

/** The live entries of one agent or of all behind a place, by the index of their agents. */
export async function readEntries(
  db: Db,
  { agent, after = BEGIN, limit }: EntryPage,
): Promise<readonly LiveEntry[]> {
  const page = entryRows(db).orderBy('agent').orderBy('publisher').orderBy('id').limit(limit);
  const rows =
    agent === undefined
      ? page.where((row) =>
          row(
            row.refTuple('agent', 'publisher', 'id'),
            '>',
            row.tuple(after.agent, after.publisher, after.id),
          ),
        )
      : page
          .where('agent', '=', agent)
          .where((row) => row(row.refTuple('publisher', 'id'), '>', row.tuple(after.publisher, after.id)));
  return (await rows.execute()).map(liveEntry);
}

/** The same of one publisher, by the index of its entries. */
export async function readEntriesOf(
  db: Db,
  publisher: string,
  { agent, after, limit }: PublisherEntryPage,
): Promise<readonly LiveEntry[]> {
  const page = entryRows(db)
    .where('publisher', '=', publisher)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit);
  return (await (agent === undefined ? page : page.where('agent', '=', agent)).execute()).map(liveEntry);
}

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
function entryRows(db: Db) {
  return db
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
  const shown = (column: 'covers' | 'limits' | 'signing_keys') =>
    row
      .case()
      .when(bytesOf(column), '<=', MAX_TEXT)
      .then(row.ref(`authorisation.${column}`))
      .end()
      .as(column);
  return [
    bytesOf('limits').as('limits_bytes'),
    bytesOf('signing_keys').as('keys_bytes'),
    ...(['covers', 'limits', 'signing_keys'] as const).map(shown),
  ];
}

/** An entry of a file from its row. */
export function liveEntry(row: EntryRow): LiveEntry {
  return {
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
    ...present({
      authorizedFor: row.authorized_for,
      covers: parsed<Coverage>(row.covers),
      limits: parsed<AuthorisationLimits>(row.limits),
      signingKeys: parsed<readonly PinnedKey[]>(row.signing_keys),
    }),
  };
}
