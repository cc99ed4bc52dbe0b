import type { AgentDocument } from '../../../domain/agent-document.ts';
import {
  agentFlags,
  type Flags,
  fixedTerms,
  signature,
  type Term,
  type ValueKind,
  valueTerm,
} from '../../../query/terms.ts';
import { tablesOf } from '../../../query/to-sql.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';
import type { SqliteVocabulary } from './vocabulary.ts';

/** Which lists an agent is in. */
export interface Place {
  readonly flags: Flags;
  /** JSON array of its value terms, ascending; `[]` for most agents. */
  readonly terms: string;
}

export interface ListWriter {
  placeOf(document: AgentDocument): Place;
  /** Takes an agent out of the lists it was in and puts it into those it belongs in now. */
  move(url: string, from: Place | undefined, to: Place | undefined): void;
  /** Writes the counts and new values; returns whether any list changed. */
  finish(changes: number): boolean;
}

/** Keeps the ordered lists of one generation and their lengths. Lives for one write transaction. */
export function createListWriter(
  database: SqliteDatabase,
  generation: number,
  vocabulary: SqliteVocabulary,
): ListWriter {
  const sql = listWriteSql(generation);
  const terms = createTermBook(vocabulary);
  const lengths = new Map<Term, number>();

  const place = (url: string, { flags, terms: text }: Place, step: 1 | -1) => {
    const values = parseTerms(text);
    const [all, ...fixed] = fixedTerms(flags);
    const lists = [...fixed, ...values];
    for (const term of [all as Term, ...lists]) lengths.set(term, (lengths.get(term) ?? 0) + step);
    if (step === 1) enter(url, lists, flags, signature(values));
    else for (const term of lists) database.statement(sql.leave).run(term, url);
    if (values.length === 0) return;
    if (step === 1) database.statement(sql.hold).run(url, flags, text);
    else database.statement(sql.release).run(url);
  };
  const enter = (url: string, lists: readonly Term[], flags: Flags, sig: number) => {
    const statement = database.statement(sql.enter);
    for (const term of lists) statement.run(term, url, flags, sig);
  };

  return {
    placeOf: ({ type, badges, metricIds, accreditations }) => ({
      flags: agentFlags(type, badges),
      terms: termsText(terms, metricIds, accreditations),
    }),
    move(url, from, to) {
      if (from?.flags === to?.flags && from?.terms === to?.terms) return;
      if (from !== undefined) place(url, from, -1);
      if (to !== undefined) place(url, to, 1);
    },
    finish(changes) {
      const statement = database.statement(sql.length);
      for (const [term, by] of lengths) statement.run(term, terms.newValue(term) ?? '', by, changes);
      return lengths.size > 0;
    },
  };
}

type TermBook = ReturnType<typeof createTermBook>;

/**
 * Terms of values, new ones included. New ones are remembered here only: the vocabulary learns them from the
 * database once they are committed.
 */
function createTermBook(vocabulary: SqliteVocabulary) {
  const made = { metric: new Map<string, Term>(), body: new Map<string, Term>() };
  const values = new Map<Term, string>();
  return {
    term(kind: ValueKind, text: string): Term {
      const value = text.toWellFormed(); // SQLite keeps no other
      const known =
        (kind === 'metric' ? vocabulary.metric(value) : vocabulary.body(value)) ?? made[kind].get(value);
      if (known !== undefined) return known;
      const term = valueTerm(kind, vocabulary.size(kind) + made[kind].size);
      made[kind].set(value, term);
      values.set(term, value);
      return term;
    },
    newValue: (term: Term) => values.get(term),
  };
}

function termsText(book: TermBook, metricIds: readonly string[], accreditations: readonly string[]): string {
  if (metricIds.length === 0 && accreditations.length === 0) return '[]';
  const metrics = metricIds.map((metricId) => book.term('metric', metricId));
  const bodies = accreditations.map((body) => book.term('body', body));
  return JSON.stringify([...new Set([...metrics, ...bodies])].sort((a, b) => a - b));
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
    length: `INSERT INTO ${value} (term, value, agents, changed) VALUES (?, ?, ?, ?)
      ON CONFLICT (term) DO UPDATE SET agents = agents + excluded.agents, changed = excluded.changed`,
  } as const;
}
