import type { AgentDocument } from '../../domain/agent-document.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { VALUES, type ValueName } from '../query/index-fields.ts';
import { tablesOf } from './tables.ts';
import {
  type Flags,
  facetLists,
  flagsKey,
  flagsOfDocument,
  signature,
  type Term,
  type Vocabulary,
  valueTerm,
} from './terms.ts';

/** What decides which lists an agent is in. */
export interface Listing {
  readonly flags: Flags;
  /** JSON array of its value terms, ascending; `[]` for most agents. */
  readonly terms: string;
}

export interface ListWriter {
  listingOf(document: AgentDocument): Listing;
  /** Takes an agent out of the lists it was in and puts it into those it belongs in now. */
  move(url: string, from: Listing | undefined, to: Listing | undefined): void;
  /** Writes the counts and new values; returns whether any list changed. */
  finish(changes: number): boolean;
}

/** Keeps the ordered lists of one generation and its counts. Lives for one write transaction. */
export function createListWriter(
  database: SqliteDatabase,
  generation: number,
  vocabulary: Vocabulary,
): ListWriter {
  const sql = listWriteSql(generation);
  const terms = createTermBook(vocabulary);
  const counts = new Map<number, number>();

  const enter = (url: string, { flags, terms: text }: Listing) => {
    const values = parseTerms(text);
    const sig = signature(values);
    const statement = database.statement(sql.enter);
    for (const term of listsOf(flags, values)) statement.run(term, url, flags, sig);
    if (values.length > 0) database.statement(sql.hold).run(url, flags, text);
    count(flags, values, 1);
  };
  const leave = (url: string, { flags, terms: text }: Listing) => {
    const values = parseTerms(text);
    const statement = database.statement(sql.leave);
    for (const term of listsOf(flags, values)) statement.run(term, url);
    if (values.length > 0) database.statement(sql.release).run(url);
    count(flags, values, -1);
  };
  const count = (flags: Flags, values: readonly Term[], by: 1 | -1) => {
    for (const key of [flagsKey(flags), ...values]) counts.set(key, (counts.get(key) ?? 0) + by);
  };

  return {
    listingOf: (document) => ({ flags: flagsOfDocument(document), terms: termsText(terms, document) }),
    move(url, from, to) {
      if (from?.flags === to?.flags && from?.terms === to?.terms) return;
      if (from !== undefined) leave(url, from);
      if (to !== undefined) enter(url, to);
    },
    finish(changes) {
      const statement = database.statement(sql.count);
      for (const [key, by] of counts) statement.run(key, terms.newValue(key) ?? '', by, changes);
      return counts.size > 0;
    },
  };
}

type TermBook = ReturnType<typeof createTermBook>;

/**
 * Terms of values, new ones included. New ones are remembered here only: the vocabulary learns them from the
 * database once they are committed.
 */
function createTermBook(vocabulary: Vocabulary) {
  const fresh = new Map(
    (Object.keys(VALUES) as ValueName[]).map((field) => [field, new Map<string, Term>()]),
  );
  const values = new Map<Term, string>();
  return {
    term(field: ValueName, text: string): Term {
      const value = text.toWellFormed(); // SQLite keeps no other
      const ofField = fresh.get(field) as Map<string, Term>;
      const known = vocabulary.term(field, value) ?? ofField.get(value);
      if (known !== undefined) return known;
      const term = valueTerm(field, vocabulary.size(field) + ofField.size);
      ofField.set(value, term);
      values.set(term, value);
      return term;
    },
    newValue: (term: Term) => values.get(term),
  };
}

function termsText(book: TermBook, document: AgentDocument): string {
  const terms = new Set<Term>();
  for (const field of Object.keys(VALUES) as ValueName[])
    for (const value of VALUES[field].of(document)) terms.add(book.term(field, value));
  return terms.size === 0 ? '[]' : JSON.stringify([...terms].sort((a, b) => a - b));
}

function listsOf(flags: Flags, values: readonly Term[]): readonly Term[] {
  return [...facetLists(flags).map(({ term }) => term), ...values];
}

function parseTerms(text: string): readonly Term[] {
  return text === '[]' ? [] : (JSON.parse(text) as Term[]);
}

function listWriteSql(generation: number) {
  const { term, held, value } = tablesOf(generation);
  return {
    enter: `INSERT INTO ${term} (term, url, flags, sig) VALUES (?, ?, ?, ?)`,
    leave: `DELETE FROM ${term} WHERE term = ? AND url = ?`,
    hold: `INSERT INTO ${held} (url, flags, terms) VALUES (?, ?, ?)`,
    release: `DELETE FROM ${held} WHERE url = ?`,
    count: `INSERT INTO ${value} (term, value, agents, changed) VALUES (?, ?, ?, ?)
      ON CONFLICT (term) DO UPDATE SET agents = agents + excluded.agents, changed = excluded.changed`,
  } as const;
}
