import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type ClaimCondition, claimCondition, sameMetricIds } from '../../domain/accreditation-claim.ts';
import type { AgentFilter } from '../../domain/agent-query.ts';
import { LABEL_NAMES, type SearchFilter } from '../../domain/agent-search.ts';
import type { VerificationAxis } from '../../domain/compliance.ts';
import type { IndexTables } from './tables.ts';

/** An agent meets a condition if it has one of the values, or a row in another table. */
type Condition =
  | { readonly field: string; readonly anyOf: readonly string[] }
  | { readonly table: 'metric' | 'claim' | 'agent'; readonly where: RawBuilder<SqlBool> };

type FilterConditions = {
  readonly [Member in keyof AgentFilter]-?: (
    wanted: NonNullable<AgentFilter[Member]>,
    filter: AgentFilter,
  ) => Condition | undefined;
};

/**
 * The filters of the list. A list is read along the values of the first filter in use, because these are in the order of the
 * URLs: rare values come first.
 */
const CONDITIONS: FilterConditions = {
  metricIds: (anyOf) => ({ field: 'metric_id', anyOf }),
  accreditations: (anyOf) => ({ field: 'accreditation', anyOf }),
  verificationModes: (axes) => ({ field: 'badge', anyOf: [badgeValue(axes)] }),
  verified: () => ({ field: 'verified', anyOf: ['true'] }),
  type: (type) => ({ field: 'type', anyOf: [type] }),
  complianceStatus: (status) => ({ field: 'compliance_status', anyOf: [status] }),
  protocol: (protocol) => ({ field: 'protocol', anyOf: [protocol] }),
  q: (part) => ({ table: 'metric', where: sql`instr(lower_id, ${exactText(part)}) > 0` }),
  sameMetric: (_, filter) => {
    if (filter.accreditedOn !== undefined) return undefined; // its own condition requires one claim that meets all
    if (filter.accreditations !== undefined) return claimWith(claimCondition(filter));
    const anyOf = sameMetricIds(filter);
    return anyOf && { field: 'metric_id', anyOf };
  },
  accreditedOn: (_, filter) => claimWith(claimCondition(filter)),
};

function claimWith({ metricIds, part, bodies, on }: ClaimCondition): Condition {
  const conditions = [
    metricIds && sql<SqlBool>`metric_id IN ${listOf(metricIds)}`,
    part !== undefined && sql<SqlBool>`instr(lower_id, ${exactText(part)}) > 0`,
    bodies && sql<SqlBool>`body IN ${listOf(bodies)}`,
    on !== undefined && sql<SqlBool>`valid_until >= ${on}`,
  ].filter((condition) => condition !== undefined && condition !== false);
  return { table: 'claim', where: allOf(conditions) };
}

function conditionsOf(filter: AgentFilter): readonly Condition[] {
  return (Object.keys(CONDITIONS) as (keyof AgentFilter)[]).flatMap((member) => {
    const wanted = filter[member];
    if (wanted === undefined) return [];
    const condition = CONDITIONS[member] as (wanted: unknown, filter: AgentFilter) => Condition | undefined;
    return condition(wanted, filter) ?? [];
  });
}

/** The agents under a filter of the list, after a URL: a query with the columns `url`, to be ordered by, and `id`. */
export function listedAgents(tables: IndexTables, filter: AgentFilter, after: string): RawBuilder<unknown> {
  const { agent, value } = tables;
  const [first, ...others] = conditionsOf(filter);
  if (first === undefined) return sql`SELECT url, id FROM ${agent} AS listed WHERE url > ${after}`;
  if ('table' in first) {
    const tests = [first, ...others].map((condition) => isMet(tables, condition));
    return sql`SELECT url, id FROM ${agent} AS listed WHERE url > ${after} AND ${allOf(tests)}`;
  }
  const tests = others.map((condition) => isMet(tables, condition));
  // a UNION of sorted lists is merged: it ends with the last row that is wanted
  const lists = first.anyOf.map(
    (one) => sql`
      SELECT url, id FROM ${value} AS listed
      WHERE ${allOf([sql`term = ${termsOf(tables, first.field, [one])} AND url > ${after}`, ...tests])}`,
  );
  return lists.length === 0
    ? sql`SELECT url, id FROM ${agent} WHERE false`
    : sql`${sql.join(lists, sql` UNION `)}`;
}

/** Whether the agent `listed` meets a condition. */
function isMet(tables: IndexTables, condition: Condition): RawBuilder<SqlBool> {
  const [table, where] = rowsOf(tables, condition);
  return sql`EXISTS (SELECT 1 FROM ${table} AS held WHERE ${where} AND held.url = listed.url)`;
}

/** The ids of the agents that meet each condition of a search. */
export function idsUnder(tables: IndexTables, filter: SearchFilter): readonly RawBuilder<unknown>[] {
  const { labels, hasTmp, hosts, minProperties = 0 } = filter;
  const conditions: Condition[] = [...conditionsOf(filter.listed)];
  for (const field of LABEL_NAMES) {
    const anyOf = labels[field];
    if (anyOf !== undefined) conditions.push({ field, anyOf });
  }
  if (hosts !== undefined) conditions.push({ field: 'host', anyOf: hosts });
  if (hasTmp !== undefined) conditions.push({ field: 'has_tmp', anyOf: [String(hasTmp)] });
  if (minProperties > 0) conditions.push({ table: 'agent', where: sql`property_count >= ${minProperties}` });
  return conditions.map((condition) => {
    const [table, where] = rowsOf(tables, condition);
    return sql`(SELECT id FROM ${table} WHERE ${where})`;
  });
}

function rowsOf(tables: IndexTables, condition: Condition): [RawBuilder<unknown>, RawBuilder<SqlBool>] {
  if ('table' in condition) return [tables[condition.table], condition.where];
  return [tables.value, sql`term IN ${termsOf(tables, condition.field, condition.anyOf)}`];
}

/** The ids of the values that any agent has. */
function termsOf({ term }: IndexTables, field: string, values: readonly string[]): RawBuilder<unknown> {
  return sql`(SELECT id FROM ${term} WHERE field = ${field} AND value IN ${listOf(values)})`;
}

function allOf(conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> {
  return conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` AND `)}`;
}

/** The rows of ids, in a column `value`. */
export function listOfIds(ids: readonly number[]): RawBuilder<unknown> {
  return sql`json_each(${JSON.stringify(ids)})`;
}

function listOf(values: readonly string[]): RawBuilder<unknown> {
  return values.length === 0 ? sql`()` : sql`(${sql.join(values.map(exactText))})`;
}

/** One badge must cover all axes of a filter, so each set of axes that a badge covers is a value. */
export function badgeValue(axes: readonly VerificationAxis[]): string {
  return axes.toSorted().join('+');
}

/**
 * A text as a parameter. The records' database replaces NUL in a parameter, because PostgreSQL cannot store it; the index of one
 * engine stores it, so that a filter for it finds no other text.
 */
export function exactText(text: string): RawBuilder<string> {
  return text.includes('\0') ? sql`CAST(${Buffer.from(text)} AS TEXT)` : sql`${text}`;
}
