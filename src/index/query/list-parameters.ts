import type { JsonObject } from '../../base/json.ts';
import type { ShownGroups } from '../../domain/agent-query.ts';
import { FILTERS, type ListParameter } from './filters.ts';

/** Maximum number of distinct values of a repeatable parameter. */
export const MAX_VALUES = 20;
/** Maximum number of agents in one response, and the default of `limit`. */
export const MAX_LIMIT = 10_000;

type Named<Name extends string> = { readonly [N in Name]: Omit<ListParameter, 'name'> };

/** Each adds a group to the records of the answer. */
export const SWITCHES: Named<keyof ShownGroups> = {
  health: { kind: 'boolean', description: 'When true, adds the group health.' },
  capabilities: { kind: 'boolean', description: 'When true, adds the group capabilities.' },
  properties: {
    kind: 'boolean',
    description: 'When true, adds stats, publisher_domains and property_summary.',
  },
  compliance: { kind: 'boolean', description: 'When true, adds the group compliance.' },
};

/** Pagination. */
const PAGING: Named<'limit' | 'cursor' | 'total'> = {
  limit: {
    kind: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    description: `Maximum number of agents in one response, 1 to ${MAX_LIMIT}. Default: ${MAX_LIMIT}. A response has at most 2 MiB.`,
  },
  cursor: {
    kind: 'cursor',
    description: 'The next_cursor of the previous response, with the same filters.',
  },
  total: {
    kind: 'boolean',
    description: 'When true, adds total: the number of agents that match the filters.',
  },
};

/** The parameters of the list operation (specification, 4.1). */
export const LIST_PARAMETERS: readonly ListParameter[] = [
  ...Object.values(FILTERS),
  ...Object.entries({ ...SWITCHES, ...PAGING }).map(([name, rest]) => ({ name, ...rest })),
];

/** The parameters of a table as OpenAPI, with the values of an example. */
export function queryParameters(
  table: readonly ListParameter[],
  examples: Readonly<Record<string, unknown>>,
): readonly JsonObject[] {
  return table.map((parameter) => {
    const { name, description, repeatable } = parameter;
    const values = valueSchema(parameter);
    const list = { type: 'array', minItems: 1, maxItems: MAX_VALUES, items: values };
    const how = repeatable ? { style: 'form', explode: true, schema: list } : { schema: values };
    return { name, in: 'query', description, ...how, ...(name in examples && { example: examples[name] }) };
  });
}

function valueSchema({ kind, values, maxLength, minimum, maximum }: ListParameter): JsonObject {
  if (kind === 'boolean') return { type: 'boolean' };
  if (kind === 'integer') return { type: 'integer', minimum, maximum };
  if (kind === 'enum') return { type: 'string', enum: values };
  return { type: 'string', minLength: 1, maxLength };
}
