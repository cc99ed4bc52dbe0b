import type { AgentFilter } from '../../../domain/agent-query.ts';
import type { Term } from '../../../query/terms.ts';
import { type AgentPlan, countHeldSql, countListSql, planQuery } from '../../../query/to-sql.ts';
import type { SqliteDatabase } from '../sqlite/database.ts';
import { type OpenGeneration, planUrls } from './find-agents.ts';

/** Several lists up to this length together are merged to be counted; beyond it one pass is cheaper. */
const LONGEST_MERGED = 3_000;

/**
 * Exact: at once for type and badge filters, otherwise by the shortest list, by merging a few short ones, or by
 * one pass over the agents that have values.
 */
export function countAgents(database: SqliteDatabase, open: OpenGeneration, filter: AgentFilter): number {
  const plan = planQuery(filter, open.vocabulary, Number.MAX_SAFE_INTEGER);
  if (plan.choices.length === 0) return plan.rows;
  const [only, ...others] = plan.terms;
  const ofValue = plan.checks.length < plan.choices.length;
  if (only !== undefined && others.length === 0 && ofValue) return countList(database, open.id, plan, only);
  if (plan.rows > LONGEST_MERGED) return countHeld(database, open.id, plan);
  const merged = planUrls(database, open, plan, { after: '', expected: plan.rows });
  return merged.reduce((count) => count + 1, 0);
}

function countList(database: SqliteDatabase, id: number, plan: AgentPlan, term: Term): number {
  const checks = plan.checks.map((check) => JSON.stringify([...check]));
  const conditions = checks.length === 0 ? [] : [...plan.signatures, ...checks];
  const statement = database.statement(countListSql(id, checks.length));
  return (statement.get(term, plan.mask, plan.want, ...conditions) as { agents: number }).agents;
}

function countHeld(database: SqliteDatabase, id: number, plan: AgentPlan): number {
  const choices = plan.choices.map((terms) => JSON.stringify(terms));
  const statement = database.statement(countHeldSql(id, choices.length));
  return (statement.get(plan.mask, plan.want, ...choices) as { agents: number }).agents;
}
