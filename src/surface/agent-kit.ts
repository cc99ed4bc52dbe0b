/*
 * What an agent is made with: the protocol, message signatures, webhooks and calls. The reference agents take from the
 * project what stands here, and nothing else.
 */

export { pause } from '../base/back-off.ts';
export { elements, isObject, type JsonObject, member, pointerOf } from '../base/json.ts';
export { canonicalHash } from '../base/json-bytes.ts';
export { callByName, withConnection } from '../calling/connect.ts';
export { CallFailure } from '../calling/failure.ts';
export { AGENT_TYPES, type AgentType, PROTOCOLS, type Protocol } from '../domain/agent-type.ts';
export { agentKey, parseAgentUrl } from '../domain/agent-url.ts';
export type { PropertyType } from '../domain/declaration.ts';
export { parseDomain } from '../domain/domain-name.ts';
export type { ErrorClass } from '../domain/observation.ts';
export type { Outcome } from '../domain/outcome.ts';
export { trimEnd } from '../domain/text.ts';
export { webhookUrlFault } from '../domain/webhook-url.ts';
export { createGuardedServer } from '../edge/guarded-server.ts';
export { RegistryError } from '../errors.ts';
export type { Clock } from '../ports/clock.ts';
export type { Fetcher } from '../ports/fetcher.ts';
export { BOUNDS, measure } from '../protocol/bounds.ts';
export { inOwnNames, withNamesOf } from '../protocol/field-names.ts';
export type * from '../protocol/generated/types.ts';
export { type Problem, problem } from '../protocol/problem.ts';
export { checkResponse, readRequest, webhookFault } from '../protocol/read-request.ts';
export { type SelfContainedSchema, selfContainedSchema } from '../protocol/schema-files.ts';
export { PROTOCOL_TASKS, type TaskName, taskNamed } from '../protocol/tasks.ts';
export { validatorOfShape } from '../protocol/validators.ts';
export { VOCABULARY_NAMES, type VocabularyName } from '../protocol/vocabulary.ts';
export type {
  AgentState,
  AgentStates,
  AppendOnlyLog,
  Collection,
  DueDocument,
  LogEntry,
} from '../records/sqlite/agent-state.ts';
export type { ReplayStore } from '../records/sqlite/replay-store.ts';
export type { KeyDirectory } from '../signing/agent-keys.ts';
export { ambiguityOf } from '../signing/ambiguous-json.ts';
export type { ApprovalClaims, ApprovalVerdict } from '../signing/approval-token.ts';
export { readApproval, sameAgent, signApproval } from '../signing/approvals.ts';
export { createSignatureGate, messageOfRequest } from '../signing/gate.ts';
export { type FoundKey, type KeySource, readJwkSet, unknownKey } from '../signing/key-source.ts';
export { coveredPart, payloadHash } from '../signing/payload-hash.ts';
export { publicJwk, readSigningKey, type SigningKey } from '../signing/private-key.ts';
export { CLOCK_SKEW, MESSAGE_KINDS, PURPOSE_MEMBERS, PURPOSES, type Purpose } from '../signing/profile.ts';
export type { Jwk } from '../signing/public-key.ts';
export type { Revocations } from '../signing/revocations.ts';
export { createSigningFetch } from '../signing/sign.ts';
export { createDeliverer, type Deliverer } from '../webhooks/deliverer.ts';
export type { WebhookPayload } from '../webhooks/delivery.ts';
export { openInbox, type ReceivedWebhook } from '../webhooks/inbox.ts';
export { createWebhookQueue } from '../webhooks/queue.ts';
export { createWebhookReceiver, type WebhookReceiver } from '../webhooks/receiver.ts';
