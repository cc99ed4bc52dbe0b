import type { ExpectedAgent } from '../expectations.ts';
import { type AgentFacts, type AgentSpec, hostOf, identityOf, pathOf } from './agent.ts';
import { goodMetrics } from './facts.ts';
import type { RunningAgent } from './running-agent.ts';

type Authorisations = Pick<ExpectedAgent, 'publishers' | 'deniedClaims' | 'declared'>;

/** What a registry must find out about this agent when it looks without credentials. */
export function expectedAgent(agent: RunningAgent, facts: AgentFacts, given: Authorisations): ExpectedAgent {
  const { spec } = agent;
  const metrics = goodMetrics(facts.metrics);
  const bodies = metrics.flatMap(
    ({ accreditations }) => accreditations as readonly { accrediting_body: string }[],
  );
  return {
    url: identityOf(spec.url),
    declaredUrl: spec.url,
    name: spec.name,
    type: spec.type,
    ...given,
    ...reachOf(agent),
    metricIds: metrics.map(({ metric_id }) => metric_id),
    accreditingBodies: [...new Set(bodies.map(({ accrediting_body }) => accrediting_body))].sort(),
  };
}

function reachOf(
  agent: RunningAgent,
): Pick<ExpectedAgent, 'online' | 'errorClass' | 'protocol' | 'endpoint' | 'tools'> {
  const { spec, tasks } = agent;
  const { transport } = spec;
  if (transport.protocol === 'mcp' && transport.token !== undefined) {
    return { online: true, errorClass: 'auth_required', tools: [] };
  }
  if (isLost(spec)) return { online: false, errorClass: 'wrong_path', tools: [] };
  const hidden = transport.protocol === 'a2a' ? (transport.hidden ?? []) : [];
  return {
    online: true,
    protocol: transport.protocol,
    endpoint: spec.path === undefined ? spec.url : `https://${hostOf(spec)}${pathOf(spec)}`,
    tools: tasks.map(({ name }) => name).filter((name) => !hidden.includes(name)),
  };
}

/** An agent is found at its declared URL or at `/mcp` under it, nowhere else. */
function isLost(spec: AgentSpec): boolean {
  return spec.path !== undefined && spec.path !== `${new URL(spec.url).pathname}/mcp`.replace('//', '/');
}
