import { AgentCard } from '@a2a-js/sdk';
import type { A2aTransport } from './agent.ts';
import type { RunningAgent } from './running-agent.ts';

/** The agent card (A2A 1.0, section 4.4) with one interface for each version that is spoken. */
export function agentCard(agent: RunningAgent, transport: A2aTransport, url: string): AgentCard {
  const { spec } = agent;
  return AgentCard.fromJSON({
    name: spec.name,
    description: spec.description,
    version: '1.0.0',
    supportedInterfaces: transport.versions.map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: skillsOf(agent, transport),
  });
}

/** The card of version 0.3 (section 5.5): one URL, and the version at the root. */
export function oldAgentCard(agent: RunningAgent, transport: A2aTransport, url: string): object {
  const { spec } = agent;
  return {
    protocolVersion: '0.3.0',
    name: spec.name,
    description: spec.description,
    url,
    preferredTransport: 'JSONRPC',
    version: '1.0.0',
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['application/json'],
    defaultOutputModes: ['application/json'],
    skills: skillsOf(agent, transport),
  };
}

function skillsOf(agent: RunningAgent, transport: A2aTransport): readonly object[] {
  return agent.tasks
    .filter(({ name }) => transport.hidden?.includes(name) !== true)
    .map(({ name, description }) => ({ id: name, name, description, tags: [agent.spec.type] }));
}
