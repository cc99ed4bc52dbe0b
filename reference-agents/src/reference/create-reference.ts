import {
  type AgentStates,
  type Clock,
  createDeliverer,
  createWebhookQueue,
  type Deliverer,
  type Fetcher,
  type KeyDirectory,
  readSigningKey,
} from 'agent-registry/agent-kit';
import { type AgentFacts, type AgentSpec, addressesOf, identityOf } from '../agents/agent.ts';
import type { AgentKeys } from '../keys.ts';
import { createApprovalCheck, type GovernanceAgent } from './governance/approval-check.ts';
import { createApprovalSigner } from './governance/approval-signer.ts';
import type { ReferenceAgent } from './handler.ts';

export interface ReferenceOptions {
  readonly states: AgentStates;
  readonly clock: Clock;
  readonly fetcher: Fetcher;
  /** Finds the keys of others. */
  readonly keys: KeyDirectory;
  /** What this agent signs with. */
  readonly own: AgentKeys;
  /** The governance agents whose approvals count. */
  readonly governance: readonly GovernanceAgent[];
}

/** An agent with what sends its webhooks. */
export interface ReferenceParts {
  readonly agent: ReferenceAgent;
  readonly deliverer: Deliverer;
}

/** The profile of the agents' signatures (docs/reference/signing.md). */
const PROFILE = '3.2';

/** Puts together what the tasks of an agent have at hand. */
export async function createReference(
  spec: AgentSpec,
  facts: AgentFacts,
  { states, clock, fetcher, keys, own, governance }: ReferenceOptions,
): Promise<ReferenceParts> {
  const state = states.of(identityOf(spec.url));
  const signing = { key: await readSigningKey(own.webhook), profile: PROFILE } as const;
  const deliverer = createDeliverer({ state, fetcher, signing, clock });
  const agent: ReferenceAgent = {
    spec,
    facts,
    state,
    webhooks: createWebhookQueue(state, { clock, onAdded: deliverer.wake }),
    approvals: createApprovalCheck({ agentUrls: addressesOf(spec), trusted: governance, keys }),
    approvalSigner: createApprovalSigner({ key: await readSigningKey(own.governance), issuer: spec.url }),
  };
  return { agent, deliverer };
}
