/*
 * A registry inside another program: records, index, crawl, tests and API, composed as the commands compose them. The
 * demo and the commands of the reference agents run on it.
 */
export { probeVisit } from '../../pipelines/agents.ts';
export { crawl, openRun } from '../../pipelines/crawl.ts';
export type { CrawlContext, VisitContext } from '../../pipelines/crawl-context.ts';
export { heartbeat } from '../../pipelines/heartbeat.ts';
export { writeExport } from '../api/export/files.ts';
export { cursorSecretOf } from '../api/operations/list-agents.ts';
export { serve } from '../api/serve.ts';
export { createServer } from '../api/server.ts';
export type { ServerOptions } from '../api/server-options.ts';
export { createBudgets } from '../budgets/budgets.ts';
export { wakeSubscribers } from '../cli/setup/wake-ups.ts';
export { decideChange } from '../compliance/decide.ts';
export { openAgentStates, openReplayStore } from '../compose/agent-stores.ts';
export { systemClock } from '../compose/clock.ts';
export { composeCredentials } from '../compose/credentials.ts';
export { openStore, type Store, sqlitePath } from '../compose/engines.ts';
export { composeFileChecks } from '../compose/file-checks.ts';
export { composeFetcher, composeUrlFault, localWay, parseConnectTo } from '../compose/network.ts';
export { composeProofs } from '../compose/proofs.ts';
export { composeRuns, type RunParts } from '../compose/runs.ts';
export { composeKeyDirectory } from '../compose/signature-keys.ts';
export { composeCrawl, composeVisits } from '../compose/visits.ts';
export { type Config, readConfig } from '../config.ts';
export { deriveStored } from '../discovery/derive-facts.ts';
export { isOnline } from '../domain/agent-facts.ts';
export { type BadgeEvent, isActive } from '../domain/badge.ts';
export { proofPlaces } from '../domain/ownership.ts';
export { createLog } from '../ops/log.ts';
export { createMetrics } from '../ops/metrics.ts';
export { findProof, newChallenge } from '../owners/proof.ts';
export { newApiKey } from '../owners/secrets.ts';
export type { Records } from '../ports/records.ts';
export type { TxtResolver } from '../ports/txt-resolver.ts';
export type { Member } from '../records/owners/members.ts';
export type { NewRegistration } from '../records/owners/registrations.ts';
export type { KeptRun } from '../records/runs/compliance-runs.ts';
export type { ComplianceState } from '../records/runs/compliance-state.ts';
export { makeSealingKeys } from '../signing/sealing-keys.ts';
export { VERSION } from '../version.ts';
