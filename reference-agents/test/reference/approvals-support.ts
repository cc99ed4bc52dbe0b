import type { Approval, ApprovalCheck } from '../../src/reference/handler.ts';

/**
 * Approvals as a test writes them, `<plan> <amount> <currency>`, or the plan alone for one that names no amount. Each
 * is used once, as its text is its id; who may call what with it is judged elsewhere.
 */
export const WRITTEN_APPROVALS: ApprovalCheck = {
  read: async (token, { now }): Promise<Approval> => {
    const [planId = '', amount, currency = 'EUR'] = token.split(' ');
    return {
      issuer: 'https://governance-1.agents.example/mcp',
      jti: token,
      planId,
      expiresAt: now + 600_000,
      conditions: [],
      ...(amount !== undefined && { budget: { amount: Number(amount), currency } }),
    };
  },
};
