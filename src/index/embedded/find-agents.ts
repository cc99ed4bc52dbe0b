import type { AgentFilter, AgentHit, AgentPage, AgentQuery } from '../../domain/agent-query.ts';
import type { SqliteDatabase } from '../../records/sqlite/sqlite-database.ts';
import { type AgentPlan, planQuery } from './plan.ts';
import { createHitReader, type HitReader, isOneList, type Planned } from './read-hits.ts';
import { tablesOf } from './tables.ts';
import { BEARS, listSql, rowConditions, type WalkStart, walkLists } from './term-lists.ts';
import { createVocabulary, type Term, type Vocabulary } from './terms.ts';

/** What this process keeps of one generation. */
export interface OpenGeneration {
  readonly id: number;
  readonly vocabulary: Vocabulary;
  readonly sql: ReturnType<typeof generationSql>;
  readonly hits: HitReader;
}

export function openGeneration(database: SqliteDatabase, id: number): OpenGeneration {
  const hits = createHitReader(database, id);
  return { id, vocabulary: createVocabulary(database, id), sql: generationSql(id), hits };
}

function generationSql(id: number) {
  return { ...listSql(id), held: `SELECT terms FROM ${tablesOf(id).held} WHERE url = ?` };
}

/** One page, in one snapshot of the database that the caller holds. */
export function findAgents(
  database: SqliteDatabase,
  open: OpenGeneration,
  query: AgentQuery,
  planned: Planned,
): AgentPage {
  const { filter, after = '', limit } = query;
  const plan = planQuery(filter, open.vocabulary, limit);
  if (isOneList(plan)) return pageOf(open.hits.walk(plan, { ...query, limit: limit + 1 }, planned), limit);
  const urls: string[] = [];
  for (const url of planUrls(database, open, plan, { after, expected: limit + 1 })) {
    urls.push(url);
    if (urls.length > limit) break;
  }
  return { hits: open.hits.of(urls.slice(0, limit), query), more: urls.length > limit };
}

/** Of the agents that were asked for and one more. */
function pageOf(hits: readonly AgentHit[], limit: number): AgentPage {
  return { hits: hits.slice(0, limit), more: hits.length > limit };
}

/** The agents of a plan in order, each once. */
function* planUrls(
  database: SqliteDatabase,
  { sql }: OpenGeneration,
  plan: AgentPlan,
  start: WalkStart,
): Generator<string> {
  const urls = walkLists(database, sql, plan, start);
  if (plan.checks.length === 0) return yield* urls;
  const held = database.statement(sql.held);
  for (const url of urls) {
    const { terms } = held.get(url) as { terms: string };
    const values = JSON.parse(terms) as Term[];
    if (plan.checks.every((check) => values.some((term) => check.has(term)))) yield url;
  }
}

/** Several lists up to this length together are merged to be counted; beyond it one pass is cheaper. */
const LONGEST_MERGED = 3_000;

/**
 * Exact: at once for type and badge filters, otherwise by the shortest list, by merging a few short ones, or by
 * one pass over the agents that have values.
 */
export function countAgents(database: SqliteDatabase, open: OpenGeneration, filter: AgentFilter): number {
  const plan = planQuery(filter, open.vocabulary, Number.MAX_SAFE_INTEGER);
  if (plan.choices.length === 0) return open.vocabulary.agentsWith(plan.flags);
  const [only, ...others] = plan.terms;
  const ofValue = plan.checks.length < plan.choices.length;
  if (only !== undefined && others.length === 0 && ofValue) return countList(database, open.id, plan, only);
  if (plan.rows > LONGEST_MERGED) return countHeld(database, open.id, plan);
  const merged = planUrls(database, open, plan, { after: '', expected: plan.rows });
  return merged.reduce((count) => count + 1, 0);
}

function countList(database: SqliteDatabase, id: number, plan: AgentPlan, term: Term): number {
  const conditions = rowConditions(plan);
  const checks = plan.checks.map((check) => JSON.stringify([...check]));
  const statement = database.statement(countListSql(id, conditions.sql, checks.length));
  return (statement.get(term, ...conditions.values, ...checks) as { agents: number }).agents;
}

function countHeld(database: SqliteDatabase, id: number, plan: AgentPlan): number {
  const choices = plan.choices.map((terms) => JSON.stringify(terms));
  const statement = database.statement(countHeldSql(id, choices.length));
  return (statement.get(plan.flags, ...choices) as { agents: number }).agents;
}

const HOLDS_ONE = 'EXISTS (SELECT 1 FROM json_each(h.terms) WHERE value IN (SELECT value FROM json_each(?)))';

/** Counts the agents of one list; binds the term, the values of the conditions, and each check as a JSON array of terms. */
function countListSql(generation: number, conditions: string, checks: number): string {
  const { term, held } = tablesOf(generation);
  const list = `d.term = ?${conditions}`;
  if (checks === 0) return `SELECT count(*) AS agents FROM ${term} d WHERE ${list}`;
  return `SELECT count(*) AS agents FROM ${term} d CROSS JOIN ${held} h ON h.url = d.url
    WHERE ${[list, ...Array(checks).fill(HOLDS_ONE)].join(' AND ')}`;
}

/** Counts by one pass over the agents that have values; binds the flags and each choice as a JSON array of terms. */
function countHeldSql(generation: number, choices: number): string {
  const conditions = [BEARS.replace('d.', 'h.'), ...Array(choices).fill(HOLDS_ONE)];
  return `SELECT count(*) AS agents FROM ${tablesOf(generation).held} h WHERE ${conditions.join(' AND ')}`;
}
