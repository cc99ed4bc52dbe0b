/** How many domains are counted on each side. */
export const POINTERS_COUNTED = 10_000;

/** The first of some domains, in order, and how many there are, counted up to POINTERS_COUNTED. */
export interface SomeDomains {
  readonly domains: readonly string[];
  readonly total: number;
}

/** Where the two sides of pointers to one domain's file do not agree, as far as both were visited. */
export interface Pointers {
  /** They point to the file, which authorises no agent for them. */
  readonly orphaned: SomeDomains;
  /** The file names them, but they do not point to it. */
  readonly missing: SomeDomains;
}
