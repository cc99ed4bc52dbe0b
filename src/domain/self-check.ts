import type { DeclaredFacts } from './declared-facts.ts';
import type { StoredDeclaration } from './visit.ts';

/** What is kept beside the facts that it follows from. */
export const KEPT_BESIDE_FACTS = [
  'sums', // of an agent: its authorisations, mentions, publishers and properties
  'property_types', // how many properties of each type
  'tags', // on how many authorisations each tag stands
  'edges', // of a publisher, with what each covers and its limits
  'publisher_agents', // to how many agents a publisher's file gives something
  'health_days', // whether an agent answered its probes of a day
  'standing', // the run that the standing shows
  'document', // the hash of the document
  'generation', // what the live generation of the index has of the agent
] as const;

type KeptBesideFacts = (typeof KEPT_BESIDE_FACTS)[number];

/** Something that is kept and does not follow from the facts. */
export interface Difference {
  readonly kind: KeptBesideFacts;
  /** The agent, or the publisher's domain. */
  readonly of: string;
  readonly kept: string;
  /** What the facts give. */
  readonly counted: string;
}

/** The result of recomputing a sample. */
export interface Recount {
  /** The agents of the sample. */
  readonly agents: readonly string[];
  readonly publishers: number;
  readonly differences: readonly Difference[];
}

/** What follows from a declaration now; undefined where this program would read its file in another way. */
export type Rederive = (declaration: StoredDeclaration, now: number) => DeclaredFacts | undefined;

/** What a self-check of the whole registry found. */
export interface SelfCheck {
  /** When it was made, epoch milliseconds. */
  readonly at: number;
  readonly agents: number;
  readonly publishers: number;
  readonly differences: number;
}
