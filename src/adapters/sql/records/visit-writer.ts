import type { FileKind } from '../../../domain/declaration.ts';
import type { NewVisit } from '../../../domain/source.ts';
import type { CommitResult, DomainVisit, ProbeVisit, RunMark } from '../../../ports/visit-commits.ts';
import type { SqliteDatabase } from '../database.ts';
import { BatchEffects } from './batch-effects.ts';
import { createDomainVisitWriter } from './domain-visit.ts';
import { createFrontier, type FrontierItem } from './frontier.ts';
import { createKnownLeads } from './known-leads.ts';
import { createProbeVisitWriter } from './probe-visit.ts';
import { createEffectsWriter } from './write-effects.ts';

export type VisitJob =
  | { readonly kind: 'domain'; readonly visit: DomainVisit }
  | { readonly kind: 'agent'; readonly visit: ProbeVisit };

/** Writes visits in one transaction, in order; the results are theirs, in the same order. */
export function createVisitWriter(
  database: SqliteDatabase,
): (jobs: readonly VisitJob[]) => readonly CommitResult[] {
  const writeDomain = createDomainVisitWriter(database);
  const writeProbe = createProbeVisitWriter(database);
  const writeEffects = createEffectsWriter(database);
  const frontier = createFrontier(database);
  const leadsOf = createKnownLeads(database);

  const writeOne = (job: VisitJob, effects: BatchEffects): boolean => {
    const accepted = job.kind === 'domain' ? writeDomain(job.visit, effects) : writeProbe(job.visit, effects);
    if (!accepted) return false;
    const { found, at, run } = job.visit;
    noteFound(found, at, run, effects);
    if (run === undefined) return true;
    if (job.kind === 'domain') followUnchanged(job.visit, run, effects);
    markDone({ run: run.id, kind: job.kind, key: keyOf(job) }, at, effects);
    return true;
  };
  const followUnchanged = ({ domain, files }: DomainVisit, run: RunMark, effects: BatchEffects): void => {
    for (const { lease, outcome } of files) {
      if (outcome !== 'unchanged') continue;
      for (const lead of leadsOf(domain, lease.kind as FileKind)) effects.follow(lead, run);
    }
  };
  const markDone = (item: FrontierItem, at: number, effects: BatchEffects): void => {
    if (!frontier.markDone(item)) return;
    const delta = effects.run(item.run);
    delta.done += 1;
    delta.at = Math.max(delta.at, at);
    delta[item.kind === 'domain' ? 'domains' : 'agents'] -= 1;
  };
  return (jobs) =>
    database.transaction(() => {
      const effects = new BatchEffects();
      const accepted = jobs.map((job, index) => {
        effects.visit = index;
        return writeOne(job, effects);
      });
      const newAgents = jobs.map(() => 0);
      for (const index of writeEffects(effects)) newAgents[index] = (newAgents[index] ?? 0) + 1;
      return jobs.map((_, index) => ({
        accepted: accepted[index] === true,
        newAgents: newAgents[index] ?? 0,
      }));
    });
}

function noteFound(
  found: readonly NewVisit[],
  at: number,
  run: RunMark | undefined,
  effects: BatchEffects,
): void {
  for (const visit of found) {
    effects.hear(visit, at);
    if (run !== undefined) effects.follow(visit, run);
  }
}

function keyOf(job: VisitJob): string {
  return job.kind === 'domain' ? job.visit.domain : job.visit.lease.key;
}
