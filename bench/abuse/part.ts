export interface AbuseOptions {
  /** Only to show that it works: small, and its figures say nothing. */
  readonly quick: boolean;
}

/** Measures one kind of abuse and prints its table; resolves whether what must hold did, which a quick one always says. */
export type AbusePart = (options: AbuseOptions) => Promise<boolean>;
