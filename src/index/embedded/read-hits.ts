import type { SQLInputValue } from 'node:sqlite';
import type { AgentHit, AgentQuery, LiveText, ShownGroups } from '../../domain/agent-query.ts';
import type { Health } from '../../domain/observation.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { readGroups } from '../query/list-query.ts';
import { liveText } from '../query/live-text.ts';
import { recordText } from '../query/record-text.ts';
import type { GenerationRow } from './generations.ts';
import type { AgentPlan } from './plan.ts';
import type { RecordMemory } from './record-memory.ts';
import { tablesOf } from './tables.ts';
import { BEARS } from './term-lists.ts';
import { ALL_AGENTS } from './terms.ts';

/** Of which generation a plan was made, and of which of its states. */
export type Planned = Pick<GenerationRow, 'id' | 'state' | 'changes'>;

/** Reads hits of one generation: their versions in one range, and with a second statement the records that are not in memory. */
export interface HitReader {
  /** The first agents behind a place in the only list of a plan that `isOneList`; none when the generation is in another state. */
  walk(plan: AgentPlan, query: AgentQuery, planned: Planned): readonly AgentHit[];
  /** The same by one statement, which is a snapshot by itself, with all groups; undefined when it finds none, or one whose record is not in memory. */
  walkKnown(plan: AgentPlan, query: AgentQuery, planned: Planned): readonly AgentHit[] | undefined;
  /** These agents, in their order. */
  of(urls: readonly string[], query: AgentQuery): readonly AgentHit[];
}

/** Whether one list has the agents of a plan, and no others. */
export function isOneList({ terms, checks }: AgentPlan): boolean {
  return terms.length === 1 && checks.length === 0;
}

export function createHitReader(
  database: SqliteDatabase,
  generation: number,
  memory: RecordMemory,
): HitReader {
  const sql = {
    bare: hitSql(generation, 'a.url, a.seq'),
    record: hitSql(generation, 'a.id, a.seq, a.changed'),
  };
  const hitsOf = createRecordReader(database, generation, memory);
  const rowsOf = (source: keyof typeof sql.bare, { shown }: AgentQuery, given: readonly SQLInputValue[]) =>
    database.rows(sql[shown === undefined ? 'bare' : 'record'][source]).all(...given) as unknown;
  const walked = (
    { terms: [term = ALL_AGENTS], rowFlags }: AgentPlan,
    query: AgentQuery,
    planned: Planned,
  ) => {
    const { after = '', limit } = query;
    const of = [planned.id, planned.state, planned.changes];
    if (term === ALL_AGENTS) return rowsOf('all', query, [...of, after, limit]);
    if (rowFlags === 0) return rowsOf('list', query, [...of, term, after, limit]);
    return rowsOf('bearing', query, [...of, term, after, rowFlags, limit]);
  };
  const read = (rows: unknown, query: AgentQuery) => {
    if (query.shown !== undefined) return hitsOf(rows as readonly VersionRow[], query, query.shown);
    return (rows as readonly BareRow[]).map(([url, seq]) => ({ url, seq }));
  };
  return {
    walk: (plan, query, planned) => read(walked(plan, query, planned), query),
    walkKnown(plan, query, planned) {
      const rows = walked(plan, query, planned) as readonly VersionRow[];
      const found = knownOf(memory, generation, rows);
      return found.length === 0 || found.includes(undefined) ? undefined : (found as readonly AgentHit[]);
    },
    of: (urls, query) => read(rowsOf('urls', query, [JSON.stringify(urls)]), query),
  };
}

/** Records with all of their groups are kept in memory, and no others. */
export function showsAll(shown: ShownGroups | undefined): boolean {
  return shown !== undefined && Object.values(shown).every(Boolean);
}

function knownOf(memory: RecordMemory, generation: number, rows: readonly VersionRow[]) {
  return rows.map(([id, seq, changed]) => memory.get({ generation, id, seq, changed }));
}

type BareRow = readonly [url: string, seq: number];
type VersionRow = readonly [id: number, seq: number, changed: number];

/** `LIMIT +?`, because since 3.46 SQLite plans a statement again for each value of a bare `LIMIT ?`. */
function hitSql(generation: number, columns: string) {
  const { agent, term } = tablesOf(generation);
  const of = (from: string, where: string) => `SELECT ${columns} FROM ${from} WHERE ${where}`;
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

/** Reads the records of rows; those that have every group are kept. */
function createRecordReader(database: SqliteDatabase, generation: number, memory: RecordMemory) {
  const { record } = tablesOf(generation);
  return (rows: readonly VersionRow[], { filter }: AgentQuery, shown: ShownGroups): readonly AgentHit[] => {
    const found = knownOf(memory, generation, rows);
    if (!found.includes(undefined)) return found as readonly AgentHit[];
    const missing = rows.flatMap(([id], at) => (found[at] === undefined ? [id] : []));
    const read = readGroups(shown, filter);
    const isWhole = showsAll(read);
    const texts: unknown = database.rows(recordSql(record, read)).all(JSON.stringify(missing));
    const records = new Map((texts as readonly RecordRow[]).map((row) => [row[0], row]));
    return rows.flatMap(([id, seq, changed], at) => {
      const [known, row] = [found[at], records.get(id)];
      if (known !== undefined) return known;
      if (row === undefined) return [];
      const { url, stored, live } = recordOf(row);
      if (isWhole) return memory.keep({ generation, id, seq, changed }, url, stored, live);
      return { url, seq, record: recordText(stored, live) };
    });
  };
}

type RecordRow = readonly [
  ...[id: number, url: string, digest: string],
  ...[head: string, stats: string, capabilities: string, compliance: string, domains: string],
  ...LiveColumns,
];
type LiveColumns = readonly [
  ...[seen: string | null, health: string | null, firstSeenAt: number | null, lastSeenAt: number | null],
  ...[checkedAt: number | null, nextCheckAt: number | null, unwritten: string | null],
];

function recordSql(table: string, shown: ShownGroups): string {
  const piece = (group: keyof ShownGroups, name: string) => (shown[group] ? `r.${name}` : "''");
  const columns = [
    ...['r.id', 'r.url', 'r.digest', 'r.head', piece('properties', 'stats')],
    ...[piece('capabilities', 'capabilities'), piece('compliance', 'compliance')],
    ...[piece('properties', 'domains'), 'l.seen_text'],
    // shown or not, as a record in memory has it: the tag of a page is made of it
    ...['l.health_text', 'l.first_seen_at', 'l.last_seen_at', 'l.last_checked_at', 's.next_visit_at'],
    'iif(l.seen_text IS NULL, l.health, NULL)',
  ];
  return `SELECT ${columns} FROM json_each(?) w CROSS JOIN ${table} r ON r.id = w.value
    LEFT JOIN agent l ON l.agent = r.url LEFT JOIN source s ON s.kind = 'agent' AND s.key = r.url`;
}

function recordOf([, url, digest, head, stats, capabilities, compliance, domains, ...live]: RecordRow) {
  const pieces = { head, stats, capabilities, compliance, domains };
  return { url, stored: { digest, pieces }, live: liveOf(live) };
}

function liveOf(columns: LiveColumns): LiveText {
  const [seen, health, firstSeenAt, lastSeenAt, checkedAt, nextCheckAt, unwritten] = columns;
  if (firstSeenAt === null) return liveText(undefined);
  if (seen !== null) return { seen, health: health ?? '', seenAt: lastSeenAt ?? firstSeenAt, nextCheckAt };
  // no probe has written its text yet
  const seenHealth = JSON.parse(unwritten ?? 'null') as Health | null;
  return liveText({ firstSeenAt, lastSeenAt, lastCheckedAt: checkedAt, nextCheckAt, health: seenHealth });
}
