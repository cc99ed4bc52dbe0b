import type { NewVisit } from '../../../domain/source.ts';

/** How much one transaction changes the sums of an agent. */
export interface AgentDelta {
  readonly agent: string;
  readonly url: string;
  readonly foundVia: string;
  readonly at: number;
  /** The visit of the batch that named it first. */
  readonly visit: number;
  /** Its facts changed, so it must be stitched again. */
  dirty: boolean;
  /** The URL that a brand.json on the agent's own domain gives: it is dialled from now on. */
  ownUrl?: string;
  authorisations: number;
  mentions: number;
  publishers: number;
  properties: number;
  readonly byType: Map<string, number>;
  readonly tags: Map<string, number>;
}

/** An agent that was named, with no change to its sums. */
export function emptyDelta(visit: NewVisit, at: number, index: number): AgentDelta {
  return {
    agent: visit.key,
    url: visit.url ?? visit.key,
    foundVia: visit.foundVia,
    at,
    visit: index,
    dirty: false,
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
