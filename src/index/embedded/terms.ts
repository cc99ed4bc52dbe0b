import type { AgentDocument } from '../../domain/agent-document.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { FACETS, type FacetName, VALUES, type ValueName } from '../query/index-fields.ts';
import { tablesOf } from './tables.ts';

/**
 * A term is a number that stands for one ordered list of agent URLs. ALL_AGENTS is followed by a term for each mark of a
 * facet and for each pair of marks of two facets that are often asked for together. From FIRST_VALUE on, the fields of
 * VALUES take turns, each in the order in which its values are first seen.
 */
export type Term = number;

/** Only counted: the agents' own table is the list. */
export const ALL_AGENTS: Term = 0;

/** Facets that are often asked for together. */
const PAIRED: readonly [FacetName, FacetName] = ['type', 'badges'];
const MAX_MARKS = 31;
const FIRST_PAIR = MAX_MARKS + 1;
const FIRST_VALUE = FIRST_PAIR ** 2;

/** The marks that an agent bears, or that are asked for: a bit each, in the order of FACETS. */
export type Flags = number;

interface Mark {
  readonly facet: FacetName;
  readonly mark: string;
}

const MARKS: readonly Mark[] = (Object.keys(FACETS) as FacetName[]).flatMap((facet) =>
  FACETS[facet].marks.map((mark) => ({ facet, mark })),
);
if (MARKS.length > MAX_MARKS) throw new Error(`the facets have more than ${MAX_MARKS} marks`);

/** The flags of these marks. */
export function flagsOf(marks: readonly Mark[]): Flags {
  return marks.reduce((flags, one) => flags | (1 << bitOf(one)), 0);
}

export function flagsOfDocument(document: AgentDocument): Flags {
  const facets = Object.keys(FACETS) as FacetName[];
  return flagsOf(facets.flatMap((facet) => FACETS[facet].of(document).map((mark) => ({ facet, mark }))));
}

function bitOf({ facet, mark }: Mark): number {
  return MARKS.findIndex((known) => known.facet === facet && known.mark === mark);
}

/** The list of the agents that bear certain marks. */
interface FacetList {
  readonly term: Term;
  readonly flags: Flags;
}

const knownLists = new Map<Flags, readonly FacetList[]>();

/** The lists that an agent with these flags is in, beside that of all agents: those that a search for the flags can walk. */
export function facetLists(flags: Flags): readonly FacetList[] {
  const known = knownLists.get(flags);
  if (known !== undefined) return known;
  const bits = [...MARKS.keys()].filter((bit) => (flags & (1 << bit)) !== 0);
  const [left, right] = PAIRED.map((facet) => bits.filter((bit) => MARKS[bit]?.facet === facet));
  const lists = [
    ...(left ?? []).flatMap((a) =>
      (right ?? []).map((b) => ({ term: FIRST_PAIR * (a + 1) + b, flags: (1 << a) | (1 << b) })),
    ),
    ...bits.map((bit) => ({ term: bit + 1, flags: 1 << bit })),
  ];
  knownLists.set(flags, lists);
  return lists;
}

/** Where the number of agents with exactly these flags is kept: below all terms. It is its own inverse. */
export function flagsKey(flags: Flags): number {
  return -1 - flags;
}

const FIELDS = Object.keys(VALUES) as ValueName[];

/** The term of the n-th value of its field, from 0. */
export function valueTerm(field: ValueName, ordinal: number): Term {
  return FIRST_VALUE + FIELDS.length * ordinal + FIELDS.indexOf(field);
}

function fieldOfTerm(term: Term): ValueName {
  return FIELDS[(term - FIRST_VALUE) % FIELDS.length] as ValueName;
}

/** Of each field: the bits that are its own in a signature. */
const SHIFTS = FIELDS.map((_, at) =>
  FIELDS.slice(0, at).reduce((sum, field) => sum + VALUES[field].signatureBits, 0),
);

/** More would be no safe integer. */
const MAX_SIGNATURE_BITS = 52;
const SIGNATURE_BITS = FIELDS.reduce((sum, field) => sum + VALUES[field].signatureBits, 0);
if (SIGNATURE_BITS > MAX_SIGNATURE_BITS)
  throw new Error(`the fields of VALUES share ${MAX_SIGNATURE_BITS} bits, but need ${SIGNATURE_BITS}`);

/**
 * A 52-bit digest of value terms: two sets with a term in common have a bit in common. It stands in every row of the
 * lists, so that most agents that fail another condition are passed over without looking at them. It is exact for a
 * field with no more values than bits.
 */
export function signature(terms: Iterable<Term>): number {
  let sum = 0;
  for (const bit of new Set(Array.from(terms, signatureBit))) sum += 2 ** bit;
  return sum;
}

function signatureBit(term: Term): number {
  const ordinal = Math.floor((term - FIRST_VALUE) / FIELDS.length);
  const { signatureBits } = VALUES[fieldOfTerm(term)];
  return (SHIFTS[(term - FIRST_VALUE) % FIELDS.length] ?? 0) + (ordinal % signatureBits);
}

/** The values that are in use, and how many agents there are. */
export interface Vocabulary {
  /** Undefined for a value that no agent holds. */
  term(field: ValueName, value: string): Term | undefined;
  /** The values with `part` in their lower-cased form. */
  containing(field: ValueName, part: string): readonly Term[];
  passing(field: ValueName, test: (value: string) => boolean): readonly Term[];
  /** How many hold this value. */
  agents(term: Term): number;
  /** How many bear all of these marks. */
  agentsWith(flags: Flags): number;
  /** Reads what this or another process changed since the last call; `changes` is the generation's number. */
  refresh(changes: number): void;
  /** How many values of a field there ever were; their terms are numbered without gaps. */
  size(field: ValueName): number;
}

type ValueRow = { readonly term: number; readonly value: string; readonly agents: number };

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
  const fields = new Map(
    FIELDS.map((field): [ValueName, FieldValues] => [field, { terms: new Map(), lowered: [] }]),
  );
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
    if (term < 0) return bearing.set(flagsKey(term), agents);
    learn(fieldOfTerm(term), value, term);
    return holding.set(term, agents);
  };
  return {
    term: (field, value) => valuesOf(field).terms.get(value),
    containing: (field, part) =>
      valuesOf(field)
        .lowered.filter(({ text }) => text.includes(part))
        .map(({ term }) => term),
    passing: (field, test) =>
      [...valuesOf(field).terms].flatMap(([value, term]) => (test(value) ? term : [])),
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

function sumOf(bearing: ReadonlyMap<Flags, number>, wanted: Flags): number {
  let sum = 0;
  for (const [flags, agents] of bearing) if ((flags & wanted) === wanted) sum += agents;
  return sum;
}
