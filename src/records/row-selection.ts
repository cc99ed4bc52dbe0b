/* Selecting due work from long lists, with a limit for each registrable domain. */

/** Registrable domains to skip for now. */
export interface BusyDomains {
  has(registrableDomain: string): boolean;
  /** Declaring files (`news.example adagents`) to skip too: enough of what they named is under way. */
  readonly files?: ReadonlySet<string>;
}

/** Rows of a page: most calls need no second one. */
export const PAGE_ROWS = 200;
/** Selected of one registrable domain in one call: they are visited one after the other, all within their lease. */
const MAX_OF_ONE_DOMAIN = 10;

interface Candidate {
  readonly key: string;
  readonly registrable_domain: string;
}

export interface RowSelection<Row extends Candidate> {
  readonly selected: ReadonlyMap<string, Row>;
  /** Selects the candidate or not; returns whether more are wanted. */
  offer(candidate: Row): boolean;
  /** Domains with a refused candidate: no other candidate of them need be offered. */
  refused(): readonly string[];
  /** Declaring files whose candidates need not be offered. */
  readonly withoutFiles: readonly string[];
}

/**
 * Selects the first candidates, each once: none of a busy domain, and of each other domain only as many as can be visited
 * within their lease. Those that are already `taken` count.
 */
export function createRowSelection<Row extends Candidate>(
  limit: number,
  busy: BusyDomains | undefined,
  taken: readonly Candidate[],
): RowSelection<Row> {
  const maxOfDomain = busy === undefined ? limit : MAX_OF_ONE_DOMAIN;
  const selected = new Map<string, Row>();
  const ofDomain = new Map<string, number>();
  const count = (domain: string) => ofDomain.set(domain, (ofDomain.get(domain) ?? 0) + 1);
  const refused = new Set<string>();
  for (const { registrable_domain } of taken) count(registrable_domain);
  return {
    selected,
    offer(candidate) {
      const { key, registrable_domain: domain } = candidate;
      const isFull = (ofDomain.get(domain) ?? 0) >= maxOfDomain;
      if (isFull || busy?.has(domain) === true) {
        refused.add(domain);
      } else if (!selected.has(key)) {
        count(domain);
        selected.set(key, candidate);
      }
      return selected.size + taken.length < limit;
    },
    refused: () => [...refused],
    withoutFiles: [...(busy?.files ?? [])],
  };
}

/**
 * Reads a long list in pages of PAGE_ROWS until `take` returns false. `page` reads the rows after the last one of the
 * previous page.
 */
export async function pageByPage<Row>(
  page: (last: Row | undefined) => Promise<readonly Row[]>,
  take: (row: Row) => boolean,
): Promise<void> {
  for (let last: Row | undefined; ; ) {
    const rows = await page(last);
    if (!rows.every(take) || rows.length < PAGE_ROWS) return;
    last = rows.at(-1);
  }
}
