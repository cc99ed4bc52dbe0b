import type { AgentHit, AgentPage, AgentQuery } from '../../../domain/agent-query.ts';
import type { Term } from '../../../query/terms.ts';
import { type AgentPlan, listSql, planQuery, tablesOf } from '../../../query/to-sql.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';
import { mergeLists } from './merge-lists.ts';
import { openTermLists, type Walk } from './term-list.ts';
import { createVocabulary, type SqliteVocabulary } from './vocabulary.ts';

/** What this process keeps of one generation. */
export interface OpenGeneration {
  readonly id: number;
  readonly vocabulary: SqliteVocabulary;
  readonly sql: ReturnType<typeof generationSql>;
}

export function openGeneration(database: SqliteDatabase, id: number): OpenGeneration {
  return { id, vocabulary: createVocabulary(database, id), sql: generationSql(id) };
}

function generationSql(id: number) {
  const { agent } = tablesOf(id);
  const hit = `SELECT url, seq, base, properties, capabilities, compliance FROM ${agent} WHERE url = ?`;
  return { ...listSql(id), hit };
}

interface HitRow {
  readonly url: string;
  readonly seq: number;
  readonly base: string;
  readonly properties: string | null;
  readonly capabilities: string | null;
  readonly compliance: string;
}

/** One page, in one snapshot of the database that the caller holds. */
export function findAgents(database: SqliteDatabase, open: OpenGeneration, query: AgentQuery): AgentPage {
  const { filter, after = '', limit } = query;
  const plan = planQuery(filter, open.vocabulary, limit);
  const urls: string[] = [];
  for (const url of planUrls(database, open, plan, { after, expected: limit + 1 })) {
    urls.push(url);
    if (urls.length > limit) break;
  }
  const statement = database.statement(open.sql.hit);
  const hits = urls.slice(0, limit).map((url) => agentHit(statement.get(url) as unknown as HitRow));
  return { hits, more: urls.length > limit };
}

/** The agents of a plan in order, each once. */
export function* planUrls(
  database: SqliteDatabase,
  { sql }: OpenGeneration,
  plan: AgentPlan,
  walk: Walk,
): Generator<string> {
  const urls = mergeLists(openTermLists(database, sql, plan, walk));
  if (plan.checks.length === 0) return yield* urls;
  const held = database.statement(sql.held);
  for (const url of urls) {
    const { terms } = held.get(url) as { terms: string };
    const values = JSON.parse(terms) as Term[];
    if (plan.checks.every((check) => values.some((term) => check.has(term)))) yield url;
  }
}

function agentHit({ properties, capabilities, ...row }: HitRow): AgentHit {
  return {
    ...row,
    ...(properties !== null && { properties }),
    ...(capabilities !== null && { capabilities }),
  };
}
