import type { AgentDocument } from '../../../domain/agent-document.ts';
import { FACETS, type FacetName, VALUES, type ValueName } from '../../../query/index-fields.ts';

/**
 * A term is a number that stands for one ordered list of agent URLs. ALL_AGENTS is followed by a term for each mark of a
 * facet and for each pair of marks of two facets that are often asked for together. From FIRST_VALUE on, the fields of
 * VALUES take turns, each in the order in which its values are first seen.
 */
export type Term = number;

/** Only counted: the agents' own table is the list. */
export const ALL_AGENTS: Term = 0;
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
export interface FacetList {
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

/** Where the number of agents with exactly these flags is kept: below all terms. */
export function flagsKey(flags: Flags): number {
  return -1 - flags;
}

/** The flags of a key; undefined for a term. */
export function flagsOfKey(key: number): Flags | undefined {
  return key < 0 ? -1 - key : undefined;
}

const FIELDS = Object.keys(VALUES) as ValueName[];

/** The term of the n-th value of its field, from 0. */
export function valueTerm(field: ValueName, ordinal: number): Term {
  return FIRST_VALUE + FIELDS.length * ordinal + FIELDS.indexOf(field);
}

export function fieldOfTerm(term: Term): ValueName {
  return FIELDS[(term - FIRST_VALUE) % FIELDS.length] as ValueName;
}

/** Of each field: the bits that are its own in a signature. */
const SHIFTS = FIELDS.map((_, at) =>
  FIELDS.slice(0, at).reduce((sum, field) => sum + VALUES[field].signatureBits, 0),
);

/** Every signature of an agent with values shares a bit with it. */
export const EVERY_BIT = 2 ** FIELDS.reduce((sum, field) => sum + VALUES[field].signatureBits, 0) - 1;

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
