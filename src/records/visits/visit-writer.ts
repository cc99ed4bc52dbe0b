import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { Lease, NewVisit } from '../../domain/source.ts';
import type { CommitResult, DomainVisit, ProbeVisit, RunMark } from '../../ports/visit-commits.ts';
import { ascending, lockShared } from '../locks.ts';
import { call, type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { BatchEffects, type VisitEffects } from './batch-effects.ts';
import { createDomainVisitWriter, type PackedBodies } from './domain-visit.ts';
import { createProbeVisitWriter } from './probe-visit.ts';
import { createEffectsWriter } from './write-effects.ts';

export type VisitJob =
  | { readonly kind: 'domain'; readonly visit: DomainVisit; readonly packed: PackedBodies }
  | { readonly kind: 'agent'; readonly visit: ProbeVisit };

/** A visit with its place in the batch. */
interface Placed {
  readonly job: VisitJob;
  readonly index: number;
}

/**
 * Writes visits in one transaction; the results are theirs, in the same order. The visits are independent of each
 * other, so over a network they are written side by side; what they share is written once, after all of them.
 */
export function createVisitWriter(
  store: SqlStore,
): (jobs: readonly VisitJob[]) => Promise<readonly CommitResult[]> {
  const writeDomain = createDomainVisitWriter(store);
  const writeProbe = createProbeVisitWriter(store);
  const writeEffects = createEffectsWriter(store);
  const leadsOf = createKnownLeads(store);

  /** Returns the place of the visit when it was accepted. */
  function* writeOne({ job, index }: Placed, batch: BatchEffects): SqlTask<number | undefined> {
    const effects = batch.of({ ...job.visit, index });
    const accepted =
      job.kind === 'domain'
        ? yield* writeDomain(job.visit, effects, job.packed)
        : yield* writeProbe(job.visit, effects);
    if (!accepted) return undefined;
    const { run } = job.visit;
    noteFound(job.visit, effects);
    if (run === undefined) return index;
    if (job.kind === 'domain') yield* followUnchanged(job.visit, run, effects);
    effects.finish({ run: run.id, kind: job.kind, key: keyOf(job) });
    return index;
  }
  function* followUnchanged(
    { domain, files }: DomainVisit,
    run: RunMark,
    effects: VisitEffects,
  ): SqlTask<void> {
    for (const { lease, outcome } of files) {
      if (outcome !== 'unchanged') continue;
      for (const lead of yield* leadsOf(domain, lease.kind as DeclarationKind, run))
        effects.follow(lead, run);
    }
  }
  return (jobs) =>
    store.transaction(function* () {
      yield* call((db) => lockShared(db, 'contents'));
      const batch = new BatchEffects();
      const accepted = new Set(yield* together(inOrder(jobs).map((placed) => writeOne(placed, batch))));
      const credits = yield* writeEffects(batch);
      return jobs.map((_, index) => ({
        accepted: accepted.has(index),
        newAgents: credits.filter((credit) => credit === index).length,
      }));
    });
}

/**
 * By their keys, so that processes lock their sources in one order. Of two under one lease the first stays: side by
 * side neither would see that the other has used it up.
 */
function inOrder(jobs: readonly VisitJob[]): readonly Placed[] {
  const used = new Set<string>();
  const isFirst = ({ job }: Placed): boolean => {
    const names = leasesOf(job).map(({ kind, key, fence }) => `${kind} ${fence} ${key}`);
    if (names.some((name) => used.has(name))) return false;
    for (const name of names) used.add(name);
    return true;
  };
  return jobs
    .map((job, index) => ({ job, index }))
    .filter(isFirst)
    .sort((a, b) => ascending(keyOf(a.job), keyOf(b.job)));
}

function noteFound({ found, run }: DomainVisit | ProbeVisit, effects: VisitEffects): void {
  for (const visit of found) {
    effects.name(visit);
    if (run !== undefined) effects.follow(visit, run);
  }
}

function keyOf(job: VisitJob): string {
  return job.kind === 'domain' ? job.visit.domain : job.visit.lease.key;
}

function leasesOf(job: VisitJob): readonly Lease[] {
  return job.kind === 'domain' ? job.visit.files.map((file) => file.lease) : [job.visit.lease];
}

type Lead = Pick<NewVisit, 'kind' | 'key'>;

/**
 * Where a file that did not change leads, from the rows that stand: a named crawl visits the agents and domains of an
 * unchanged file too, and reads nothing anew for it.
 */
function createKnownLeads(
  store: SqlStore,
): (declarer: string, file: DeclarationKind, run: RunMark) => SqlTask<readonly Lead[]> {
  const ofFile = {
    adagents: prepare(
      store,
      (param: Param<{ declarer: string }>) =>
        mentionedAgents(param, 'adagents').union(authorisedAgents(param)),
      {},
    ),
    brand: prepare(store, (param: Param<{ declarer: string }>) => mentionedAgents(param, 'brand'), {}),
    ard: prepare(store, (param: Param<{ declarer: string }>) => mentionedAgents(param, 'ard'), {}),
  };
  const referred = prepare(store, referredDomains, {});
  return function* (declarer, file, { depth, maxDepth }) {
    const agents = yield* ofFile[file].all({ declarer });
    const domains = depth < maxDepth ? yield* referred.all({ declarer, file }) : [];
    return [
      ...agents.map(({ agent }) => ({ kind: 'agent', key: agent }) as const),
      ...domains.map(({ domain }) => ({ kind: 'domain', key: domain }) as const),
    ];
  };
}

function authorisedAgents(param: Param<{ declarer: string }>) {
  return sql
    .selectFrom('authorisation')
    .select('agent')
    .where('publisher', '=', param('declarer'))
    .where('seen_until', 'is', null);
}

function mentionedAgents(param: Param<{ declarer: string }>, file: DeclarationKind) {
  return sql
    .selectFrom('mention')
    .select('agent')
    .where('declarer', '=', param('declarer'))
    .where('file', '=', file)
    .where('seen_until', 'is', null);
}

function referredDomains(param: Param<{ declarer: string; file: DeclarationKind }>) {
  return sql
    .selectFrom('reference_to')
    .select('domain')
    .where('declarer', '=', param('declarer'))
    .where('file', '=', param('file'));
}
