import { AGENT_TYPES } from '../domain/agent-type.ts';
import { VERIFICATION_AXES } from '../domain/compliance.ts';

export type ListParameterName =
  | 'type'
  | 'metric_id'
  | 'accreditation'
  | 'q'
  | 'verified'
  | 'verification_mode'
  | 'health'
  | 'capabilities'
  | 'properties'
  | 'compliance'
  | 'limit'
  | 'cursor'
  | 'total';

/** What a value must be: one of `values`, any text, `true` or `false`, a whole number, or a cursor we handed out. */
export type ListParameterKind = 'enum' | 'text' | 'boolean' | 'integer' | 'cursor';

export interface ListParameter {
  readonly name: ListParameterName;
  readonly kind: ListParameterKind;
  readonly repeatable: boolean;
  readonly values?: readonly string[];
  /** Unicode code points. */
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description: string;
}

/** Distinct values that one repeatable parameter may have. */
export const MAX_VALUES = 20;
/** Agents in one response at most, and without `limit`. */
export const MAX_LIMIT = 10_000;

/** The parameters of the list operation (specification, 4.1): what is read, documented and offered as options. */
export const LIST_PARAMETERS: readonly ListParameter[] = [
  {
    name: 'type',
    kind: 'enum',
    repeatable: false,
    values: AGENT_TYPES,
    description: 'Only agents of this type.',
  },
  {
    name: 'metric_id',
    kind: 'text',
    repeatable: true,
    description:
      'Only agents with a metric of exactly this metric_id; several values are alternatives. Implies type=measurement.',
  },
  {
    name: 'accreditation',
    kind: 'text',
    repeatable: true,
    description:
      'Only agents with a metric accredited by exactly this accrediting_body; several values are alternatives. Implies type=measurement.',
  },
  {
    name: 'q',
    kind: 'text',
    repeatable: false,
    maxLength: 64,
    description:
      'Only agents with a metric whose metric_id contains this text, in any case, every character taken literally. Implies type=measurement.',
  },
  {
    name: 'verified',
    kind: 'boolean',
    repeatable: false,
    description: 'When true, only agents that hold an active verification badge.',
  },
  {
    name: 'verification_mode',
    kind: 'enum',
    repeatable: true,
    values: VERIFICATION_AXES,
    description:
      'Only agents with an active badge that covers this axis; repeated, one badge must cover all of them.',
  },
  {
    name: 'health',
    kind: 'boolean',
    repeatable: false,
    description: 'When true, adds the group health.',
  },
  {
    name: 'capabilities',
    kind: 'boolean',
    repeatable: false,
    description: 'When true, adds the group capabilities.',
  },
  {
    name: 'properties',
    kind: 'boolean',
    repeatable: false,
    description: 'When true, adds stats, publisher_domains and property_summary.',
  },
  {
    name: 'compliance',
    kind: 'boolean',
    repeatable: false,
    description: 'When true, adds the group compliance.',
  },
  {
    name: 'limit',
    kind: 'integer',
    repeatable: false,
    minimum: 1,
    maximum: MAX_LIMIT,
    description: `Agents in one response, 1 to ${MAX_LIMIT}; without it, ${MAX_LIMIT}.`,
  },
  {
    name: 'cursor',
    kind: 'cursor',
    repeatable: false,
    description: 'The next_cursor of the response before, under the same filters.',
  },
  {
    name: 'total',
    kind: 'boolean',
    repeatable: false,
    description: 'When true, adds total: how many agents there are under the filters.',
  },
];

/** The entry of a name; undefined when there is no such parameter. */
export function listParameter(name: string): ListParameter | undefined {
  return LIST_PARAMETERS.find((parameter) => parameter.name === name);
}
