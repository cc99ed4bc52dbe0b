/** An agent that a manifest of Agentic Resource Discovery names. */
export interface ArdAgent {
  readonly pointer: string;
  readonly url: string;
  readonly agent: string;
  /** The domain in the entry's identifier: whose agent it is said to be. */
  readonly publisher: string;
  readonly name?: string;
  readonly description?: string;
}

/** What `ard.json` says (ARD v0.91, 5.1): there are these agents, and nobody is authorised by it. */
export interface ArdDeclaration {
  readonly kind: 'ard';
  readonly variant: 'entries';
  readonly agents: readonly ArdAgent[];
  readonly lastUpdated?: undefined;
}
