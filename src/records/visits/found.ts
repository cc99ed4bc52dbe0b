import type { DeclarationKind } from '../../domain/declared-facts.ts';
import { registrableDomain } from '../../domain/domain-name.ts';
import { KINDS_OF_VISIT, type NewVisit, type SourceKind, type VisitKind } from '../../domain/source.ts';
import type { RunMark } from '../../ports/visit-commits.ts';
import { type Db, greatest, insertInChunks, listOf } from '../database.ts';
import { ascending } from '../locks.ts';

/** A domain or an agent that a visit found. */
type Lead = Pick<NewVisit, 'kind' | 'key'>;

interface Cause {
  readonly at: number;
  readonly trace?: string;
}

/**
 * Adds the sources that are named for the first time, due at once or at the time they give. A known one keeps its schedule,
 * unless it still waits for its first visit and is named for an earlier one. Of two namings the first counts.
 */
export async function addSources(db: Db, visits: readonly NewVisit[], cause: Cause): Promise<void> {
  const named = new Map<string, NewVisit>();
  for (const visit of visits) {
    const name = `${visit.kind} ${visit.key}`;
    if (!named.has(name)) named.set(name, visit);
  }
  const all = [...named.values()];
  const [domains, agents] = [
    await knownKeys(db, 'domain', all, cause.at),
    await knownKeys(db, 'agent', all, cause.at),
  ];
  const rows = all.flatMap((visit) => {
    const known = visit.kind === 'domain' ? domains : agents;
    if (!known.has(visit.key)) return sourceRows(visit, kindsOf(visit), cause);
    // the ard.json of a known domain may never have been looked at
    return visit.ard ? sourceRows(visit, ['ard'], cause) : [];
  });
  await insertSources(db, rows);
}

/** Adds the `ard.json` of a domain, which is fetched from the domain's next visit on. */
export async function addArd(db: Db, domain: string, foundVia: string, cause: Cause): Promise<void> {
  await insertSources(db, sourceRows({ kind: 'domain', key: domain, foundVia }, ['ard'], cause));
}

/**
 * The keys among `visits` that need no source. They are read first, because on PostgreSQL an insert waits for the
 * transaction that is changing the row of its key, even if it then does nothing.
 */
async function knownKeys(
  db: Db,
  kind: VisitKind,
  visits: readonly NewVisit[],
  at: number,
): Promise<ReadonlySet<string>> {
  const wanted = visits.filter((visit) => visit.kind === kind);
  if (wanted.length === 0) return new Set();
  const keys = wanted.map(({ key }) => key);
  const firstDueAt = Math.min(...wanted.map(({ dueAt }) => dueAt ?? at));
  const rows = await db
    .selectFrom('source')
    .select('key')
    .where('kind', '=', KINDS_OF_VISIT[kind][0] as SourceKind)
    .where('key', 'in', listOf(db, keys))
    .where((row) => row.or([row('last_visit_at', 'is not', null), row('next_visit_at', '<=', firstDueAt)]))
    .execute();
  return new Set(rows.map(({ key }) => key));
}

type SourceRow = ReturnType<typeof sourceRows>[number];

function sourceRows(visit: NewVisit, kinds: readonly SourceKind[], { at, trace }: Cause) {
  const { kind: visitKind, key } = visit;
  const isAgent = visitKind === 'agent';
  const row = {
    key,
    visit: visitKind,
    registrable_domain: registrableDomain(isAgent ? new URL(key).hostname : key),
    url: isAgent ? (visit.url ?? key) : null,
    found_via: visit.foundVia,
    first_seen_at: at,
    next_visit_at: visit.dueAt ?? at,
    // a domain begins a trace of its own, or the trace of a list of publishers would never end
    trace: isAgent ? (trace ?? null) : null,
  };
  return kinds.map((kind) => ({ ...row, kind }));
}

/** Most domains have no agents: their ard.json is fetched only if there is a reason to. */
function kindsOf({ kind, ard }: NewVisit): readonly SourceKind[] {
  return KINDS_OF_VISIT[kind].filter((one) => one !== 'ard' || ard === true);
}

async function insertSources(db: Db, rows: readonly SourceRow[]): Promise<void> {
  const sorted = rows.toSorted((a, b) => ascending(a.key, b.key) || ascending(a.kind, b.kind));
  await insertInChunks(sorted, (some) =>
    db
      .insertInto('source')
      .values(some)
      .onConflict((known) =>
        known
          .columns(['kind', 'key'])
          .doUpdateSet((row) => ({
            next_visit_at: row.ref('excluded.next_visit_at'),
            found_via: row.ref('excluded.found_via'),
          }))
          .where('source.last_visit_at', 'is', null)
          .whereRef('source.next_visit_at', '>', 'excluded.next_visit_at'),
      )
      .execute(),
  );
}

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
