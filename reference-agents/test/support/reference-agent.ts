import { problem } from '../../../src/protocol/problem.ts';
import type { AgentState } from '../../../src/records/sqlite/agent-state.ts';
import type { AgentProfile, AgentSpec } from '../../src/agents/agent.ts';
import type { ReferenceAgent } from '../../src/reference/handler.ts';

/** An agent that knows nobody: it believes no approval, signs none, and its webhooks go nowhere. */
export function bareAgent(spec: AgentSpec, facts: AgentProfile, state: AgentState): ReferenceAgent {
  return {
    spec,
    facts,
    state,
    webhooks: { add: () => undefined },
    approvals: {
      read: async () => problem('APPROVAL_INVALID', 'no governance agent is trusted by this agent'),
    },
    sellers: { of: () => [] },
    approvalSigner: {
      sign: () => {
        throw new Error('this agent signs no approvals');
      },
    },
  };
}
