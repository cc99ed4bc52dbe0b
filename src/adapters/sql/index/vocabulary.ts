import { kindOfTerm, type Term, type ValueKind } from '../../../query/terms.ts';
import { tablesOf, type Vocabulary } from '../../../query/to-sql.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';

export interface SqliteVocabulary extends Vocabulary {
  /** Reads what this or another process changed since the last call; `changes` is the generation's number. */
  refresh(changes: number): void;
  /** How many values of a kind there ever were; their terms are numbered without gaps. */
  size(kind: ValueKind): number;
}

interface ValueRow {
  readonly term: number;
  readonly value: string;
  readonly agents: number;
}

/** The distinct values of one generation, held in memory: they are few, and `q` is looked up among them. */
export function createVocabulary(database: SqliteDatabase, generation: number): SqliteVocabulary {
  const changed = `SELECT term, value, agents FROM ${tablesOf(generation).value} WHERE changed > ?`;
  const terms = { metric: new Map<string, Term>(), body: new Map<string, Term>() };
  const lowered: { readonly term: Term; readonly text: string }[] = [];
  const agents = new Map<Term, number>();
  let loaded = -1;

  const learn = (kind: ValueKind, value: string, term: Term) => {
    if (terms[kind].has(value)) return;
    terms[kind].set(value, term);
    if (kind === 'metric') lowered.push({ term, text: value.toLowerCase() });
  };
  const read = (row: ValueRow) => {
    const kind = kindOfTerm(row.term);
    if (kind !== undefined) learn(kind, row.value, row.term);
    agents.set(row.term, row.agents);
  };
  return {
    metric: (metricId) => terms.metric.get(metricId),
    body: (accreditingBody) => terms.body.get(accreditingBody),
    metricsContaining: (q) => lowered.filter(({ text }) => text.includes(q)).map(({ term }) => term),
    agents: (term) => agents.get(term) ?? 0,
    refresh(changes) {
      if (changes === loaded) return;
      for (const row of database.statement(changed).all(loaded) as unknown as ValueRow[]) read(row);
      loaded = changes;
    },
    size: (kind) => terms[kind].size,
  };
}
