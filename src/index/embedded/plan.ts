import { isClaimMet } from '../../domain/accreditation-claim.ts';
import type { AgentFilter } from '../../domain/agent-query.ts';
import { type Condition, conditionsOf } from '../query/filters.ts';
import { type FacetName, VALUES, type ValueName } from '../query/index-fields.ts';
import {
  ALL_AGENTS,
  type Flags,
  facetLists,
  flagsOf,
  signature,
  type Term,
  type Vocabulary,
} from './terms.ts';

/**
 * How the agents under a filter are found: the ordered lists of `terms` are merged; each row must have all of `rowFlags`
 * and share a bit with each of the `signatures`; and the agent must hold a term of each of the `checks`.
 */
export interface AgentPlan {
  readonly terms: readonly Term[];
  /** All that are asked for. */
  readonly flags: Flags;
  /** Those of them that not every row of the lists has. */
  readonly rowFlags: Flags;
  /** One for each field of `checks`. */
  readonly signatures: readonly number[];
  readonly checks: readonly ReadonlySet<Term>[];
  /** The summed length of the lists to merge. */
  readonly rows: number;
  /** All conditions on values, each a choice of terms: what a count that walks no list asks for. */
  readonly choices: readonly (readonly Term[])[];
}

/** One condition: the agent holds any of these terms. */
interface Clause {
  /** Undefined for the marks. */
  readonly field?: ValueName;
  readonly terms: readonly Term[];
  /** Every row of the lists has these. */
  readonly flags: Flags;
  /** The summed length of the lists. */
  readonly rows: number;
  /** Rows that meet it: of a list of marks those that bear all that is asked for. */
  readonly agents: number;
}

/** What the planner asks of an index. */
export type PlannedVocabulary = Pick<Vocabulary, 'term' | 'containing' | 'passing' | 'agents' | 'agentsWith'>;

/** In microseconds, as measured; only their proportions matter. `read` is a row that reaches this process. */
const COST = { list: 4, read: 1, readAndChecked: 3, skipped: 0.06 };
/** How much of walking a list to its end counts, in case the conditions exclude each other. */
const PESSIMISM = 0.05;

/**
 * Chooses the condition whose lists are walked, by how many agents hold its values: rare values are gathered,
 * common ones are walked until `limit` agents are found. No text of the user gets further than the vocabulary.
 */
export function planQuery(filter: AgentFilter, vocabulary: PlannedVocabulary, limit: number): AgentPlan {
  const conditions = conditionsOf(filter);
  const flags = flagsOf(conditions.filter((condition) => 'facet' in condition));
  const clauses = conditions.flatMap((condition) => valueClause(condition, vocabulary));
  const marks = marksClause(flags, vocabulary);
  const nobody = [marks, ...clauses].find(({ agents }) => agents === 0);
  if (nobody !== undefined) return plan(flags, { terms: [], flags: 0, rows: 0, agents: 0 }, clauses);
  const drivers = flags === 0 && clauses.length > 0 ? clauses : [marks, ...clauses];
  const costs = drivers.map((driver) => walkCost(driver, drivers, limit));
  return plan(flags, drivers[costs.indexOf(Math.min(...costs))] ?? marks, clauses);
}

function plan(flags: Flags, driver: Clause, clauses: readonly Clause[]): AgentPlan {
  const others = clauses.filter((clause) => clause !== driver);
  return {
    terms: driver.terms,
    flags,
    rowFlags: flags & ~driver.flags,
    signatures: (Object.keys(VALUES) as ValueName[]).flatMap((field) => fieldSignature(others, field)),
    checks: others.map((clause) => new Set(clause.terms)),
    rows: driver.rows,
    choices: clauses.map((clause) => clause.terms),
  };
}

/** The shortest list in which everybody is who bears all of the marks. */
function marksClause(flags: Flags, vocabulary: PlannedVocabulary): Clause {
  const agents = vocabulary.agentsWith(flags);
  let shortest: Clause = { terms: [ALL_AGENTS], flags: 0, rows: vocabulary.agentsWith(0), agents };
  for (const list of facetLists(flags)) {
    const rows = vocabulary.agentsWith(list.flags);
    if (rows < shortest.rows || shortest.terms[0] === ALL_AGENTS)
      shortest = { terms: [list.term], flags: list.flags, rows, agents };
  }
  return shortest;
}

function valueClause(condition: Condition, vocabulary: PlannedVocabulary): Clause | [] {
  if ('facet' in condition) return [];
  const field = condition.values;
  const terms = termsOf(condition, vocabulary);
  const held = new Map<Term, number>();
  for (const term of terms) {
    const agents = term === undefined ? 0 : vocabulary.agents(term);
    if (term !== undefined && agents > 0) held.set(term, agents);
  }
  const rows = held.values().reduce((sum, agents) => sum + agents, 0);
  return { field, terms: [...held.keys()], flags: 0, rows, agents: rows };
}

function termsOf(
  condition: Exclude<Condition, { readonly facet: FacetName }>,
  vocabulary: PlannedVocabulary,
): readonly (Term | undefined)[] {
  if ('containing' in condition) return vocabulary.containing(condition.values, condition.containing);
  if ('anyOf' in condition) return condition.anyOf.map((value) => vocabulary.term(condition.values, value));
  return vocabulary.passing(condition.values, (claim) => isClaimMet(claim, condition.claim));
}

/** Walking until `limit` agents satisfy the other conditions, taken as independent of each other. */
function walkCost(driver: Clause, all: readonly Clause[], limit: number): number {
  const others = all.filter((clause) => clause !== driver);
  const checks = others.filter((clause) => clause.field !== undefined);
  const everybody = Math.max(...all.map((clause) => clause.rows));
  const share = product(others.map((clause) => clause.agents / everybody));
  const needed = Math.min(driver.agents, limit / share);
  const read = needed * (checks.length === 0 ? COST.read : COST.readAndChecked);
  const skipped = needed * (driver.rows / driver.agents - 1) * COST.skipped;
  const chance = product(checks.map(passedByChance));
  const passed = checks.length === 0 ? 0 : chance * COST.readAndChecked;
  const toTheEnd = driver.rows * (COST.skipped + passed);
  return driver.terms.length * COST.list + read + skipped + PESSIMISM * (1 - share) * toTheEnd;
}

/** The share of usual agents whose signature has a bit of one of the terms. */
function passedByChance({ field, terms }: Clause): number {
  if (field === undefined) return 0;
  const { usualCount, signatureBits } = VALUES[field];
  return Math.min(1, (terms.length * usualCount) / signatureBits);
}

function product(factors: readonly number[]): number {
  return factors.reduce((all, factor) => all * factor, 1);
}

/** Of the shortest condition; none where nothing is asked, so that no row is compared with every bit. */
function fieldSignature(clauses: readonly Clause[], field: ValueName): number | [] {
  const ofField = clauses.filter((clause) => clause.field === field);
  const shortest = ofField.toSorted((a, b) => a.terms.length - b.terms.length)[0];
  return shortest === undefined ? [] : signature(shortest.terms);
}
