import type { AgentFilter, ShownGroups } from '../../domain/agent-query.ts';
import { activeFilters, FILTERS } from './filters.ts';
import { LIST_PARAMETERS, SWITCHES } from './list-parameters.ts';
import { firstProblem } from './parameter-problem.ts';
import type { QueryProblem } from './query-problem.ts';

export interface ListQuery {
  readonly filter: AgentFilter;
  readonly switches: ShownGroups;
  /** 1 to 10,000; absent: as many as fit into one response. */
  readonly limit?: number;
  /** As given; `openCursor` reads it. */
  readonly cursor?: string;
  readonly total: boolean;
}

export type ReadListQuery =
  | { readonly ok: true; readonly query: ListQuery }
  | { readonly ok: false; readonly problem: QueryProblem };

const SWITCH_NAMES = Object.keys(SWITCHES) as (keyof ShownGroups)[];

/**
 * Reads the parameters of the list operation (specification, 4.1) by its strict rules: a parameter that is unknown, empty,
 * out of range, or repeated without being repeatable is a problem and never ignored. The measurement
 * filters imply type=measurement and conflict with any other explicit type. `q` comes out lower-cased, and
 * `accreditation_valid` as the day of `now` (epoch milliseconds).
 */
export function readListQuery(parameters: URLSearchParams, now: number): ReadListQuery {
  const problem = firstProblem(parameters, LIST_PARAMETERS) ?? typeConflict(parameters);
  return problem === undefined ? { ok: true, query: listQuery(parameters, now) } : { ok: false, problem };
}

/** The filter in use that implies a type. */
function implying(parameters: URLSearchParams) {
  return Object.values(FILTERS).find(
    ({ name, kind, implies }) =>
      implies !== undefined && (kind === 'boolean' ? parameters.get(name) === 'true' : parameters.has(name)),
  );
}

function typeConflict(parameters: URLSearchParams): QueryProblem | undefined {
  const type = parameters.get('type');
  const { name, implies } = implying(parameters) ?? {};
  if (implies === undefined || type === null || type === implies) return undefined;
  const detail = `${name} applies to ${implies} agents and cannot be combined with type=${type}`;
  return { code: 'type_conflict', parameter: 'type', detail, validValues: [implies] };
}

function listQuery(parameters: URLSearchParams, now: number): ListQuery {
  const limit = parameters.get('limit');
  const cursor = parameters.get('cursor');
  const switches = SWITCH_NAMES.map((name) => [name, parameters.get(name) === 'true']);
  return {
    filter: listFilter(parameters, now),
    switches: Object.fromEntries(switches) as ShownGroups,
    ...(limit !== null && { limit: Number(limit) }),
    ...(cursor !== null && { cursor }),
    total: parameters.get('total') === 'true',
  };
}

function listFilter(parameters: URLSearchParams, now: number): AgentFilter {
  const type = implying(parameters)?.implies;
  return { ...(type && { type }), ...wantedOf(parameters, now) };
}

/** The filters in use, without a type that they imply. */
export function wantedOf(parameters: URLSearchParams, now: number): AgentFilter {
  const members = Object.entries(FILTERS).flatMap(([member, { name, read }]) => {
    const values = [...new Set(parameters.getAll(name))];
    const wanted = values.length === 0 ? undefined : read(values, now);
    return wanted === undefined ? [] : [[member, wanted]];
  });
  return Object.fromEntries(members);
}

/**
 * The same text for all equivalent query strings: parameters in a fixed order, alternatives sorted, defaults left out.
 * It is the key of the cached answer, and with another cursor the query of the link to the next page.
 */
export function canonicalQuery({ filter, switches, limit, total, cursor }: ListQuery): string {
  const parameters = filterParameters(filter);
  for (const name of SWITCH_NAMES) if (switches[name]) parameters.append(name, 'true');
  if (limit !== undefined) parameters.append('limit', String(limit));
  if (total) parameters.append('total', 'true');
  if (cursor !== undefined) parameters.append('cursor', cursor);
  return parameters.toString();
}

/** The same text for equivalent filters, in any order and on any day. */
export function canonicalFilter(filter: AgentFilter): string {
  return filterParameters(filter).toString();
}

/** The parameters of the filters alone. */
export function filterParameters(filter: AgentFilter): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [{ name, kind }, wanted] of activeFilters(filter)) {
    const values = kind === 'boolean' ? ['true'] : [wanted].flat().map(String);
    for (const value of new Set(values.sort())) parameters.append(name, value);
  }
  return parameters;
}

/** Whether a filter selects metrics or accreditations; the answer then lists those that matched. */
export function filtersMetrics({ metricIds, q, accreditations, accreditedOn }: AgentFilter): boolean {
  return [metricIds, q, accreditations, accreditedOn].some((wanted) => wanted !== undefined);
}

/** The groups to read of each record: those that are shown, and capabilities if the answer names the metrics that met the filter. */
export function readGroups(shown: ShownGroups, filter: AgentFilter): ShownGroups {
  return { ...shown, capabilities: shown.capabilities || filtersMetrics(filter) };
}
