import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { NewVisit, VisitKind } from '../../domain/source.ts';
import type { RunMark } from '../../domain/visit.ts';
import { type Db, greatest, insertInChunks, listOf } from '../database.ts';
import { ascending } from '../locks.ts';

/** A domain or an agent that a visit found. */
type Target = Pick<NewVisit, 'kind' | 'key'>;

/**
 * The domains and agents that the live rows of a domain's files name: a named crawl also visits what an unchanged file
 * names, without reading the file again.
 */
export async function knownTargets(
  db: Db,
  domain: string,
  files: readonly DeclarationKind[],
  { depth, maxDepth }: RunMark,
): Promise<readonly Target[]> {
  if (files.length === 0) return [];
  const mentioned = db
    .selectFrom('mention')
    .select('agent')
    .where('declarer', '=', domain)
    .where('file', 'in', files)
    .where('seen_until', 'is', null);
  const authorised = db
    .selectFrom('authorisation')
    .select('agent')
    .where('publisher', '=', domain)
    .where('seen_until', 'is', null);
  const agents = await (files.includes('adagents') ? mentioned.union(authorised) : mentioned).execute();
  const targets = agents.map(({ agent }): Target => ({ kind: 'agent', key: agent }));
  if (depth >= maxDepth) return targets;
  const domains = await db
    .selectFrom('reference_to')
    .select('domain')
    .where('declarer', '=', domain)
    .where('file', 'in', files)
    .execute();
  return [...targets, ...domains.map(({ domain: key }): Target => ({ kind: 'domain', key }))];
}

/** A visit of a run: the visited domain or agent, and those that it found. */
export interface RunStep extends Target {
  readonly run: RunMark;
  readonly at: number;
  readonly targets: readonly Target[];
}

/**
 * Puts what visits found on the frontiers of their runs, marks the visited items as done, and updates the counts of the
 * runs. A domain is one link further than where it was found; an agent has the depth of the domain that names it.
 *
 * Adding may wait for another visit that has marked the same item as done. So marking comes last, or two visits could wait
 * for each other.
 */
export async function advanceRuns(db: Db, steps: readonly RunStep[]): Promise<void> {
  for (const [run, own] of Map.groupBy(steps, (step) => step.run.id)) await advanceRun(db, run, own);
}

async function advanceRun(db: Db, run: number, steps: readonly RunStep[]): Promise<void> {
  const items = steps.flatMap(({ run: { depth, maxDepth }, targets }) =>
    targets
      .map(({ kind, key }) => ({ kind, key, depth: kind === 'agent' ? depth : depth + 1 }))
      .filter((item) => item.depth <= maxDepth),
  );
  // in one order, so that no two visits wait for each other; an item that is found several times gets the smallest depth
  items.sort((a, b) => ascending(a.kind, b.kind) || ascending(a.key, b.key) || a.depth - b.depth);
  const added = await addToFrontier(db, run, items);
  const done = { domain: 0, agent: 0 };
  for (const [kind, own] of Map.groupBy(steps, (step) => step.kind)) {
    const keys = own.map(({ key }) => key);
    const { numUpdatedRows } = await db
      .updateTable('crawl_frontier')
      .set({ done: 1 })
      .where('run', '=', run)
      .where('kind', '=', kind)
      .where('key', 'in', listOf(db, keys))
      .where('done', '=', 0)
      .executeTakeFirstOrThrow();
    done[kind] = Number(numUpdatedRows);
  }
  const newlyDone = done.domain + done.agent;
  const at = Math.max(...steps.map((step) => step.at));
  await db
    .updateTable('crawl_run')
    .set((row) => ({
      pending_domains: row('pending_domains', '+', added.domain - done.domain),
      pending_agents: row('pending_agents', '+', added.agent - done.agent),
      agents_found: row('agents_found', '+', added.agent),
      done: row('done', '+', newlyDone),
      ...(newlyDone > 0 && { progressed_at: greatest(db, row.ref('progressed_at'), row.val(at)) }),
    }))
    .where('id', '=', run)
    .execute();
}

/** Adds items to the frontier of a run, which is visited in their order. Returns how many are new. */
export async function addToFrontier(
  db: Db,
  run: number,
  items: readonly (Target & { readonly depth: number })[],
): Promise<Record<VisitKind, number>> {
  const added = { domain: 0, agent: 0 };
  await insertInChunks(items, async (some) => {
    const rows = await db
      .insertInto('crawl_frontier')
      .values(some.map(({ kind, key, depth }) => ({ run, kind, key, depth })))
      .onConflict((known) => known.columns(['run', 'kind', 'key']).doNothing())
      .returning('kind')
      .execute();
    for (const row of rows) added[row.kind] += 1;
  });
  return added;
}
