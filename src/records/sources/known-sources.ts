import { registrableDomain } from '../../domain/domain-name.ts';
import { KINDS_OF_VISIT, type NewVisit, type SourceKind, type VisitKind } from '../../domain/source.ts';
import { type Db, insertInChunks, listOf } from '../database.ts';
import { ascending } from '../locks.ts';

/**
 * Adds the sources and agents that are named for the first time; a known one keeps its schedule. One that only waits for its
 * first visit, as a candidate by rank does, is moved forward when it is named for an earlier time. All functions run
 * in the caller's transaction.
 */

/** When something was named, and the trace of the visit that named it. */
export interface Cause {
  readonly at: number;
  readonly trace?: string | undefined;
}

/** A visit to make, and why. */
export type NamedVisit = NewVisit & Cause;

interface NewSource {
  readonly kind: SourceKind;
  readonly key: string;
  readonly visit: VisitKind;
  readonly registrable_domain: string;
  readonly url: string | null;
  readonly found_via: string;
  readonly first_seen_at: number;
  readonly next_visit_at: number;
  readonly trace: string | null;
}

/**
 * Adds the sources of these visits, due at once or at their `dueAt`; returns of each visit whether its domain or agent was
 * new. An agent's source keeps the trace.
 */
export async function addSources(db: Db, visits: readonly NamedVisit[]): Promise<readonly boolean[]> {
  const rows = [...(await knownSources(db, 'domain', visits)), ...(await knownSources(db, 'agent', visits))];
  const known = new Set(rows.map(nameOf));
  // PostgreSQL's insert waits for a transaction that is changing a row of the same key, even to do nothing then
  const unchanged = new Set(rows.filter(({ waits }) => waits === 0).map(nameOf));
  const sources = visits.flatMap((visit) => {
    if (!unchanged.has(nameOf(visit))) return rowsOf(visit, kindsOf(visit));
    // the ard.json of a known domain may not be among its sources yet
    return visit.ard === true ? rowsOf(visit, ['ard']) : [];
  });
  const written = await insertSources(db, sources);
  // a visit that is named twice is new once
  return visits.map((visit) => !known.has(nameOf(visit)) && written.delete(nameOf(visit)));
}

/** Adds the `ard.json` of a domain to its sources. */
export async function addArd(db: Db, domain: string, foundVia: string, cause: Cause): Promise<void> {
  await insertSources(db, rowsOf({ kind: 'domain', key: domain, foundVia, ...cause }, ['ard']));
}

/** Adds agents, and changes nothing about known ones; returns the new ones. A new agent is dirty: it was never stitched. */
export async function addAgents(
  db: Db,
  agents: readonly ({ readonly agent: string } & Cause)[],
): Promise<readonly string[]> {
  if (agents.length === 0) return [];
  const names = agents.map(({ agent }) => agent);
  // as in addSources: an insert would wait for a transaction that is changing a known one
  const known = await db
    .selectFrom('agent')
    .select('agent')
    .where('agent', 'in', listOf(db, names))
    .execute();
  const knownNames = new Set(known.map(({ agent }) => agent));
  const added: string[] = [];
  const rows = agents
    .filter(({ agent }) => !knownNames.has(agent))
    .toSorted((a, b) => ascending(a.agent, b.agent))
    .map(({ agent, at, trace = null }) => ({
      agent,
      first_seen_at: at,
      revision: 1,
      dirty_since: at,
      trace,
    }));
  await insertInChunks(rows, async (some) => {
    const inserted = await db
      .insertInto('agent')
      .values(some)
      .onConflict((known) => known.column('agent').doNothing())
      .returning('agent')
      .execute();
    added.push(...inserted.map(({ agent }) => agent));
  });
  return added;
}

/** The agents among named visits, for `addAgents`. */
export function namedAgents(visits: readonly NamedVisit[]) {
  return visits
    .filter(({ kind }) => kind === 'agent')
    .map(({ key: agent, at, trace }) => ({ agent, at, trace }));
}

/** The known ones of these visits. `waits`: 1 if its first visit is planned for later than one that it is named for. */
async function knownSources(db: Db, kind: VisitKind, visits: readonly NamedVisit[]) {
  const ofKind = visits.filter((visit) => visit.kind === kind);
  if (ofKind.length === 0) return [];
  const keys = ofKind.map(({ key }) => key);
  const earliest = ofKind.reduce(
    (min, { dueAt, at }) => Math.min(min, dueAt ?? at),
    Number.POSITIVE_INFINITY,
  );
  return db
    .selectFrom('source')
    .select(['visit as kind', 'key'])
    .select((row) =>
      row
        .case()
        .when(row('last_visit_at', 'is', null).and('next_visit_at', '>', earliest))
        .then(1)
        .else(0)
        .end()
        .as('waits'),
    )
    .where('kind', '=', KINDS_OF_VISIT[kind][0] as SourceKind)
    .where('key', 'in', listOf(db, keys))
    .execute();
}

function rowsOf(visit: NamedVisit, kinds: readonly SourceKind[]): readonly NewSource[] {
  const { at, trace } = visit;
  const isAgent = visit.kind === 'agent';
  return kinds.map((kind) => ({
    kind,
    key: visit.key,
    visit: visit.kind,
    registrable_domain: registrableDomain(isAgent ? new URL(visit.key).hostname : visit.key),
    url: isAgent ? (visit.url ?? visit.key) : null,
    found_via: visit.foundVia,
    first_seen_at: at,
    next_visit_at: visit.dueAt ?? at,
    // a domain begins a trace of its own, or a list of publishers would be one without end
    trace: isAgent ? (trace ?? null) : null,
  }));
}

/** With `ard.json` only if there is a reason to look for it: most domains have no agents. */
function kindsOf({ kind, ard }: NewVisit): readonly SourceKind[] {
  return KINDS_OF_VISIT[kind].filter((one) => one !== 'ard' || ard === true);
}

function nameOf({ kind, key }: Pick<NewVisit, 'kind' | 'key'>): string {
  return `${kind} ${key}`;
}

/** Returns the names of the visits of which a source was added, or moved to an earlier time. */
async function insertSources(db: Db, sources: readonly NewSource[]): Promise<Set<string>> {
  const names = new Set<string>();
  await insertInChunks(earliestOfEach(sources), async (some) => {
    const rows = await db
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
      .returning(['visit', 'key'])
      .execute();
    for (const { visit: kind, key } of rows) names.add(nameOf({ kind, key }));
  });
  return names;
}

/** Each source once, with its earliest visit, in the order in which all processes lock them. */
function earliestOfEach(sources: readonly NewSource[]): readonly NewSource[] {
  const byName = new Map<string, NewSource>();
  for (const source of sources) {
    const name = `${source.kind} ${source.key}`;
    const before = byName.get(name);
    if (before === undefined || source.next_visit_at < before.next_visit_at) byName.set(name, source);
  }
  return [...byName.values()].sort((a, b) => ascending(a.key, b.key) || ascending(a.kind, b.kind));
}
