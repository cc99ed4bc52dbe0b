import type { BusyDomains } from '../../../ports/source-store.ts';

/** Taken of one registrable domain in one call: they are visited one after the other, all within their lease. */
const MAX_OF_ONE_DOMAIN = 10;

interface Candidate {
  readonly key: string;
  readonly registrable_domain: string;
}

export interface Picking<Row extends Candidate> {
  readonly picked: ReadonlyMap<string, Row>;
  /** Picks the candidate or not; returns whether more are wanted. */
  offer(candidate: Row): boolean;
  /** Domains of which a candidate was refused: no other one of them need be offered. */
  refused(): readonly string[];
}

/**
 * Picks the first of the candidates, each once; none of a busy domain, and of any only as many as come to their turn
 * soon. What is `taken` already counts.
 */
export function createPicking<Row extends Candidate>(
  limit: number,
  busy: BusyDomains | undefined,
  taken: readonly Candidate[],
): Picking<Row> {
  const maxOfDomain = busy === undefined ? limit : MAX_OF_ONE_DOMAIN;
  const picked = new Map<string, Row>();
  const ofDomain = new Map<string, number>();
  const count = (domain: string) => ofDomain.set(domain, (ofDomain.get(domain) ?? 0) + 1);
  const refused = new Set<string>();
  for (const { registrable_domain } of taken) count(registrable_domain);
  return {
    picked,
    offer(candidate) {
      const { key, registrable_domain: domain } = candidate;
      const isFull = (ofDomain.get(domain) ?? 0) >= maxOfDomain;
      if (isFull || busy?.has(domain) === true) {
        refused.add(domain);
      } else if (!picked.has(key)) {
        count(domain);
        picked.set(key, candidate);
      }
      return picked.size + taken.length < limit;
    },
    refused: () => [...refused],
  };
}
