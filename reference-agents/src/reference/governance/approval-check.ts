import {
  type ApprovalClaims,
  type ApprovalVerdict,
  type KeyDirectory,
  type Problem,
  problem,
  type Revocations,
  readApproval,
  sameAgent,
} from '@agent-registry/surface/agent-kit';
import type { Approval, ApprovalCheck } from '../handler.ts';

/** A governance agent whose approvals count. */
export interface GovernanceAgent {
  readonly url: string;
  /** Where its keys are named: its `identity.brand_json_url`, or `/.well-known/brand.json` on its domain. */
  readonly brandJsonUrl: string;
}

export interface ApprovalCheckOptions {
  /** Addresses of the agent that is brought approvals, each way to speak to it; they have to be for one of them. */
  readonly agentUrls: readonly string[];
  readonly trusted: readonly GovernanceAgent[];
  readonly keys: KeyDirectory;
  readonly revoked?: Revocations;
}

/** Judges the approvals that callers bring, with the keys of the governance agents that are trusted. */
export function createApprovalCheck({
  agentUrls,
  trusted,
  keys,
  revoked,
}: ApprovalCheckOptions): ApprovalCheck {
  const issuers = {
    keysOf: (issuer: string) => {
      const agent = trusted.find(({ url }) => sameAgent(url, issuer));
      return agent === undefined ? undefined : keys.keysOf({ ...agent, kind: 'governance' });
    },
    ...(revoked !== undefined && { revoked }),
  };
  return {
    async read(token, { now, ...expected }) {
      const verdict = await readApproval(
        token,
        { ...expected, audiences: agentUrls, now: Math.floor(now / 1_000) },
        issuers,
      );
      return verdict.valid ? approvalOf(verdict.claims) : problemOf(verdict);
    },
  };
}

function approvalOf(claims: ApprovalClaims): Approval {
  const { iss, jti, sub, exp, conditions = [], budget } = claims;
  return {
    issuer: iss,
    jti,
    planId: sub,
    expiresAt: exp * 1_000,
    conditions,
    ...(budget !== undefined && { budget }),
  };
}

const POINTER = '/governance_approval';

/** Keys that cannot be fetched say nothing about the approval: it may be good in a moment. */
function problemOf({ code, detail }: Extract<ApprovalVerdict, { valid: false }>): Problem {
  const message = `invalid governance approval: ${detail} (${code})`;
  if (code === 'approval_keys_unavailable')
    return problem('GOVERNANCE_UNAVAILABLE', message, { pointer: POINTER });
  const suggestion = 'request a new approval with check_governance, for this payload and this agent';
  return problem('APPROVAL_INVALID', message, { pointer: POINTER, suggestion });
}
