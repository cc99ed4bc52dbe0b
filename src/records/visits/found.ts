import type { DeclarationKind } from '../../domain/declared-facts.ts';
import type { NewVisit } from '../../domain/source.ts';
import type { RunMark } from '../../domain/visit.ts';
import { type Db, greatest, insertInChunks } from '../database.ts';
import { ascending } from '../locks.ts';

/** A domain or an agent that a visit found. */
type Lead = Pick<NewVisit, 'kind' | 'key'>;

/**
 * What the live rows of a domain's files lead to: a named crawl also visits what an unchanged file names, without reading
 * the file again.
 */
export async function knownLeads(
  db: Db,
  domain: string,
  files: readonly DeclarationKind[],
  { depth, maxDepth }: RunMark,
): Promise<readonly Lead[]> {
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
  const leads = agents.map(({ agent }): Lead => ({ kind: 'agent', key: agent }));
  if (depth >= maxDepth) return leads;
  const domains = await db
    .selectFrom('reference_to')
    .select('domain')
    .where('declarer', '=', domain)
    .where('file', 'in', files)
    .execute();
  return [...leads, ...domains.map(({ domain: key }): Lead => ({ kind: 'domain', key }))];
}

/**
 * Puts what a visit found on the frontier of its run, marks the visited item as done, and updates the counts of the run. A
 * domain is one link further than where it was found; an agent has the depth of the domain that names it.
 *
 * Adding may wait for another visit that has marked the same item as done. So marking comes last, or two visits could wait
 * for each other.
 */
export async function advanceRun(
  db: Db,
  run: RunMark,
  { kind, key, at }: Lead & { readonly at: number },
  leads: readonly Lead[],
): Promise<void> {
  const depthOf = (lead: Lead) => (lead.kind === 'agent' ? run.depth : run.depth + 1);
  const items = leads
    .filter((lead) => depthOf(lead) <= run.maxDepth)
    .map((lead) => ({ run: run.id, kind: lead.kind, key: lead.key, depth: depthOf(lead) }))
    .sort((a, b) => ascending(a.kind, b.kind) || ascending(a.key, b.key));
  const added = { domain: 0, agent: 0 };
  await insertInChunks(items, async (some) => {
    const rows = await db
      .insertInto('crawl_frontier')
      .values(some)
      .onConflict((known) => known.columns(['run', 'kind', 'key']).doNothing())
      .returning('kind')
      .execute();
    for (const row of rows) added[row.kind] += 1;
  });
  const { numUpdatedRows } = await db
    .updateTable('crawl_frontier')
    .set({ done: 1 })
    .where('run', '=', run.id)
    .where('kind', '=', kind)
    .where('key', '=', key)
    .where('done', '=', 0)
    .executeTakeFirstOrThrow();
  const done = Number(numUpdatedRows);
  const pending = { ...added, [kind]: added[kind] - done };
  await db
    .updateTable('crawl_run')
    .set((row) => ({
      pending_domains: row('pending_domains', '+', pending.domain),
      pending_agents: row('pending_agents', '+', pending.agent),
      agents_found: row('agents_found', '+', added.agent),
      done: row('done', '+', done),
      ...(done > 0 && { progressed_at: greatest(db, row.ref('progressed_at'), row.val(at)) }),
    }))
    .where('id', '=', run.id)
    .execute();
}
