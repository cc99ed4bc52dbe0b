import type { AgentDocument } from '../domain/agent-document.ts';
import { AGENT_TYPES, PROTOCOLS } from '../domain/agent-type.ts';
import { VERIFICATION_AXES, type VerificationAxis } from '../domain/compliance.ts';

/**
 * The version of what the index keeps of a document for its filters. Count it up with every change of FACETS, of VALUES
 * or of how an engine stores them. A generation of another layout is refused until the index is built again.
 */
export const INDEX_LAYOUT = 3;

/** A closed list of marks. A document bears some of them. */
interface Facet {
  readonly marks: readonly string[];
  of(document: AgentDocument): readonly string[];
}

/** The sets of axes that a badge can cover: each is a mark of its own, because one badge must cover all that is asked. */
export const AXIS_SETS: readonly (readonly VerificationAxis[])[] = Array.from(
  { length: 2 ** VERIFICATION_AXES.length },
  (_, set) => VERIFICATION_AXES.filter((_axis, bit) => (set >> bit) % 2 === 1),
);

/** The facets by the name of their field. The embedded index has room for 31 marks in all. */
export const FACETS = {
  type: { marks: AGENT_TYPES, of: ({ type }) => [type] },
  badges: {
    marks: AXIS_SETS.map(badgeMark),
    of: ({ badges }) =>
      AXIS_SETS.filter((set) => badges.some(({ axes }) => set.every((axis) => axes.includes(axis)))).map(
        badgeMark,
      ),
  },
  protocol: { marks: PROTOCOLS, of: ({ base }) => (base.protocol === null ? [] : [base.protocol]) },
} as const satisfies Record<string, Facet>;

/** Texts of an open list that a document holds. They are asked for as a whole, or by a part in lower case. */
interface ValueField {
  readonly askedByPart: boolean;
  /** In the signature of the embedded index, which has 52 for all fields. */
  readonly signatureBits: number;
  /** So many values a usual document has. */
  readonly usualCount: number;
  of(document: AgentDocument): readonly string[];
}

/** The values by the name of their field. */
export const VALUES = {
  metric_ids: { askedByPart: true, signatureBits: 24, usualCount: 8, of: ({ metricIds }) => metricIds },
  accreditations: {
    askedByPart: false,
    signatureBits: 20,
    usualCount: 3,
    of: ({ accreditations }) => accreditations,
  },
  claims: { askedByPart: false, signatureBits: 8, usualCount: 4, of: ({ claims = [] }) => claims },
} as const satisfies Record<string, ValueField>;

export type FacetName = keyof typeof FACETS;
export type ValueName = keyof typeof VALUES;

export function badgeMark(axes: readonly VerificationAxis[]): string {
  return VERIFICATION_AXES.filter((axis) => axes.includes(axis)).join('+') || 'any';
}
