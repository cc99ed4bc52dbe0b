/*
 * What a process is made of. This file and its folder are the only ones that pick adapters; all others take what
 * they need as a port.
 */
export { createTxtResolver } from './adapters/dns/txt-resolver.ts';
export { parseConnectTo } from './adapters/fetch/routes.ts';
export { openAgentStates } from './adapters/sql/agent-state.ts';
export { openCapStore } from './adapters/sql/cap-store.ts';
export { moveStore } from './adapters/sql/move/move-store.ts';
export { openReplayStore } from './adapters/sql/replay-store.ts';
export { composeAgentSignatures } from './compose/agent-signatures.ts';
export { type ControlParts, composeControl } from './compose/control.ts';
export { composeCredentials, lookAtCredentials, resealCredentials } from './compose/credentials.ts';
export {
  composeFetcher,
  type DomainSetting,
  type DomainSettings,
  type Network,
} from './compose/fetcher.ts';
export { composeKeyDirectory } from './compose/key-directory.ts';
export { openQueue } from './compose/open-queue.ts';
export {
  type OpenedRecords,
  openRecords,
  openScratchStore,
  openStore,
  type Store,
  type StoreOptions,
  sqlitePath,
} from './compose/open-store.ts';
export { fetchPinnedKeys } from './compose/pinned-keys.ts';
export { composeRuns, type RunParts } from './compose/runs.ts';
export { systemClock } from './compose/system-clock.ts';
export { type CrawlParts, composeCrawl, composeVisits, type VisitParts } from './compose/visits.ts';
