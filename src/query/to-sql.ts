import type { AgentFilter } from '../domain/agent-query.ts';
import {
  ALL_AGENTS,
  ANY_SIGNATURE,
  type FixedPart,
  fixedPart,
  signature,
  type Term,
  type ValueKind,
} from './terms.ts';

/** What the planner asks of an index: its values and how many agents hold each. */
export interface Vocabulary {
  /** Undefined for a value that no agent holds. */
  readonly metric: (metricId: string) => Term | undefined;
  readonly body: (accreditingBody: string) => Term | undefined;
  /** The metric ids with `q` in their lower-cased form. */
  metricsContaining(q: string): readonly Term[];
  agents(term: Term): number;
}

/**
 * How the agents under a filter are found: the ordered lists of `terms` are merged; each row must satisfy
 * `flags & mask = want` and share a bit with each of the `signatures`; and the agent must hold a term of each of
 * the `checks`.
 */
export interface AgentPlan {
  readonly terms: readonly Term[];
  readonly mask: number;
  readonly want: number;
  readonly signatures: readonly [number, number];
  readonly checks: readonly ReadonlySet<Term>[];
  /** The summed length of the lists to merge. */
  readonly rows: number;
  /** All conditions on values, each a choice of terms: what a count that walks no list asks for. */
  readonly choices: readonly (readonly Term[])[];
}

/** One condition: the agent holds any of these terms. */
interface Clause {
  readonly kind: ValueKind | 'fixed';
  readonly terms: readonly Term[];
  /** The summed length of the lists. */
  readonly rows: number;
}

/** In microseconds, as measured; only their proportions matter. `read` is a row that reaches this process. */
const COST = { list: 4, read: 1, readAndChecked: 3, skipped: 0.06 };
/** How much of walking a list to its end counts, in case the conditions exclude each other. */
const PESSIMISM = 0.05;
/** The share of the signature's bits of a kind that a usual agent sets: what passes it by chance, for one term. */
const PASSES: Readonly<Record<Clause['kind'], number>> = { body: 3 / 24, metric: 8 / 28, fixed: 0 };

/**
 * Chooses the condition whose lists are walked, by how many agents hold its values: rare values are gathered,
 * common ones are walked until `limit` agents are found. No text of the user gets further than the vocabulary.
 */
export function planQuery(filter: AgentFilter, vocabulary: Vocabulary, limit: number): AgentPlan {
  const part = fixedPart(filter);
  const clauses = valueClauses(filter, vocabulary);
  const fixed: Clause = { kind: 'fixed', terms: [part.term], rows: vocabulary.agents(part.term) };
  const nobody = clauses.find((clause) => clause.rows === 0);
  if (nobody !== undefined) return plan(part, nobody, []);
  const drivers = part.term === ALL_AGENTS && clauses.length > 0 ? clauses : [fixed, ...clauses];
  const costs = drivers.map((driver) => walkCost(driver, drivers, limit));
  const driver = drivers[costs.indexOf(Math.min(...costs))] ?? fixed;
  return plan(part, driver, clauses);
}

function plan({ mask, want }: FixedPart, driver: Clause, clauses: readonly Clause[]): AgentPlan {
  const others = clauses.filter((clause) => clause !== driver);
  return {
    terms: driver.terms,
    mask,
    want,
    signatures: [kindSignature(others, 'body'), kindSignature(others, 'metric')],
    checks: others.map((clause) => new Set(clause.terms)),
    rows: driver.rows,
    choices: clauses.map((clause) => clause.terms),
  };
}

function valueClauses(
  { metricIds, accreditations, q }: AgentFilter,
  vocabulary: Vocabulary,
): readonly Clause[] {
  const clauses: Clause[] = [];
  const add = (kind: ValueKind, terms: readonly (Term | undefined)[]) =>
    clauses.push(valueClause(kind, terms, vocabulary));
  if (metricIds !== undefined) add('metric', metricIds.map(vocabulary.metric));
  if (accreditations !== undefined) add('body', accreditations.map(vocabulary.body));
  if (q !== undefined) add('metric', vocabulary.metricsContaining(q));
  return clauses;
}

function valueClause(kind: ValueKind, terms: readonly (Term | undefined)[], vocabulary: Vocabulary): Clause {
  const held = new Map<Term, number>();
  for (const term of terms) {
    const agents = term === undefined ? 0 : vocabulary.agents(term);
    if (term !== undefined && agents > 0) held.set(term, agents);
  }
  const rows = held.values().reduce((sum, agents) => sum + agents, 0);
  return { kind, terms: [...held.keys()], rows };
}

/** Walking until `limit` agents satisfy the other conditions, taken as independent of each other. */
function walkCost(driver: Clause, all: readonly Clause[], limit: number): number {
  const others = all.filter((clause) => clause !== driver);
  const checks = others.filter((clause) => clause.kind !== 'fixed');
  const everybody = Math.max(...all.map((clause) => clause.rows));
  const share = product(others.map((clause) => clause.rows / everybody));
  const needed = Math.min(driver.rows, limit / share);
  const read = needed * (checks.length === 0 ? COST.read : COST.readAndChecked);
  const chance = product(checks.map(({ kind, terms }) => Math.min(1, terms.length * PASSES[kind])));
  const passed = checks.length === 0 ? 0 : chance * COST.readAndChecked;
  const toTheEnd = driver.rows * (COST.skipped + passed);
  return driver.terms.length * COST.list + read + PESSIMISM * (1 - share) * toTheEnd;
}

function product(factors: readonly number[]): number {
  return factors.reduce((all, factor) => all * factor, 1);
}

function kindSignature(clauses: readonly Clause[], kind: ValueKind): number {
  const ofKind = clauses.filter((clause) => clause.kind === kind);
  const shortest = ofKind.toSorted((a, b) => a.terms.length - b.terms.length)[0];
  return shortest === undefined ? ANY_SIGNATURE : signature(shortest.terms);
}

/** The tables of one generation. */
export function tablesOf(generation: number) {
  return {
    agent: `index_agent_${generation}`,
    term: `index_term_${generation}`,
    held: `index_held_${generation}`,
    value: `index_value_${generation}`,
    dropped: `index_dropped_${generation}`,
  } as const;
}

/**
 * The statements that read the lists in order. `walkAll` binds (after, limit); `walk` binds (term, after, mask,
 * want, limit); `heads` binds (after, mask, want, terms as a JSON array) and yields the first URL of each list or
 * null. Those that look at signatures bind two of them after `want`. `held` yields an agent's value terms as JSON.
 */
export function listSql(generation: number) {
  const { agent, term, held } = tablesOf(generation);
  const flags = 'd.url > ? AND (d.flags & ?) = ?';
  const signed = `${flags} AND (d.sig & ?) <> 0 AND (d.sig & ?) <> 0`;
  const walk = (conditions: string) =>
    `SELECT d.url FROM ${term} d WHERE d.term = ? AND ${conditions} ORDER BY d.url LIMIT ?`;
  const heads = (conditions: string) =>
    `SELECT list.value AS term,
      (SELECT d.url FROM ${term} d WHERE d.term = list.value AND ${conditions} ORDER BY d.url LIMIT 1) AS url
      FROM json_each(?) AS list`;
  return {
    walkAll: `SELECT url FROM ${agent} WHERE url > ? ORDER BY url LIMIT ?`,
    walk: walk(flags),
    walkSigned: walk(signed),
    heads: heads(flags),
    headsSigned: heads(signed),
    held: `SELECT terms FROM ${held} WHERE url = ?`,
  } as const;
}

const HOLDS_ONE = 'EXISTS (SELECT 1 FROM json_each(h.terms) WHERE value IN (SELECT value FROM json_each(?)))';

/**
 * Counts the agents of one list; binds (term, mask, want) and, where there are checks, two signatures and each
 * check as a JSON array of terms.
 */
export function countListSql(generation: number, checks: number): string {
  const { term, held } = tablesOf(generation);
  const list = 'd.term = ? AND (d.flags & ?) = ?';
  if (checks === 0) return `SELECT count(*) AS agents FROM ${term} d WHERE ${list}`;
  const conditions = [list, '(d.sig & ?) <> 0 AND (d.sig & ?) <> 0', ...Array(checks).fill(HOLDS_ONE)];
  return `SELECT count(*) AS agents FROM ${term} d CROSS JOIN ${held} h ON h.url = d.url
    WHERE ${conditions.join(' AND ')}`;
}

/** Counts by one pass over the agents that have values; binds (mask, want) and each choice as a JSON array of terms. */
export function countHeldSql(generation: number, choices: number): string {
  const conditions = ['(h.flags & ?) = ?', ...Array(choices).fill(HOLDS_ONE)];
  return `SELECT count(*) AS agents FROM ${tablesOf(generation).held} h WHERE ${conditions.join(' AND ')}`;
}
