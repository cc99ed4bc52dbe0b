import { hasOneMetric, utcDay } from '../../domain/accreditation-claim.ts';
import type { AgentDocument } from '../../domain/agent-document.ts';
import type { AgentFilter } from '../../domain/agent-query.ts';
import { AGENT_TYPES, type AgentType, PROTOCOLS, type Protocol } from '../../domain/agent-type.ts';
import {
  COMPLIANCE_STATUSES,
  type ComplianceStatus,
  VERIFICATION_AXES,
  type VerificationAxis,
} from '../../domain/compliance.ts';
import { AXIS_SETS } from './index-fields.ts';

/** A parameter: how it is read, documented and offered on the command line. */
export interface ListParameter<Name extends string = string> {
  readonly name: Name;
  /** A value is one of `values`, any text, `true` or `false`, a whole number, or a cursor of this registry. */
  readonly kind: 'enum' | 'text' | 'boolean' | 'integer' | 'cursor';
  readonly description: string;
  readonly repeatable?: true;
  readonly values?: readonly string[];
  /** Unicode code points. */
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** The type of its agents. It conflicts with every other type. */
  readonly implies?: AgentType;
}

/** A filter of the list operation, and its meaning. Each engine has a query for it. */
export interface FilterParameter<Wanted> extends ListParameter {
  readonly kind: 'enum' | 'text' | 'boolean';
  /** Reads the distinct values, at `now` (epoch milliseconds). Undefined: no filter. */
  read(values: readonly string[], now: number): Wanted | undefined;
  /** Whether a document matches, under the whole filter. Every engine must agree. */
  matches(document: AgentDocument, wanted: Wanted, filter: AgentFilter): boolean;
  /** Values to test with an index of these documents. */
  samples(documents: readonly AgentDocument[]): readonly Wanted[];
}

type Filters = {
  readonly [Member in keyof AgentFilter]-?: FilterParameter<NonNullable<AgentFilter[Member]>>;
};

/** The filters by their field of the neutral filter (specification, 4.1), in the order of the documentation. */
export const FILTERS: Filters = {
  type: {
    name: 'type',
    kind: 'enum',
    values: AGENT_TYPES,
    description: 'Only agents of this type.',
    read: ([type]) => type as AgentType,
    matches: ({ type }, wanted) => type === wanted,
    samples: () => AGENT_TYPES,
  },
  metricIds: {
    name: 'metric_id',
    kind: 'text',
    repeatable: true,
    implies: 'measurement',
    description:
      'Only agents with a metric that has exactly this metric_id. Repeat it for alternatives. Implies type=measurement.',
    read: (values) => values,
    matches: ({ metricIds }, wanted) => wanted.some((id) => metricIds.includes(id)),
    samples: (documents) => documents.flatMap(({ metricIds }) => metricIds.map((id) => [id])),
  },
  accreditations: {
    name: 'accreditation',
    kind: 'text',
    repeatable: true,
    implies: 'measurement',
    description:
      'Only agents with a metric that is accredited by exactly this accrediting_body, as the vendor declares. Repeat it for alternatives. Implies type=measurement.',
    read: (values) => values,
    matches: ({ accreditations }, wanted) => wanted.some((body) => accreditations.includes(body)),
    samples: (documents) => documents.flatMap(({ accreditations }) => accreditations.map((body) => [body])),
  },
  q: {
    name: 'q',
    kind: 'text',
    maxLength: 64,
    implies: 'measurement',
    description:
      'Only agents with a metric whose metric_id contains this text. Case-insensitive; every character is literal. Implies type=measurement.',
    read: ([text]) => text?.toLowerCase(),
    matches: ({ metricIds }, wanted) => metricIds.some((id) => id.toLowerCase().includes(wanted)),
    samples: (documents) =>
      documents.flatMap(({ metricIds }) => metricIds.map(middle)).filter((q) => q !== ''),
  },
  sameMetric: {
    name: 'same_metric',
    kind: 'boolean',
    implies: 'measurement',
    description:
      'When true, a single metric must meet metric_id, accreditation, q and accreditation_valid, if they are given. Implies type=measurement.',
    read: ([text]) => (text === 'true' ? true : undefined),
    matches: (document, _, filter) => hasOneMetric(document, filter),
    samples: () => [true],
  },
  accreditedOn: {
    name: 'accreditation_valid',
    kind: 'boolean',
    implies: 'measurement',
    description:
      'When true, an accreditation, or one of those in accreditation, must not have expired. Its last day ends at midnight UTC. Implies type=measurement.',
    read: ([text], now) => (text === 'true' ? utcDay(now) : undefined),
    matches: (document, _, filter) => hasOneMetric(document, filter),
    samples: () => ['2026-11-23'],
  },
  verified: {
    name: 'verified',
    kind: 'boolean',
    description: 'When true, only agents that hold an active verification badge.',
    read: ([text]) => (text === 'true' ? true : undefined),
    matches: ({ badges }) => badges.length > 0,
    samples: () => [true],
  },
  verificationModes: {
    name: 'verification_mode',
    kind: 'enum',
    repeatable: true,
    values: VERIFICATION_AXES,
    description:
      'Only agents with an active badge that covers this axis. If it is repeated, one badge must cover all of them.',
    read: (values) => values as readonly VerificationAxis[],
    matches: ({ badges }, wanted) => badges.some(({ axes }) => wanted.every((axis) => axes.includes(axis))),
    samples: () => AXIS_SETS.filter((axes) => axes.length > 0),
  },
  protocol: {
    name: 'protocol',
    kind: 'enum',
    values: PROTOCOLS,
    description: 'Only agents that the last successful probe reached over this protocol.',
    read: ([protocol]) => protocol as Protocol,
    matches: ({ base }, wanted) => base.protocol === wanted,
    samples: () => PROTOCOLS,
  },
  complianceStatus: {
    name: 'compliance_status',
    kind: 'enum',
    values: COMPLIANCE_STATUSES,
    description: 'Only agents with this status. Agents without a test are unknown.',
    read: ([status]) => status as ComplianceStatus,
    matches: ({ compliance }, wanted) => compliance.status === wanted,
    samples: () => COMPLIANCE_STATUSES,
  },
};

/** A part from the middle of the value. */
function middle(value: string): string {
  const characters = [...value.toLowerCase()];
  const from = Math.max(0, Math.floor((characters.length - 6) / 2));
  return characters.slice(from, from + 6).join('');
}

const ENTRIES = Object.entries(FILTERS) as [keyof AgentFilter, FilterParameter<unknown>][];

/** The filters in use, each with its value. */
export function activeFilters(
  filter: AgentFilter,
): readonly (readonly [FilterParameter<unknown>, unknown])[] {
  return ENTRIES.flatMap(([member, entry]) => {
    const wanted = filter[member];
    return wanted === undefined ? [] : [[entry, wanted] as const];
  });
}

/**
 * Whether a document is among the answers under a filter: the meaning of the filters, which every engine is held to.
 * Each condition holds for the agent as a whole: `metric_id` and `accreditation` may be met by different metrics, unless
 * `same_metric` asks for one.
 */
export function matches(filter: AgentFilter, document: AgentDocument): boolean {
  return activeFilters(filter).every(([entry, wanted]) => entry.matches(document, wanted, filter));
}
