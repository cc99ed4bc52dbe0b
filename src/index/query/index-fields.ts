import type { AgentDocument } from '../../domain/agent-document.ts';
import { type FacetParameter, LABEL_NAMES, type LabelName } from '../../domain/agent-search.ts';
import { AGENT_TYPES, PROTOCOLS } from '../../domain/agent-type.ts';
import { COMPLIANCE_STATUSES, VERIFICATION_AXES, type VerificationAxis } from '../../domain/compliance.ts';
import { claimMarks } from './claim-marks.ts';

/**
 * The version of what the index keeps of a document for its filters. Count it up with every change of FACETS, of VALUES
 * or of how an engine stores them. A generation of another layout is refused until the index is built again.
 */
export const INDEX_LAYOUT = 10;

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
  compliance_status: { marks: COMPLIANCE_STATUSES, of: ({ compliance }) => [compliance.status] },
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

/** A tag of a property that is a code of the IAB's content taxonomy: `IAB17`, `IAB17-3`. */
const IAB_CODE = /^iab\d{1,3}(?:-\d{1,3})?$/i;

/** The labels of an agent, in lower case. */
export type Labels = Readonly<Record<LabelName, readonly string[]>>;

const LABELS: Readonly<Record<LabelName, (document: AgentDocument) => readonly string[]>> = {
  channels: ({ inventory }) => inventory?.channels ?? [],
  property_types: ({ properties }) => Object.keys(properties?.property_summary.count_by_type ?? {}),
  markets: ({ inventory }) => inventory?.markets ?? [],
  categories: (document) => tagsOf(document).filter((tag) => IAB_CODE.test(tag)),
  tags: tagsOf,
  delivery_types: ({ inventory }) => inventory?.deliveryTypes ?? [],
  format_kinds: ({ inventory }) => inventory?.formatKinds ?? [],
  specialisms: ({ inventory }) => inventory?.specialisms ?? [],
  capability: ({ inventory, capabilities }) => [
    ...(inventory?.specialisms ?? []),
    ...(capabilities?.tools.map(({ name }) => name) ?? []),
  ],
};

function tagsOf({ properties }: AgentDocument): readonly string[] {
  return properties?.property_summary.tags ?? [];
}

/** The labels of an agent, each once. */
export function labelsOf(document: AgentDocument): Labels {
  const all = LABEL_NAMES.map((name) => [
    name,
    [...new Set(LABELS[name](document).map((label) => label.toLowerCase()))],
  ]);
  return Object.fromEntries(all) as unknown as Labels;
}

/** Stands for a value of a label, in lower case. */
export function labelMark(name: LabelName, value: string): string {
  return `${name}:${value}`;
}

/** Stands for the host of an agent's address. */
export function hostMark(host: string): string {
  return `host:${host}`;
}

/** Every agent that is found has it. */
export const EVERYBODY = 'agent:';
export const TRUSTED_MATCH = 'has_tmp:true';
export const NO_TRUSTED_MATCH = 'has_tmp:false';

/** At least so many properties, a power of two. */
export function sizeMark(properties: number): string {
  return `properties:${2 ** Math.floor(Math.log2(properties))}`;
}

/** What the filters of a search ask for: `field:value`. */
export function marksOf(document: AgentDocument, labels: Labels): readonly string[] {
  const facets = (Object.keys(FACETS) as FacetName[]).flatMap((facet) =>
    FACETS[facet].of(document).map((mark) => `${facet}:${mark}`),
  );
  const values = (['metric_ids', 'accreditations'] as const).flatMap((field) =>
    VALUES[field].of(document).map((value) => `${field}:${value}`),
  );
  const claims = document.claims === undefined ? [] : claimMarks(document.claims);
  const ofLabels = LABEL_NAMES.flatMap((name) => labels[name].map((value) => labelMark(name, value)));
  const properties = document.properties?.stats.property_count ?? 0;
  const sizes = properties < 1 ? 0 : 1 + Math.floor(Math.log2(properties));
  return [
    ...new Set([
      ...[EVERYBODY, hostMark(new URL(document.url).hostname)],
      document.inventory?.hasTmp ? TRUSTED_MATCH : NO_TRUSTED_MATCH,
      ...[...facets, ...values, ...claims, ...ofLabels],
      ...Array.from({ length: sizes }, (_, power) => sizeMark(2 ** power)),
    ]),
  ];
}

/** The values of an agent by the parameter of a search that filters by them. */
export function parameterValues(
  { type, base, badges, metricIds, accreditations, inventory, compliance }: AgentDocument,
  labels: Labels,
): Readonly<Record<FacetParameter, readonly string[]>> {
  return {
    type: [type],
    protocol: base.protocol === null ? [] : [base.protocol],
    verified: [String(badges.length > 0)],
    verification_mode: VERIFICATION_AXES.filter((axis) => badges.some(({ axes }) => axes.includes(axis))),
    metric_id: metricIds,
    accreditation: accreditations,
    ...labels,
    has_tmp: [String(inventory?.hasTmp ?? false)],
    compliance_status: [compliance.status],
  };
}

/** Maximum number of values of one parameter that facets count of one agent. */
export const MAX_FACET_VALUES = 100;

/** Parameter and value: what the facets of a search count. */
export function facetsOf(document: AgentDocument, labels: Labels): readonly (readonly [string, string])[] {
  return Object.entries(parameterValues(document, labels)).flatMap(([parameter, all]) =>
    all.slice(0, MAX_FACET_VALUES).map((value) => [parameter, value] as const),
  );
}
