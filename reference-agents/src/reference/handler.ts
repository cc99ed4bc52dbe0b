import {
  type AgentState,
  type AgentType,
  type KnownErrorCode,
  type Problem,
  type PushNotificationConfig,
  problem,
  type TaskName,
  type TaskRequests,
  type TaskResponses,
} from '@agent-registry/surface/agent-kit';
import type { AgentProfile, AgentSpec } from '../agents/agent.ts';

/** Who calls a task. */
export interface Caller {
  /** The URL of the calling agent; `anonymous` for whoever shows neither a token nor a signature. */
  readonly id: string;
  /** The domain that it acts for; undefined for the anonymous. */
  readonly operator?: string;
  /** Whether this very message carries its signature. */
  readonly signed: boolean;
  /** Where its registration with this agent says that webhooks go. */
  readonly webhookUrl?: string;
}

export const ANONYMOUS: Caller = { id: 'anonymous', signed: false };

/** What a task has at hand when it is called. */
export interface TaskCall {
  readonly agent: ReferenceAgent;
  readonly caller: Caller;
  /** Epoch milliseconds, one moment for the whole call. */
  readonly now: number;
  /** An id that nobody guesses, with what it is of in front: `mb_0198c2…`. */
  newId(prefix: string): string;
}

/** A running agent, as its tasks see it. */
export interface ReferenceAgent {
  readonly spec: AgentSpec;
  readonly facts: AgentProfile;
  readonly state: AgentState;
  readonly webhooks: OutgoingWebhooks;
  readonly approvals: ApprovalCheck;
  readonly approvalSigner: ApprovalSigner;
  readonly sellers: SellerDirectory;
}

/** Finds the sellers of an operator, as far as the governance agent knows them. */
export interface SellerDirectory {
  /** Their canonical URLs; empty when none is known. */
  of(asked: {
    readonly type: AgentType;
    readonly operator: string;
    /** The domain of the account's brand; absent: of any. */
    readonly brand?: string;
    /** Who asks. */
    readonly caller: string;
  }): readonly string[];
}

/** Webhooks that have to be sent. */
export interface OutgoingWebhooks {
  /** Inside the transaction of what it tells: both are kept or neither. It is signed and sent afterwards, until it arrives. */
  add(webhook: {
    readonly url: string;
    readonly payload: Readonly<Record<string, unknown>>;
    /** A shared secret that its receiver wants in place of the signature. */
    readonly authentication?: PushNotificationConfig['authentication'];
  }): void;
}

/** Judges the approvals (JWS) that callers bring; asynchronous, as keys may have to be fetched. */
export interface ApprovalCheck {
  /**
   * The approval in `token`, when it is for this very task, payload, caller and agent; otherwise a problem
   * `APPROVAL_INVALID`. Whether its `jti` was used before is for the transaction: see `spendApproval`.
   */
  read(token: string, expected: ExpectedApproval): Promise<Approval | Problem>;
}

export interface ExpectedApproval {
  readonly tool: TaskName;
  /** The request as it came; `governance_approval`, `context` and `ext` are left out before it is hashed. */
  readonly payload: object;
  readonly caller: string;
  readonly planId?: string;
  /** It is shown and not used: whom it is for, and for which task and payload, is not compared. */
  readonly shown?: true;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface Approval {
  /** The governance agent that approved. */
  readonly issuer: string;
  readonly jti: string;
  readonly planId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly conditions: readonly string[];
  /** What it may cost at most; absent: nothing, as the governance agent knew of no cost. */
  readonly budget?: ApprovedBudget;
}

export interface ApprovedBudget {
  readonly amount: number;
  readonly currency: string;
}

/** Signs approvals with the key of this agent. */
export interface ApprovalSigner {
  sign(approval: NewApproval): Promise<string>;
}

export interface NewApproval {
  readonly jti: string;
  readonly planId: string;
  readonly checkId: string;
  readonly tool: string;
  readonly caller: string;
  /** The agent whose task it is; without one it is an opinion, and nobody lets it spend. */
  readonly audience?: string;
  /** As `payloadHash` makes it. */
  readonly payloadHash: string;
  readonly conditions: readonly string[];
  readonly budget?: ApprovedBudget;
  /** The last entry of the plan's audit log, so that whoever holds the approval can tell when the log was changed. */
  readonly audit?: { readonly sequence: number; readonly hash: string };
  /** Epoch milliseconds. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** One task of an agent, the same over every transport. `P` is what `prepare` brings. */
export interface TaskHandler<T extends TaskName = TaskName, P = unknown> {
  /** One line, for tool lists and agent cards. */
  readonly description: string;
  /** `known`: only for callers that show who they are. */
  readonly callers: 'anybody' | 'known';
  /** What has to be awaited before the transaction begins. Changes nothing. Throws a TaskRefused. */
  readonly prepare?: (request: TaskRequests[T], call: TaskCall) => Promise<P>;
  /**
   * Does it, inside one transaction, and gives the answer; `replayed` and `context` are added by whoever runs it.
   * Throws a TaskRefused; then nothing is kept.
   */
  readonly run: (request: TaskRequests[T], call: TaskCall, prepared: P) => TaskResponses[T];
  /**
   * What has to be awaited after the transaction, such as signing what was decided. Not for tasks that take an
   * idempotency key: what it adds is not kept for a replay.
   */
  readonly finish?: (response: TaskResponses[T], call: TaskCall) => Promise<TaskResponses[T]>;
}

/** The tasks of one type of agent. */
export type Handlers = { readonly [T in TaskName]?: TaskHandler<T, never> };

/** A handler whose types follow from the name of its task. */
export function handler<T extends TaskName, P = undefined>(
  _task: T,
  parts: TaskHandler<T, P>,
): TaskHandler<T, never> {
  return parts as unknown as TaskHandler<T, never>;
}

/** Refuses a task; whatever the transaction changed is undone. */
export class TaskRefused extends Error {
  readonly problem: Problem;

  constructor(found: Problem) {
    super(found.message);
    this.name = 'TaskRefused';
    this.problem = found;
  }
}

/** Throws the refusal. `pointer` is a JSON Pointer into the request (RFC 6901). */
export function refuse(code: KnownErrorCode, message: string, pointer: string, suggestion?: string): never {
  throw new TaskRefused(problem(code, message, { pointer, ...(suggestion !== undefined && { suggestion }) }));
}
