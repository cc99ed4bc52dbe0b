import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { Db } from '../database.ts';
import { addAgents, addSources, type Cause, type NamedVisit, namedAgents } from '../sources/known-sources.ts';
import { type EdgeMark, markForEdgeLog } from './declaration-rows.ts';
import { advanceRuns, type RunStep } from './found.ts';
import { type AgentChanges, foundAgents, mergedChanges, writeAgents } from './named-agents.ts';

/** A file of a domain. */
export interface Declarer {
  readonly domain: string;
  readonly file: DeclarationKind;
}

/** What a visit changes beyond the rows of its own domain or agent. */
export interface VisitChanges extends Cause {
  readonly agents: AgentChanges;
  /** Domains and agents to visit, besides those of `agents`. */
  readonly found: readonly NamedVisit[];
  readonly marks: EdgeMark[];
  /** The visit as a step of its run. */
  readonly step?: RunStep | undefined;
}

export interface FactsOptions {
  readonly at: number;
  /** A declaration was live until now, so there may be rows to compare with. */
  readonly hadRows: boolean;
  readonly changes: Pick<VisitChanges, 'at' | 'trace' | 'agents' | 'marks'>;
  /** The same declaration at another time: its properties and references are the same. */
  readonly isRederived?: true;
}

/** The live rows that are not wanted any more, and the wanted rows that are not live yet, each once. */
export function changesBetween<Live extends Wanted, Wanted>(
  live: readonly Live[],
  wanted: readonly Wanted[],
  keyOf: (row: Wanted) => string,
): { readonly begun: readonly Wanted[]; readonly ended: readonly Live[] } {
  const before = new Map(live.map((row) => [keyOf(row), row]));
  const after = new Map(wanted.map((row) => [keyOf(row), row]));
  return {
    begun: [...after].filter(([key]) => !before.has(key)).map(([, row]) => row),
    ended: [...before].filter(([key]) => !after.has(key)).map(([, row]) => row),
  };
}

/**
 * Writes what the visits of one transaction change together, each row once: sources and agents that they name, entries of
 * the logs, and the progress of their runs. Returns how many agents each visit was the first to name.
 */
export async function writeChanges(
  db: Db,
  visits: readonly VisitChanges[],
): Promise<ReadonlyMap<VisitChanges, number>> {
  const agents = mergedChanges(visits.map((visit) => visit.agents));
  const found = visits.flatMap((visit) => visit.found);
  await addSources(db, [...foundAgents(agents), ...found]);
  const others = namedAgents(found).filter(({ agent }) => !agents.has(agent));
  const added = new Set([...(await writeAgents(db, agents)), ...(await addAgents(db, others))]);
  const marks = visits.flatMap((visit) => visit.marks);
  await markForEdgeLog(db, marks);
  const steps = visits.flatMap((visit) => visit.step ?? []);
  await advanceRuns(db, steps);
  const newAgents = new Map<VisitChanges, number>();
  for (const visit of visits) {
    const named = [...visit.agents.keys(), ...namedAgents(visit.found).map(({ agent }) => agent)];
    newAgents.set(visit, named.filter((agent) => added.delete(agent)).length);
  }
  return newAgents;
}
