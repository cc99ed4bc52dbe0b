import type { Registry } from 'prom-client';
import type { LeakKind, MatchOperation, MatchResult } from '../domain/trusted-match.ts';
import { counter } from './prometheus.ts';

/** What a provider of trusted match counts; nothing in it comes from a request but the operation. */
export interface MatchMetrics {
  /** One answered request. */
  matchRequest(operation: MatchOperation, result: MatchResult): void;
  /** A request was refused because it carried what its operation must not know. */
  matchLeak(operation: MatchOperation, kind: LeakKind): void;
  /** An exposure that still counted was forgotten for want of memory. */
  matchExposureForgotten(): void;
}

/** Makes the metrics of trusted match in the registry of the process. */
export function matchMetrics(registry: Registry): MatchMetrics {
  const requests = counter(
    registry,
    'registry_match_requests_total',
    'Trusted match requests, by operation and result.',
    ['operation', 'result'],
  );
  const leaks = counter(
    registry,
    'registry_match_leaks_total',
    'Trusted match requests refused because they carried data that the operation must not receive.',
    ['operation', 'kind'],
  );
  const forgotten = counter(
    registry,
    'registry_match_exposures_forgotten_total',
    'Exposures within a frequency cap that were dropped for lack of memory.',
    [],
  );
  return {
    matchRequest: (operation, result) => requests.inc({ operation, result }),
    matchLeak: (operation, kind) => leaks.inc({ operation, kind }),
    matchExposureForgotten: () => forgotten.inc(),
  };
}
