import type { AgentFacts, LastGood, Registration } from '../../../src/domain/agent-facts.ts';
import type { Capabilities } from '../../../src/domain/capabilities.ts';
import { NEVER_TESTED } from '../../../src/domain/compliance.ts';
import type { Mention } from '../../../src/domain/declared-facts.ts';
import type { Exposed } from '../../../src/domain/observation.ts';

export const AGENT = 'https://ads.nova.example/mcp';
/** 2026-01-06T09:00:00.000Z. */
export const SEEN_AT = Date.UTC(2026, 0, 6, 9);

/** An agent that somebody's adagents.json names, and nothing more. */
export function facts(more: Partial<AgentFacts> = {}): AgentFacts {
  return {
    agent: AGENT,
    firstSeenAt: SEEN_AT,
    mentions: [],
    operatorDeclarers: [],
    declared: true,
    compliance: NEVER_TESTED,
    ...more,
  };
}

/** An entry of a brand.json. */
export function brandMention(declarer: string, more: Partial<Mention> = {}): Mention {
  return { agent: AGENT, declaredUrl: AGENT, declarer, file: 'brand', entry: '/agents/0', ...more };
}

export function registration(more: Partial<Registration> = {}): Registration {
  return { member: { slug: 'nova', display_name: 'Nova' }, proven: false, addedAt: SEEN_AT, ...more };
}

export function lastGood(exposed: Partial<Exposed> = {}, capabilities: Partial<Capabilities> = {}): LastGood {
  return {
    at: SEEN_AT,
    protocol: 'mcp',
    endpoint: AGENT,
    exposed: {
      capabilities: { tools_count: 0, tools: [], ...capabilities },
      creativeFormatCount: capabilities.creative_capabilities?.formats_supported.length ?? 0,
      inferredType: 'unknown',
      supportedProtocols: [],
      specialisms: [],
      supportedVersions: [],
      claimedPublisherDomains: [],
      ...exposed,
    },
  };
}
