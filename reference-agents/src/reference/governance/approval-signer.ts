import { type SigningKey, signApproval } from 'agent-registry/agent-kit';
import type { ApprovalSigner } from '../handler.ts';

export interface ApprovalSignerOptions {
  /** A key for governance-signing. */
  readonly key: SigningKey;
  /** URL of the governance agent. */
  readonly issuer: string;
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
