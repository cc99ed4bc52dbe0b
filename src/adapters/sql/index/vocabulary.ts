import { VALUES, type ValueName } from '../../../query/index-fields.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';
import type { IndexVocabulary } from './plan.ts';
import { tablesOf } from './tables.ts';
import { type Flags, fieldOfTerm, flagsOfKey, type Term } from './terms.ts';

export interface Vocabulary extends IndexVocabulary {
  /** Reads what this or another process changed since the last call; `changes` is the generation's number. */
  refresh(changes: number): void;
  /** How many values of a field there ever were; their terms are numbered without gaps. */
  size(field: ValueName): number;
}

interface ValueRow {
  readonly term: number;
  readonly value: string;
  readonly agents: number;
}

interface FieldValues {
  readonly terms: Map<string, Term>;
  readonly lowered: { readonly term: Term; readonly text: string }[];
}

/**
 * The distinct values of one generation with how many agents hold each, and how many bear the same marks. Held in
 * memory: there are few, and `q` is looked up among them.
 */
export function createVocabulary(database: SqliteDatabase, generation: number): Vocabulary {
  const changed = `SELECT term, value, agents FROM ${tablesOf(generation).value} WHERE changed > ?`;
  const fields = new Map((Object.keys(VALUES) as ValueName[]).map((field) => [field, noValues()]));
  const valuesOf = (field: ValueName) => fields.get(field) as FieldValues;
  const holding = new Map<Term, number>();
  const bearing = new Map<Flags, number>();
  const sums = new Map<Flags, number>();
  let loaded = -1;

  const learn = (field: ValueName, value: string, term: Term) => {
    const { terms, lowered } = valuesOf(field);
    if (terms.has(value)) return;
    terms.set(value, term);
    if (VALUES[field].askedByPart) lowered.push({ term, text: value.toLowerCase() });
  };
  const read = ({ term, value, agents }: ValueRow) => {
    const flags = flagsOfKey(term);
    if (flags !== undefined) return bearing.set(flags, agents);
    learn(fieldOfTerm(term), value, term);
    return holding.set(term, agents);
  };
  return {
    term: (field, value) => valuesOf(field).terms.get(value),
    containing: (field, part) =>
      valuesOf(field)
        .lowered.filter(({ text }) => text.includes(part))
        .map(({ term }) => term),
    agents: (term) => holding.get(term) ?? 0,
    agentsWith(flags) {
      const sum = sums.get(flags) ?? sumOf(bearing, flags);
      sums.set(flags, sum);
      return sum;
    },
    refresh(changes) {
      if (changes === loaded) return;
      for (const row of database.statement(changed).all(loaded) as unknown as ValueRow[]) read(row);
      sums.clear();
      loaded = changes;
    },
    size: (field) => valuesOf(field).terms.size,
  };
}

function noValues(): FieldValues {
  return { terms: new Map(), lowered: [] };
}

function sumOf(bearing: ReadonlyMap<Flags, number>, wanted: Flags): number {
  let sum = 0;
  for (const [flags, agents] of bearing) if ((flags & wanted) === wanted) sum += agents;
  return sum;
}
