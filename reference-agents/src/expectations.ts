import {
  AGENT_TYPES,
  type AgentType,
  type ErrorClass,
  type Protocol,
} from '@agent-registry/surface/agent-kit';
import type { SandboxBrand } from './brands/houses.ts';
import type { SandboxPublisher } from './publishers/publishers.ts';
import type { Trouble } from './trouble/trouble.ts';

/** What an honest registry must find out about one agent once every domain was crawled. */
export interface ExpectedAgent {
  /** Its identity. */
  readonly url: string;
  /** As the files declare it. */
  readonly declaredUrl: string;
  readonly name: string;
  readonly type: AgentType;
  /** Whether a file that has the say declares the type; else it is inferred. */
  readonly declared: boolean;
  readonly online: boolean;
  readonly errorClass?: ErrorClass;
  /** Absent when no handshake succeeds without credentials. */
  readonly protocol?: Protocol;
  /** The logical URL that answers the protocol. */
  readonly endpoint?: string;
  /** Tools, or for A2A the skills on the card. */
  readonly tools: readonly string[];
  /** Of the good metrics. */
  readonly metricIds: readonly string[];
  readonly accreditingBodies: readonly string[];
  /** Domains that authorise it, sorted; those of the long tail among them. */
  readonly publishers: readonly string[];
  /** Domains that it claims and that do not authorise it. */
  readonly deniedClaims: readonly string[];
}

export interface Expectations {
  readonly agents: readonly ExpectedAgent[];
  readonly publishers: readonly SandboxPublisher[];
  readonly brands: readonly Omit<SandboxBrand, 'file'>[];
  readonly trouble: readonly Omit<Trouble, 'page'>[];
  /** What a stranger's brand.json says of an agent, and what stays true. */
  readonly retyped: {
    readonly declarer: string;
    readonly agent: string;
    readonly claimed: AgentType;
    readonly type: AgentType;
  };
}

/** The same in numbers. */
export interface Summary {
  readonly agents: number;
  readonly online: number;
  readonly agentsByType: Readonly<Record<AgentType, number>>;
  readonly agentsByProtocol: Readonly<Record<Protocol, number>>;
  /** Domains that authorise at least one agent. */
  readonly publishers: number;
  readonly publishersByAgent: Readonly<Record<string, number>>;
  /** Agents by metric id. */
  readonly agentsByMetric: Readonly<Record<string, number>>;
  /** Agents by accrediting body. */
  readonly agentsByBody: Readonly<Record<string, number>>;
}

/** Counts the expectations. */
export function summarise({ agents }: Expectations): Summary {
  return {
    agents: agents.length,
    online: agents.filter(({ online }) => online).length,
    agentsByType: { ...zeroes(AGENT_TYPES), ...tally(agents.map(({ type }) => type)) },
    agentsByProtocol: { mcp: 0, a2a: 0, ...tally(agents.flatMap(({ protocol }) => protocol ?? [])) },
    publishers: new Set(agents.flatMap(({ publishers }) => publishers)).size,
    publishersByAgent: Object.fromEntries(agents.map(({ url, publishers }) => [url, publishers.length])),
    agentsByMetric: tally(agents.flatMap(({ metricIds }) => metricIds)),
    agentsByBody: tally(agents.flatMap(({ accreditingBodies }) => accreditingBodies)),
  };
}

function zeroes<K extends string>(keys: readonly K[]): Record<K, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;
}

function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of [...values].sort()) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
