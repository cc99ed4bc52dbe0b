import type { AgentFilter } from '../domain/agent-query.ts';
import { AGENT_TYPES, type AgentType } from '../domain/agent-type.ts';
import type { ActiveBadge } from '../domain/compliance.ts';

/**
 * The inverted lists of the index. A term is a number that stands for one ordered list of agent URLs. Terms
 * below FIRST_VALUE are fixed, one for each pair of (any or one type) and (no, any, spec, live, or one badge for
 * both axes), so that type and badge filters together are always a single list. Above it metric ids take the
 * even numbers and accrediting bodies the odd ones, in the order in which they are first seen.
 */
export type Term = number;

export type ValueKind = 'metric' | 'body';

/** The list of all agents; only counted, the agents' own table is the list. */
export const ALL_AGENTS: Term = 0;
const FIRST_VALUE = 64;
const BADGE_LISTS = 5;
const TYPE_SHIFT = 4;

/**
 * Type and badges of an agent in one small number: bits 0 to 3 say that it holds any badge, one with `spec`, one
 * with `live`, one with both; above them the number of the type, from 1.
 */
export type Flags = number;

export function agentFlags(type: AgentType, badges: readonly ActiveBadge[]): Flags {
  const bits = badges.reduce((sum, badge) => sum | badgeBits(badge), 0);
  return (typeNumber(type) << TYPE_SHIFT) | bits;
}

function badgeBits({ axes }: ActiveBadge): number {
  const spec = axes.includes('spec');
  const live = axes.includes('live');
  return 1 | (spec ? 2 : 0) | (live ? 4 : 0) | (spec && live ? 8 : 0);
}

/** The fixed terms of an agent with these flags, ALL_AGENTS first. */
export function fixedTerms(flags: Flags): readonly Term[] {
  const lists = [0, 1, 2, 3, 4].filter((list) => list === 0 || (flags & (1 << (list - 1))) !== 0);
  const type = flags >> TYPE_SHIFT;
  return [...lists, ...lists.map((list) => type * BADGE_LISTS + list)];
}

/** The type and badge part of a filter, as a list to walk and as a condition on flags: `flags & mask = want`. */
export interface FixedPart {
  readonly term: Term;
  readonly mask: number;
  readonly want: number;
}

export function fixedPart({ type, verified, verificationModes }: AgentFilter): FixedPart {
  const list = badgeList(verified, verificationModes);
  const bit = list === 0 ? 0 : 1 << (list - 1);
  const number = type === undefined ? 0 : typeNumber(type);
  return {
    term: number * BADGE_LISTS + list,
    mask: bit | (number === 0 ? 0 : 15 << TYPE_SHIFT),
    want: bit | (number << TYPE_SHIFT),
  };
}

function badgeList(verified: true | undefined, modes: AgentFilter['verificationModes']): number {
  if (modes === undefined || modes.length === 0) return verified || modes ? 1 : 0;
  if (modes.includes('spec')) return modes.includes('live') ? 4 : 2;
  return 3;
}

function typeNumber(type: AgentType): number {
  return AGENT_TYPES.indexOf(type) + 1;
}

/** The term of the n-th value of its kind, from 0. */
export function valueTerm(kind: ValueKind, ordinal: number): Term {
  return FIRST_VALUE + 2 * ordinal + (kind === 'body' ? 1 : 0);
}

/** Undefined for a fixed term. */
export function kindOfTerm(term: Term): ValueKind | undefined {
  if (term < FIRST_VALUE) return undefined;
  return term % 2 === 0 ? 'metric' : 'body';
}

const BODY_BITS = 24;
const METRIC_BITS = 28;
/** Every signature of an agent with values shares a bit with it. */
export const ANY_SIGNATURE = 2 ** (BODY_BITS + METRIC_BITS) - 1;

/**
 * A 52-bit digest of value terms: two sets with a term in common have a bit in common. It stands in every row
 * of the lists, so that most agents that fail another condition are passed over without looking at them; with
 * up to 24 accrediting bodies in use it is exact for bodies.
 */
export function signature(terms: Iterable<Term>): number {
  let sum = 0;
  for (const bit of new Set(Array.from(terms, signatureBit))) sum += 2 ** bit;
  return sum;
}

function signatureBit(term: Term): number {
  const ordinal = (term - FIRST_VALUE) >> 1;
  return kindOfTerm(term) === 'body' ? ordinal % BODY_BITS : BODY_BITS + (ordinal % METRIC_BITS);
}
