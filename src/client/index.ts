// The module `agent-registry/client`: nothing in it or below it needs Node.
export type {
  AnswerOf,
  CallOptions,
  ClientOptions,
  InputOf,
  ItemOf,
  OperationName,
  PagedName,
  RegistryClient,
} from './client.ts';
export { createClient } from './client.ts';
export { type FailureCode, RegistryFailure } from './failure.ts';
export type * from './generated/types.ts';
export type { RetryLimits } from './retries.ts';
