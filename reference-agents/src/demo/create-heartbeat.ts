import {
  composeRuns,
  deriveStored,
  heartbeat,
  probeVisit,
  type RunParts,
  type Store,
  type VisitContext,
} from '@agent-registry/surface/registry';

const LEASE_MS = 600_000;

/** The heartbeat of `agent-registry heartbeat`: tests what is due, until nothing is, or, with `once` false, until the signal. */
export async function createHeartbeat(
  store: Store,
  parts: Omit<RunParts, 'records'>,
): Promise<(once?: boolean) => Promise<void>> {
  const runs = await composeRuns({ ...parts, records: store.records });
  return (once = true) => heartbeat({ runs, indexer: { ...store, rederive: deriveStored }, once });
}

/** Probes the agents that are due, at most 100, and gives their number. No domain is visited. */
export async function probeDue(context: VisitContext): Promise<number> {
  const { records, clock } = context;
  const works = await records.sources.takeDue('agent', 100, clock.now(), LEASE_MS);
  for (const work of works) await probeVisit(work, context);
  return works.length;
}
