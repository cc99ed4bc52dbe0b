import { present } from '../../base/json.ts';
import { KINDS_OF_VISIT, type SourceKind, type VisitKind, type VisitWork } from '../../domain/source.ts';
import { ascending, LONGEST_LEASE_MS } from '../locks.ts';
import { type SqlStore, type SqlTask, together } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { type SourceRow, sourceState } from './source-rows.ts';

/** Something to visit. Another process may lease it first. */
export interface Candidate {
  readonly key: string;
  readonly depth: number;
}

/** From when until when, and what of a visit. */
export interface VisitTerm {
  readonly now: number;
  readonly until: number;
  /** Sources whose next visit is later are left out. */
  readonly dueBy: number;
  /** When one file of a domain is due, so is the other one if its next visit comes by this moment. */
  readonly othersBy: number;
}

/**
 * Leases the sources of these visits in one transaction. Returns the visits of which any was free, in the order of
 * the candidates.
 */
type VisitLeaser = (
  kind: VisitKind,
  candidates: readonly Candidate[],
  term: VisitTerm,
) => Promise<readonly VisitWork[]>;

/** Reading what is due needs no lock: the process that leases an item first has it, and the other gets fewer. */
export function createVisitLeaser(store: SqlStore): VisitLeaser {
  const lease = prepare(store, leaseOne, {
    kinds: { now: 'number', far: 'number', until: 'number', dueBy: 'number' },
  });

  function* leaseEach(
    kinds: readonly SourceKind[],
    key: string,
    { now, until }: VisitTerm,
    dueBy: number,
  ): SqlTask<readonly SourceRow[]> {
    const far = now + LONGEST_LEASE_MS;
    const rows = yield* lease.firstEach(kinds.map((kind) => ({ kind, key, now, far, until, dueBy })));
    return rows.filter((row) => row !== undefined);
  }
  /** The sources that one visit covers, without those that somebody still holds. */
  function* leaseVisit(kind: VisitKind, candidate: Candidate, term: VisitTerm): SqlTask<VisitWork> {
    const kinds = KINDS_OF_VISIT[kind];
    const due = yield* leaseEach(kinds, candidate.key, term, term.dueBy);
    const mayBeLeft = due.length > 0 && term.othersBy > term.dueBy;
    const left = mayBeLeft ? kinds.filter((other) => !due.some((row) => row.kind === other)) : [];
    const others = yield* leaseEach(left, candidate.key, term, term.othersBy);
    const rows = [...due, ...others].sort((a, b) => ascending(a.kind, b.kind));
    return workOf(kind, candidate, rows, term.until);
  }
  return async (kind, candidates, term) => {
    if (candidates.length === 0) return [];
    const ordered = candidates.toSorted((a, b) => ascending(a.key, b.key)); // two processes lock in one order
    const works = await store.transaction(function* () {
      return yield* together(ordered.map((candidate) => leaseVisit(kind, candidate, term)));
    });
    const taken = new Map(works.filter((work) => work.sources.length > 0).map((work) => [work.key, work]));
    return candidates.flatMap(({ key }) => taken.get(key) ?? []);
  };
}

function workOf(
  kind: VisitKind,
  { key, depth }: Candidate,
  rows: readonly SourceRow[],
  until: number,
): VisitWork {
  const sources = rows.map((row) => ({
    source: sourceState(row),
    lease: { kind: row.kind, key, fence: row.fence, until },
  }));
  const trace = rows.find((row) => row.trace !== null)?.trace;
  return { kind, key, depth, sources, ...present({ foundVia: rows[0]?.found_via, trace }) };
}

function leaseOne(
  param: Param<Omit<VisitTerm, 'othersBy'> & { kind: SourceKind; key: string; far: number }>,
) {
  return sql
    .updateTable('source')
    .set((row) => ({ fence: row('fence', '+', 1), lease_until: param('until') }))
    .where('kind', '=', param('kind'))
    .where('key', '=', param('key'))
    .where((row) => row.or([row('lease_until', '<=', param('now')), row('lease_until', '>', param('far'))]))
    .where('next_visit_at', '<=', param('dueBy'))
    .returningAll();
}
