import { yieldToEventLoop } from '../../base/event-loop.ts';
import { type KeptWork, keep } from '../../base/kept.ts';
import { wordsOf } from '../../domain/text.ts';
import type { Records } from '../../ports/records.ts';
import type { KnownPublisher } from '../../records/agents/publishers.ts';
import { listedPublishers, readListQuestion } from '../operations/graph/list-properties.ts';
import type { GraphParts } from '../operations/graph/reading.ts';
import { resolveBrands } from '../operations/graph/resolve-brands.ts';

/** Publishers on the first page of the list. */
const MOST = 60;
const READ_AT_ONCE = 1_000;
/** Publishers that are compared; of a larger registry the first ones in the order of their domains. */
const MAX_COMPARED = 300_000;
/** Comparing all publishers of a large registry takes seconds: rebuilding the list may use about a tenth of the time. */
const KEPT = { times: 10, leastMs: 60_000, mostMs: 3 * 3_600_000 };

interface ComparedPublishers {
  readonly leading: readonly KnownPublisher[];
  /** Of all that were compared, in order. */
  readonly domains: readonly string[];
}

export type LeadingPublishers = KeptWork<ComparedPublishers>;

/** Finds the publishers with the most agents and then the most properties, once for all visitors. */
export function keepLeadingPublishers({
  records: { graph },
  clock,
}: {
  readonly records: Pick<Records, 'graph'>;
  readonly clock: { now(): number };
}): LeadingPublishers {
  return keep(
    async () => {
      let leading: readonly KnownPublisher[] = [];
      const domains: string[] = [];
      for (let compared = 0; compared < MAX_COMPARED; compared += READ_AT_ONCE) {
        const next = await graph.publishers(domains.at(-1), READ_AT_ONCE);
        leading = [...leading, ...next].sort(compareLeading).slice(0, MOST);
        for (const { domain } of next) domains.push(domain);
        if (next.length < READ_AT_ONCE) break;
        await yieldToEventLoop();
      }
      return { leading, domains };
    },
    { ...KEPT, clock },
  );
}

function compareLeading(a: KnownPublisher, b: KnownPublisher): number {
  return b.agents - a.agents || b.properties - a.properties || (a.domain < b.domain ? -1 : 1);
}

interface ListedPublisher {
  readonly domain: string;
  /** From its brand.json. */
  readonly name?: string;
  readonly agents: number;
  readonly properties: number;
}

export interface PublisherList {
  readonly publishers: readonly ListedPublisher[];
  /** Of the next page. */
  readonly cursor: string | null;
  readonly order: 'leading' | 'domain';
}

/**
 * Without parameters the leading publishers; otherwise those whose domain begins with `search`, after those that have its words
 * in the name of their brand or elsewhere in their domain. Throws HttpProblems.
 */
export async function publisherList(
  parts: GraphParts,
  leading: LeadingPublishers,
  query: string,
): Promise<PublisherList> {
  const asked = new URLSearchParams(query);
  if (!['search', 'cursor', 'sort'].some((name) => asked.has(name))) {
    const compared = await comparedBy(leading);
    return { publishers: await withNames(parts, compared.leading), cursor: null, order: 'leading' };
  }
  asked.delete('sort');
  const list = await listedPublishers(parts, readListQuestion(String(asked), 'the list'));
  const beginning = list.properties.map(({ domain, property_count: properties, agent_count: agents }) => ({
    ...{ domain, properties, agents },
  }));
  const search = asked.get('search') ?? '';
  const named = asked.has('cursor') || search === '' ? [] : await publishersNamed(parts, leading, search);
  const both = new Map([...named, ...beginning].map((one) => [one.domain, one]));
  const publishers = await withNames(parts, [...both.values()]);
  return { publishers, cursor: list.next_cursor ?? null, order: 'domain' };
}

/** A failure is thrown only where no list was ever made; otherwise the next visitor tries again. */
function comparedBy(leading: LeadingPublishers): Promise<ComparedPublishers> {
  return leading.last(() => {});
}

/** Publishers that have the words of a text in the name of their brand, then those that have them in their domain. */
async function publishersNamed(
  { records }: GraphParts,
  leading: LeadingPublishers,
  text: string,
): Promise<readonly KnownPublisher[]> {
  const words = [...new Set(wordsOf(text))];
  if (words.length === 0) return [];
  const named = await records.brands.withWords(words, MOST);
  const { domains } = await comparedBy(leading);
  const inDomain = domains.filter((domain) => words.every((word) => domain.includes(word))).slice(0, MOST);
  const wanted = [...new Set([...named, ...inDomain])].slice(0, MOST);
  const known = wanted.length === 0 ? [] : await records.graph.publishersAmong(wanted);
  return known
    .filter(({ isValid }) => isValid)
    .toSorted((a, b) => wanted.indexOf(a.domain) - wanted.indexOf(b.domain));
}

/** A brand without a name of its own is called by its domain. */
async function withNames(
  parts: GraphParts,
  publishers: readonly Pick<KnownPublisher, 'domain' | 'agents' | 'properties'>[],
): Promise<readonly ListedPublisher[]> {
  const brands = await resolveBrands(
    parts,
    publishers.map(({ domain }) => domain),
  );
  return publishers.map(({ domain, agents, properties }) => {
    const name = brands.get(domain)?.brand_name;
    const hasName = typeof name === 'string' && name !== '' && name !== domain;
    return { domain, agents, properties, ...(hasName && { name }) };
  });
}
