/*
 * What a process is made of. This file and its folder are the only ones that pick adapters; all others take what
 * they need as a port.
 */
export { createTxtResolver } from './adapters/dns/txt-resolver.ts';
export { parseConnectTo } from './adapters/fetch/connect-to.ts';
export { moveStore } from './adapters/sql/move/move-store.ts';
export { grantRuntime, upgradeSchema } from './adapters/sql/postgres/runtime-role.ts';
export { openAgentStates } from './adapters/sql/sqlite/agent-state.ts';
export { openCapStore } from './adapters/sql/sqlite/cap-store.ts';
export { openReplayStore } from './adapters/sql/sqlite/replay-store.ts';
export { composeAudit, type SignedAudit } from './compose/audit.ts';
export { checkStoredCredentials, composeCredentials, resealCredentials } from './compose/credentials.ts';
export {
  type OpenedRecords,
  openQueue,
  openRecords,
  openScratchStore,
  openStore,
  type Store,
  type StoreOptions,
  sqlitePath,
} from './compose/engines.ts';
export { composeFileChecks } from './compose/file-checks.ts';
export {
  type ControlParts,
  composeControl,
  composeFetcher,
  type DomainSetting,
  type DomainSettings,
  fileBounds,
  type Network,
  systemClock,
} from './compose/network.ts';
export { composeRuns, type RunParts } from './compose/runs.ts';
export { composeAgentSignatures, composeKeyDirectory, fetchPinnedKeys } from './compose/signature-keys.ts';
export {
  type CrawlParts,
  composeCrawl,
  composeVisits,
  type VisitParts,
} from './compose/visits.ts';
