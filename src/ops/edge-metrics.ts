import { Gauge, type Registry } from 'prom-client';
import type { CutReason } from '../edge/connections.ts';
import { counter } from './prometheus.ts';

/** What the edge of a server counts. Labels are closed lists. */
export interface EdgeMetrics {
  /** A connection was ended for its caller's sake. */
  connectionCut(reason: CutReason): void;
  /** A request was sent away because the process was too busy. */
  requestShed(): void;
  /** Where to read the longest block of the event loop in the last minute, milliseconds. */
  watchBlocks(longestBlockMs: () => number): void;
}

/** Makes them in the registry of the process. */
export function edgeMetrics(registry: Registry): EdgeMetrics {
  const cuts = counter(
    registry,
    'registry_http_connections_cut_total',
    'Connections closed because of caller behaviour, by reason.',
    ['reason'],
  );
  const shed = counter(
    registry,
    'registry_http_requests_shed_total',
    'Requests rejected because the event loop was blocked for too long.',
    [],
  );
  let longest = () => 0;
  new Gauge({
    name: 'registry_event_loop_longest_block_seconds',
    help: 'Longest event loop block in the last minute.',
    registers: [registry],
    collect() {
      this.set(longest() / 1_000);
    },
  });
  return {
    connectionCut: (reason) => cuts.inc({ reason }),
    requestShed: () => shed.inc(),
    watchBlocks(longestBlockMs) {
      longest = longestBlockMs;
    },
  };
}
