import type { AgentDocument } from '../../domain/agent-document.ts';
import { type FacetParameter, LABEL_NAMES, type LabelName } from '../../domain/agent-search.ts';
import { VERIFICATION_AXES, type VerificationAxis } from '../../domain/compliance.ts';

/**
 * The version of the stored form of a document. Increment it with every change of what an engine stores, or how. A generation of another layout is refused until the index is rebuilt.
 */
export const INDEX_LAYOUT = 13;

/** The sets of axes that a badge can cover. */
export const AXIS_SETS: readonly (readonly VerificationAxis[])[] = Array.from(
  { length: 2 ** VERIFICATION_AXES.length },
  (_, set) => VERIFICATION_AXES.filter((_axis, bit) => (set >> bit) % 2 === 1),
);

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
