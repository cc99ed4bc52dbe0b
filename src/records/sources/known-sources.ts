import { registrableDomain } from '../../domain/domain-name.ts';
import { KINDS_OF_VISIT, type NewVisit, type SourceKind, type VisitKind } from '../../domain/source.ts';
import { ascending } from '../locks.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

interface NewSource {
  readonly kind: SourceKind;
  readonly key: string;
  readonly visit: VisitKind;
  readonly registrableDomain: string;
  readonly url: string | null;
  readonly foundVia: string;
  readonly now: number;
  readonly dueAt: number;
  readonly trace: string | null;
}

interface NamedAgent {
  readonly agent: string;
  readonly now: number;
  readonly trace: string | null;
}

/** Somebody named a domain or an agent. */
interface NamedVisit {
  readonly visit: NewVisit;
  readonly at: number;
  readonly trace?: string | undefined;
}

/**
 * Adds the sources and agents that are named for the first time; what is known keeps its schedule. What only waits for its
 * first visit, as a candidate by rank does, has it as soon as anybody names it for an earlier one.
 */
interface KnownSources {
  /**
   * Adds the sources of these visits, due at once or when they say; returns of each whether any was new. A new agent's remembers who
   * found it.
   */
  add(named: readonly NamedVisit[]): SqlTask<readonly boolean[]>;
  /** Adds the agents themselves; returns of each 1 when it is new. A new one is dirty: it was never stitched. */
  addAgents(agents: readonly NamedAgent[]): SqlTask<readonly number[]>;
  /** Has the `ard.json` of a domain looked at, from its next visit on. */
  addArd(domain: string, foundVia: string, now: number): SqlTask<void>;
}

/** Inside the caller's transaction. */
export function createKnownSources(store: SqlStore): KnownSources {
  const selectKnown = prepare(store, knownKeys);
  const insertSource = prepare(store, newSource, { kinds: { dueAt: 'number', now: 'number' } });
  const insertAgent = prepare(store, newAgent);

  function* keysOf(kind: VisitKind, named: readonly NamedVisit[]): SqlTask<readonly string[]> {
    const those = named.filter(({ visit }) => visit.kind === kind);
    if (those.length === 0) return [];
    const keys = those.map(({ visit }) => visit.key);
    const now = Math.min(...those.map(({ visit, at }) => visit.dueAt ?? at));
    const rows = yield* selectKnown.all({ kind: KINDS_OF_VISIT[kind][0] as SourceKind, keys, now });
    return rows.map((row) => nameOf(kind, row.key));
  }
  return {
    *add(named) {
      // PostgreSQL's insert waits for whoever is changing a row of the same key, even to do nothing then
      const known = new Set([...(yield* keysOf('domain', named)), ...(yield* keysOf('agent', named))]);
      const fresh = [...named.entries()]
        .filter(([, { visit }]) => !known.has(nameOf(visit.kind, visit.key)))
        .sort(([, a], [, b]) => ascending(a.visit.key, b.visit.key));
      const rows = fresh.flatMap(([index, one]) => rowsOf(one).map((row) => ({ index, row })));
      const added = yield* insertSource.runEach(rows.map(({ row }) => row));
      // a domain that is known may not have been asked for its ard.json yet
      const again = named.filter(({ visit }) => visit.ard && known.has(nameOf(visit.kind, visit.key)));
      yield* insertSource.runEach(again.flatMap((one) => rowsOf(one, ['ard'])));
      const isNew = new Set(rows.filter((_, at) => added[at] === 1).map(({ index }) => index));
      return named.map((_, index) => isNew.has(index));
    },
    *addArd(domain, foundVia, now) {
      yield* insertSource.runEach(
        rowsOf({ visit: { kind: 'domain', key: domain, foundVia }, at: now }, ['ard']),
      );
    },
    addAgents: insertAgent.runEach,
  };
}

function rowsOf(
  { visit, at, trace }: NamedVisit,
  kinds: readonly SourceKind[] = kindsOf(visit),
): readonly NewSource[] {
  const row = {
    key: visit.key,
    visit: visit.kind,
    registrableDomain: registrableDomain(hostOf(visit)),
    url: visit.kind === 'agent' ? (visit.url ?? visit.key) : null,
    foundVia: visit.foundVia,
    now: at,
    dueAt: visit.dueAt ?? at,
    // a domain begins a trace of its own, or a list of publishers would be one without end
    trace: visit.kind === 'agent' ? (trace ?? null) : null,
  };
  return kinds.map((kind) => ({ ...row, kind }));
}

/** Most domains are no agents' home: their ard.json is looked at when somebody has a reason to. */
function kindsOf({ kind, ard }: NewVisit): readonly SourceKind[] {
  return KINDS_OF_VISIT[kind].filter((one) => one !== 'ard' || ard === true);
}

function nameOf(kind: VisitKind, key: string): string {
  return `${kind} ${key}`;
}

function hostOf(visit: NewVisit): string {
  return visit.kind === 'agent' ? new URL(visit.key).hostname : visit.key;
}

/** Without those that only wait for a first visit after that moment. */
function knownKeys(param: Param<{ kind: SourceKind; keys: readonly string[]; now: number }>) {
  return sql
    .selectFrom('source')
    .select('key')
    .where('kind', '=', param('kind'))
    .where('key', 'in', param.list('keys'))
    .where((row) => row.or([row('last_visit_at', 'is not', null), row('next_visit_at', '<=', param('now'))]));
}

function newSource(param: Param<NewSource>) {
  return sql
    .insertInto('source')
    .values({
      kind: param('kind'),
      key: param('key'),
      visit: param('visit'),
      registrable_domain: param('registrableDomain'),
      url: param('url'),
      found_via: param('foundVia'),
      first_seen_at: param('now'),
      next_visit_at: param('dueAt'),
      trace: param('trace'),
    })
    .onConflict((known) =>
      known
        .columns(['kind', 'key'])
        .doUpdateSet((row) => ({
          next_visit_at: row.ref('excluded.next_visit_at'),
          found_via: row.ref('excluded.found_via'),
        }))
        .where('source.last_visit_at', 'is', null)
        .whereRef('source.next_visit_at', '>', 'excluded.next_visit_at'),
    );
}

function newAgent(param: Param<NamedAgent>) {
  return sql
    .insertInto('agent')
    .values({
      agent: param('agent'),
      first_seen_at: param('now'),
      revision: 1,
      dirty_since: param('now'),
      trace: param('trace'),
    })
    .onConflict((known) => known.column('agent').doNothing());
}
