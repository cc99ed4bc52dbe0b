import { registrableDomain } from '../../../domain/domain-name.ts';
import { KINDS_OF_VISIT, type NewVisit, type SourceKind, type VisitKind } from '../../../domain/source.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';

interface NewSource {
  readonly kind: SourceKind;
  readonly key: string;
  readonly visit: VisitKind;
  readonly registrableDomain: string;
  readonly url: string | null;
  readonly foundVia: string;
  readonly now: number;
}

/** Makes sources and agents of what is heard of for the first time; what is known keeps its schedule. */
export interface KnownSources {
  /** Adds the sources of one visit, due at once; returns whether any was new. */
  add(visit: NewVisit, now: number): boolean;
  /** Adds the agent itself; returns whether it was new. A new one is dirty: it was never stitched. */
  addAgent(agent: string, now: number): boolean;
}

/** Inside the caller's transaction. */
export function createKnownSources(database: SqliteDatabase): KnownSources {
  const insertSource = prepare(database, newSource);
  const insertAgent = prepare(database, newAgent);
  return {
    add(visit, now) {
      const row = {
        key: visit.key,
        visit: visit.kind,
        registrableDomain: registrableDomain(hostOf(visit)),
        url: visit.kind === 'agent' ? (visit.url ?? visit.key) : null,
        foundVia: visit.foundVia,
        now,
      };
      let added = 0;
      for (const kind of KINDS_OF_VISIT[visit.kind]) added += insertSource.run({ ...row, kind });
      return added > 0;
    },
    addAgent: (agent, now) => insertAgent.run({ agent, now }) > 0,
  };
}

function hostOf(visit: NewVisit): string {
  return visit.kind === 'agent' ? new URL(visit.key).hostname : visit.key;
}

function newSource(place: Place<NewSource>) {
  return sql
    .insertInto('source')
    .values({
      kind: place('kind'),
      key: place('key'),
      visit: place('visit'),
      registrable_domain: place('registrableDomain'),
      url: place('url'),
      found_via: place('foundVia'),
      first_seen_at: place('now'),
      next_visit_at: place('now'),
    })
    .onConflict((known) => known.columns(['kind', 'key']).doNothing());
}

function newAgent(place: Place<{ agent: string; now: number }>) {
  return sql
    .insertInto('agent')
    .values({ agent: place('agent'), first_seen_at: place('now'), revision: 1, dirty_since: place('now') })
    .onConflict((known) => known.column('agent').doNothing());
}
