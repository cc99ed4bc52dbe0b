import type { Protocol } from '../../../../domain/agent-type.ts';
import type { NewVisit } from '../../../../domain/source.ts';

/** Which visit of a batch says something. Visits may be written side by side, so what they say comes in any order. */
export interface VisitMark {
  /** Its place in the batch, counted from 0. */
  readonly index: number;
  readonly at: number;
  readonly trace?: string;
}

/** How much one transaction changes the sums of an agent. */
export interface AgentDelta {
  readonly agent: string;
  /** By the first visit of the batch that named it. */
  named: Naming;
  /** The last visit that changed its facts: it must be stitched again. */
  changedBy?: VisitMark;
  authorisations: number;
  mentions: number;
  publishers: number;
  properties: number;
  readonly byType: Map<string, number>;
  readonly tags: Map<string, number>;
}

/** What a probe leaves of an agent. */
export interface SeenAgent {
  readonly agent: string;
  readonly at: number;
  readonly lastSeenAt: number | null;
  readonly health: string;
  readonly protocol: Protocol | null;
  readonly endpoint: string | null;
  readonly goodAt: number | null;
  readonly goodProtocol: Protocol | null;
  readonly goodEndpoint: string | null;
  readonly goodExposed: string | null;
  /** 1 when the document may differ, so the agent becomes dirty. */
  readonly changed: number;
  readonly trace: string | null;
}

/** How a domain or an agent was named. */
export interface Naming {
  readonly visit: NewVisit;
  readonly by: VisitMark;
}

/** An agent that was named, with no change to its sums. */
export function emptyDelta(named: Naming): AgentDelta {
  return {
    agent: named.visit.key,
    named,
    authorisations: 0,
    mentions: 0,
    publishers: 0,
    properties: 0,
    byType: new Map(),
    tags: new Map(),
  };
}

/** Adds (`sign` 1) or takes away (-1) what one authorisation brings to its agent. */
export function addAuthorisation(
  delta: AgentDelta,
  row: { readonly countByType: Readonly<Record<string, number>>; readonly tags: readonly string[] },
  sign: 1 | -1,
): void {
  delta.authorisations += sign;
  for (const [type, n] of Object.entries(row.countByType)) {
    delta.properties += sign * n;
    delta.byType.set(type, (delta.byType.get(type) ?? 0) + sign * n);
  }
  for (const tag of row.tags) delta.tags.set(tag, (delta.tags.get(tag) ?? 0) + sign);
}
