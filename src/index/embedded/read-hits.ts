import type { SQLInputValue } from 'node:sqlite';
import type { AgentHit, AgentQuery } from '../../domain/agent-query.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { readGroups } from '../query/list-query.ts';
import type { GenerationRow } from './generations.ts';
import type { AgentPlan } from './plan.ts';
import { tablesOf } from './tables.ts';
import { BEARS } from './term-lists.ts';
import { ALL_AGENTS } from './terms.ts';

/** Of which generation a plan was made, and of which of its states. */
export type Planned = Pick<GenerationRow, 'id' | 'state' | 'changes'>;

/** Reads hits of one generation, with the groups that the query asks for. */
export interface HitReader {
  /** The first agents behind a place in the only list of a plan that `isOneList`; none when the generation is in another state. */
  walk(plan: AgentPlan, query: AgentQuery, planned: Planned): readonly AgentHit[];
  /** These agents, in their order. */
  of(urls: readonly string[], query: AgentQuery): readonly AgentHit[];
}

/** Whether one list has the agents of a plan, and no others. */
export function isOneList({ terms, checks }: AgentPlan): boolean {
  return terms.length === 1 && checks.length === 0;
}

export function createHitReader(database: SqliteDatabase, generation: number): HitReader {
  const read = (source: Source, query: AgentQuery, given: readonly SQLInputValue[]) => {
    const groups = groupsOf(query);
    const sql = hitSql(generation, groups)[source];
    const rows = database.statement(sql).all(...given) as unknown as readonly HitRow[];
    return rows.map((row) => hitOf(row, groups));
  };
  return {
    walk({ terms: [term = ALL_AGENTS], rowFlags }, query, planned) {
      const { after = '', limit } = query;
      const of = [planned.id, planned.state, planned.changes];
      if (term === ALL_AGENTS) return read('all', query, [...of, after, limit]);
      if (rowFlags === 0) return read('list', query, [...of, term, after, limit]);
      return read('bearing', query, [...of, term, after, rowFlags, limit]);
    },
    of: (urls, query) => read('urls', query, [JSON.stringify(urls)]),
  };
}

const OPTIONAL_GROUPS = ['properties', 'capabilities', 'compliance'] as const;
type Group = 'base' | (typeof OPTIONAL_GROUPS)[number];
type HitRow = Pick<AgentHit, 'url' | 'seq'> & Readonly<Record<Group, string | null>>;

/** The groups to read; none if the query asks for the URLs alone. */
function groupsOf({ shown, filter }: AgentQuery): readonly Group[] {
  if (shown === undefined) return [];
  const read = readGroups(shown, filter);
  return ['base', ...OPTIONAL_GROUPS.filter((group) => read[group])];
}

function hitOf(row: HitRow, groups: readonly Group[]): AgentHit {
  const { url, seq, base } = row;
  if (groups.length === 0 || base === null) return { url, seq };
  const observed = groups.filter((group) => row[group] !== null).map((group) => [group, row[group]]);
  return { url, seq, groups: { base, ...Object.fromEntries(observed) } };
}

type Source = keyof ReturnType<typeof hitSql>;

/** `LIMIT +?`, because since 3.46 SQLite plans a statement again for each value of a bare `LIMIT ?`. */
function hitSql(generation: number, groups: readonly Group[]) {
  const { agent, record, term } = tablesOf(generation);
  const columns = ['a.url', 'a.seq', ...groups.map((group) => `r.${group}`)];
  const joined = groups.length === 0 ? '' : ` CROSS JOIN ${record} r ON r.id = a.id`;
  const of = (from: string, where: string) => `SELECT ${columns} FROM ${from}${joined} WHERE ${where}`;
  const inState = (from: string, where: string) =>
    of(`index_generation g CROSS JOIN ${from}`, `g.id = ? AND g.state = ? AND g.changes = ? AND ${where}`);
  const agentsOf = (list: string) => `${list} CROSS JOIN ${agent} a ON a.url =`;
  const list = (bearing: string) =>
    inState(`${agentsOf(`${term} d`)} d.url`, `d.term = ? AND d.url > ?${bearing} ORDER BY d.url LIMIT +?`);
  return {
    all: inState(`${agent} a`, 'a.url > ? ORDER BY a.url LIMIT +?'),
    list: list(''),
    bearing: list(` AND ${BEARS}`),
    urls: of(`${agentsOf('json_each(?) d')} d.value`, 'true ORDER BY d.key'),
  } as const;
}
