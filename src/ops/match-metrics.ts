import { Counter, type Registry } from 'prom-client';
import type { LeakKind, MatchOperation, MatchResult } from '../domain/trusted-match.ts';

/** What a provider of trusted match counts; nothing in it comes from a request but the operation. */
export interface MatchMetrics {
  /** One answered request. */
  matchRequest(operation: MatchOperation, result: MatchResult): void;
  /** A request was refused because it carried what its operation must not know. */
  matchLeak(operation: MatchOperation, kind: LeakKind): void;
  /** An exposure that still counted was forgotten for want of memory. */
  matchExposureForgotten(): void;
}

/** Makes them in `registry`. */
export function matchMetrics(registry: Registry): MatchMetrics {
  const requests = new Counter({
    name: 'registry_match_requests_total',
    help: 'Requests of trusted match, by what came of them.',
    labelNames: ['operation', 'result'],
    registers: [registry],
  });
  const leaks = new Counter({
    name: 'registry_match_leaks_total',
    help: 'Requests of trusted match refused because they carried what the operation must not know.',
    labelNames: ['operation', 'kind'],
    registers: [registry],
  });
  const forgotten = new Counter({
    name: 'registry_match_exposures_forgotten_total',
    help: 'Exposures that still counted for a frequency cap and were forgotten for want of memory.',
    registers: [registry],
  });
  return {
    matchRequest: (operation, result) => requests.inc({ operation, result }),
    matchLeak: (operation, kind) => leaks.inc({ operation, kind }),
    matchExposureForgotten: () => forgotten.inc(),
  };
}
