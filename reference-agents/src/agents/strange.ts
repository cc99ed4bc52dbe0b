import { problem } from 'agent-registry/agent-kit';
import type { AgentSpec } from './agent.ts';
import type { RunningAgent } from './running-agent.ts';

const INPUT = {
  type: 'object',
  properties: { harbour: { type: 'string' } },
  required: [],
} as const;

/** What somebody built who never read the protocol. */
export function strangeAgent(spec: AgentSpec): RunningAgent {
  return {
    spec,
    tasks: [{ name: 'tell_tide', description: 'Tells when the tide turns', input: INPUT }],
    call: async (task) =>
      task === 'tell_tide'
        ? { ok: true, data: { high_water: '04:12' } }
        : { ok: false, error: problem('UNKNOWN_TASK', 'this agent has no such task') },
  };
}
