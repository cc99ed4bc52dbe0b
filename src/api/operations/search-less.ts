import type { FoundBlock, NearestValues } from '../../domain/agent-search.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { AskedSearch } from '../../query/search-query.ts';

export interface Total {
  readonly count: number;
  readonly exact: boolean;
}

/** Where nothing is found, what would be with less asked for; absent where that is nothing, too. */
export interface FoundWithLess {
  /** How many agents have the words, where the filters are what keeps them out. */
  readonly without_filters?: Total;
  /** How many have the rest of the words under the filters, where nobody has some of them. */
  readonly without_words?: Total & { readonly q: string };
}

/** Whoever gets nothing learns whether filters or unknown words are why. Each is one search more. */
export async function withLess(
  index: Pick<AgentIndex, 'find'>,
  { words, sort, narrowing, filter }: AskedSearch,
  nearest: readonly NearestValues[],
): Promise<FoundWithLess> {
  const count = async (query: Pick<AskedSearch, 'words' | 'filter'>) =>
    foundTotal(await index.find({ ...query, sort, totalOnly: true }));
  const hasFilters = words.length > 0 && narrowing.some((name) => name !== 'q');
  const all = hasFilters ? await count({ words, filter: { listed: {}, labels: {} } }) : undefined;
  const unknown = nearest.filter(({ parameter }) => parameter === 'q').map(({ value }) => value);
  const known = words.filter((word) => !unknown.includes(word));
  const isLess = known.length > 0 && known.length < words.length;
  const rest = isLess ? await count({ words: known, filter }) : undefined;
  return {
    ...(all !== undefined && all.count > 0 && { without_filters: all }),
    ...(rest !== undefined && rest.count > 0 && { without_words: { q: known.join(' '), ...rest } }),
  };
}

/** How many were found, and whether counting came to its end. */
export function foundTotal({ total }: FoundBlock): Total {
  return { count: total.agents, exact: total.isExact };
}
