import type { SQLInputValue } from 'node:sqlite';
import type { AgentHit, AgentQuery, LiveText, ShownGroups } from '../../../domain/agent-query.ts';
import type { Health } from '../../../domain/observation.ts';
import { asksMetrics } from '../../../query/list-query.ts';
import { liveText } from '../../../query/live-text.ts';
import { FRESHNESS, TAIL } from '../../../query/record-text.ts';
import type { SqliteDatabase } from '../sqlite/sqlite-database.ts';
import type { AgentPlan } from './plan.ts';
import { tablesOf } from './tables.ts';
import { BEARS } from './term-lists.ts';
import { ALL_AGENTS } from './terms.ts';

/** Reads hits of one generation with one statement: records, and how the agents are, come with the order. */
export interface HitReader {
  /** The first agents behind a place in the only list of a plan that `isOneList`. */
  walk(plan: AgentPlan, query: AgentQuery): readonly AgentHit[];
  /** These agents, in their order. */
  of(urls: readonly string[], query: AgentQuery): readonly AgentHit[];
}

/** Whether one list has the agents of a plan, and no others. */
export function isOneList({ terms, checks }: AgentPlan): boolean {
  return terms.length === 1 && checks.length === 0;
}

export function createHitReader(database: SqliteDatabase, generation: number): HitReader {
  const sources = hitSources(generation);
  const texts = new Map<string, string>();
  const read = (source: keyof typeof sources, { shown, filter }: AgentQuery, ...given: SQLInputValue[]) => {
    const isMeasured = asksMetrics(filter);
    const key = shown === undefined ? source : `${source} ${isMeasured} ${Object.values(shown)}`;
    const sql = texts.get(key) ?? hitSql(sources[source], shown, isMeasured);
    texts.set(key, sql);
    const rows: unknown = database.rows(sql).all(...given);
    return shown === undefined ? (rows as BareRow[]).map(bareHit) : (rows as RecordRow[]).map(recordHit);
  };
  return {
    walk({ terms: [term = ALL_AGENTS], flags }, query) {
      const { after = '', limit } = query;
      return term === ALL_AGENTS
        ? read('all', query, after, limit)
        : read('list', query, term, after, flags, limit);
    },
    of: (urls, query) => read('urls', query, JSON.stringify(urls)),
  };
}

type HitSource = readonly [from: string, where: string];

function hitSources(generation: number) {
  const { agent, term } = tablesOf(generation);
  const of = (list: string) => `${list} CROSS JOIN ${agent} a ON a.url =`;
  return {
    all: [`${agent} a`, 'a.url > ? ORDER BY a.url LIMIT ?'],
    list: [`${of(`${term} d`)} d.url`, `d.term = ? AND d.url > ? AND ${BEARS} ORDER BY d.url LIMIT ?`],
    urls: [`${of('json_each(?) d')} d.value`, 'true ORDER BY d.key'],
  } as const satisfies Record<string, HitSource>;
}

function hitSql([from, where]: HitSource, shown: ShownGroups | undefined, isMeasured: boolean): string {
  if (shown === undefined) return `SELECT a.url, a.seq FROM ${from} WHERE ${where}`;
  const pieces = TAIL.flatMap(([piece, group]) => (shown[group] ? [`a.${piece}`] : []));
  const health = shown.health ? ['l.health_text'] : [];
  // of an agent that no probe has written a text of yet
  const state = 'json_array(l.first_seen_at, l.last_seen_at, l.last_checked_at, l.health)';
  const columns = [
    ...['a.url', 'a.seq', `concat(a.head, '${FRESHNESS}', l.seen_text)`],
    `concat(${[...health, ...pieces, "'}'"]})`,
    `concat(${['a.digest', 'l.seen_text', ...health]})`,
    isMeasured ? 'a.capabilities' : "''",
    ...['coalesce(l.last_seen_at, l.first_seen_at)', 's.next_visit_at'],
    `CASE WHEN l.first_seen_at IS NOT NULL AND l.seen_text IS NULL THEN ${state} END`,
  ];
  return `SELECT ${columns} FROM ${from} LEFT JOIN agent l ON l.agent = a.url
    LEFT JOIN source s ON s.kind = 'agent' AND s.key = a.url WHERE ${where}`;
}

type BareRow = readonly [url: string, seq: number];

type RecordRow = readonly [
  ...BareRow,
  head: string,
  tail: string,
  digest: string,
  capabilities: string,
  seenAt: number | null,
  nextCheckAt: number | null,
  unwritten: string | null,
];

type UnwrittenState = readonly [number, number | null, number | null, string | null];

function bareHit([url, seq]: BareRow): AgentHit {
  return { url, seq };
}

function recordHit(row: RecordRow): AgentHit {
  const [url, seq, head, tail, digest, capabilities, seenAt, nextCheckAt, unwritten] = row;
  const live =
    unwritten === null
      ? { seen: '', seenAt, nextCheckAt, health: '' }
      : unwrittenText(unwritten, nextCheckAt);
  return { url, seq, record: { head, tail, digest, capabilities, live } };
}

function unwrittenText(state: string, nextCheckAt: number | null): LiveText {
  const [firstSeenAt, lastSeenAt, lastCheckedAt, healthText] = JSON.parse(state) as UnwrittenState;
  const health = healthText === null ? null : (JSON.parse(healthText) as Health);
  return liveText({ firstSeenAt, lastSeenAt, lastCheckedAt, nextCheckAt, health });
}
