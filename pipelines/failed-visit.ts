import type { DeclaredFile } from '../src/discovery/declare-file.ts';
import { afterOwnFault, nextVisit } from '../src/discovery/schedule.ts';
import type { LeasedSource, VisitError } from '../src/domain/source.ts';
import type { ProbeVisit } from '../src/domain/visit.ts';
import { RegistryError } from '../src/errors.ts';

/** Longest text of an unexpected error that is kept. */
const MAX_DETAIL = 500;

/**
 * What an error that a visit threw means for it: an internal error fails this visit and no other. Throws the error
 * again when it must stop the run, as nothing could be kept any more.
 */
export function faultOf(error: unknown): VisitError {
  if (mustStop(error)) throw error;
  const detail = error instanceof Error ? error.message : String(error);
  return { code: 'internal', detail: detail.slice(0, MAX_DETAIL) };
}

/** A broken store stops everything. An index that is away stops nothing: the change log brings it up to date. */
function mustStop(error: unknown): boolean {
  return error instanceof RegistryError && (error.code === 'interrupted' || error.code.startsWith('store_'));
}

/** The state of a file after an internal error: what was known before, and the time of the next try. */
export function failedFile({ source, lease }: LeasedSource, error: VisitError, now: number): DeclaredFile {
  const { absentSince, absentVisits, validators } = source;
  const visit = {
    ...failedVisit({ source, lease }, error, now),
    captures: [],
    validators,
    absentVisits,
    ...(absentSince !== undefined && { absentSince }),
    findings: [],
  };
  return { visit, found: [] };
}

/** The same of a probe. */
export function failedVisit(
  { source, lease }: LeasedSource,
  error: VisitError,
  now: number,
): Pick<ProbeVisit, 'lease' | 'outcome' | 'nextVisitAt' | 'failures'> & { readonly error: VisitError } {
  const { kind, key, failures } = source;
  const outcome = 'failed';
  const next = nextVisit({ kind, key, outcome, failures, now });
  return { lease, outcome, nextVisitAt: next.at, failures: next.failures, error };
}

/** What is kept of a file that our own network kept us from: what was known. Nothing is counted against its domain. */
export function ownNetworkFile(leased: LeasedSource, now: number): DeclaredFile {
  const error = {
    code: 'own_network',
    detail: 'our own network failed: no control site answered either',
  };
  const { visit } = failedFile(leased, error, now);
  const { key, failures } = leased.source;
  return { visit: { ...visit, failures, nextVisitAt: afterOwnFault(key, now) }, found: [] };
}
