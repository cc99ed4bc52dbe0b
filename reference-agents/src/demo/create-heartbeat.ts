import { composeRuns, deriveStored, heartbeat, type RunParts, type Store } from 'agent-registry/registry';

/** The heartbeat of `registry heartbeat --once`: tests what is due, and ends when nothing is. */
export async function createHeartbeat(
  store: Store,
  parts: Omit<RunParts, 'records'>,
): Promise<() => Promise<void>> {
  const runs = await composeRuns({ ...parts, records: store.records });
  return () => heartbeat({ runs, indexer: { ...store, rederive: deriveStored }, once: true });
}
