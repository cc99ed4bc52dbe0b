import {
  type AgentStates,
  type Clock,
  createDeliverer,
  createWebhookQueue,
  type Deliverer,
  type Fetcher,
  type KeyDirectory,
  readSigningKey,
  type SigningKey,
  signApproval,
} from '@agent-registry/surface/agent-kit';
import { type AgentProfile, type AgentSpec, addressesOf, identityOf } from '../agents/agent.ts';
import { publicWebhooks } from '../dialect/webhooks.ts';
import type { AgentKeys } from '../keys.ts';
import { createApprovalCheck, type GovernanceAgent } from './governance/approval-check.ts';
import type { ApprovalSigner, ReferenceAgent, SellerDirectory } from './handler.ts';

interface ApprovalSignerOptions {
  /** A key for governance-signing. */
  readonly key: SigningKey;
  /** URL of the governance agent. */
  readonly issuer: string;
}

interface ReferenceOptions {
  readonly states: AgentStates;
  readonly clock: Clock;
  readonly fetcher: Fetcher;
  /** Finds the keys of others. */
  readonly keys: KeyDirectory;
  /** What this agent signs with. */
  readonly own: AgentKeys;
  /** The governance agents whose approvals count. */
  readonly governance: readonly GovernanceAgent[];
  readonly sellers: SellerDirectory;
}

/** An agent with what sends its webhooks. */
export interface ReferenceParts {
  readonly agent: ReferenceAgent;
  readonly deliverer: Deliverer;
}

/** Puts together what the tasks of an agent have at hand. */
export async function createReference(
  spec: AgentSpec,
  facts: AgentProfile,
  { states, clock, fetcher, keys, own, governance, sellers }: ReferenceOptions,
): Promise<ReferenceParts> {
  const state = states.of(identityOf(spec.url));
  const key = await readSigningKey(own.webhook);
  // on all its lines the public protocol writes webhooks as on its first (docs/reference/signing.md)
  const signing =
    facts.vocabulary === 'adcp'
      ? ({ key, profile: '3.0', vocabulary: 'adcp' } as const)
      : ({ key, profile: '3.2', vocabulary: 'proto' } as const);
  const deliverer = createDeliverer({ state, fetcher, signing, clock });
  const queue = createWebhookQueue(state, { clock, onAdded: deliverer.wake });
  const agent: ReferenceAgent = {
    spec,
    facts,
    state,
    webhooks: facts.vocabulary === 'adcp' ? publicWebhooks(queue, spec) : queue,
    approvals: createApprovalCheck({ agentUrls: addressesOf(spec), trusted: governance, keys }),
    approvalSigner: createApprovalSigner({ key: await readSigningKey(own.governance), issuer: spec.url }),
    sellers,
  };
  return { agent, deliverer };
}

/** Signs approvals; those without an audience are opinions (phase `intent`). */
export function createApprovalSigner({ key, issuer }: ApprovalSignerOptions): ApprovalSigner {
  return {
    sign({ audience, budget, audit, conditions, ...approval }) {
      const issuedAt = Math.floor(approval.issuedAt / 1_000);
      return signApproval(key, {
        iss: issuer,
        sub: approval.planId,
        ...(audience !== undefined && { aud: audience }),
        iat: issuedAt,
        nbf: issuedAt,
        exp: Math.floor(approval.expiresAt / 1_000),
        jti: approval.jti,
        phase: audience === undefined ? 'intent' : 'execution',
        caller: approval.caller,
        tool: approval.tool,
        plan_hash: approval.payloadHash,
        check_id: approval.checkId,
        ...(conditions.length > 0 && { conditions }),
        ...(budget !== undefined && { budget }),
        ...(audit !== undefined && { audit }),
      });
    },
  };
}
