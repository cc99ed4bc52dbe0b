import { yieldToEventLoop } from '../../base/event-loop.ts';
import type { FoundBlock } from '../../domain/agent-search.ts';
import type { AskedSearch } from '../../index/query/search-query.ts';
import { SMALL_WORDS } from '../../index/query/search-words.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';

export interface Total {
  readonly count: number;
  readonly exact: boolean;
}

/** What a search that finds nothing would find with less asked for; fields are absent where that is nothing, too. */
export interface FoundWithLess {
  /** How many agents have the words, where the filters exclude them all. */
  readonly withoutFilters?: Total;
  /** The words to search for instead, where no agent has all of them. */
  readonly words?: readonly string[];
}

/**
 * Finds out why a search finds nothing: its filters exclude every agent with the words, or no agent has all the words. Each
 * count is one more search, at most two for each word.
 */
export async function withLess(
  index: Pick<AgentIndex, 'find'>,
  { words, sort, narrowing, filter, q = '' }: AskedSearch,
  unknown: readonly string[],
): Promise<FoundWithLess> {
  const count = async (query: Pick<AskedSearch, 'words' | 'filter'>) =>
    foundTotal(await index.find({ ...query, sort, totalOnly: true }));
  if (words.length > 0 && narrowing.some((name) => name !== 'q')) {
    const all = await count({ words, filter: { listed: {}, labels: {} } });
    if (all.count > 0) return { withoutFilters: all };
  }
  // a domain or an address has several words and means one thing
  if (words.length < 2 || !/\s/.test(q.trim())) return {};
  const known = words.filter((word) => !unknown.includes(word));
  const isFound = async (some: readonly string[]) => {
    await yieldToEventLoop(); // up to 24 counts, and the embedded index never waits
    return (await count({ words: some, filter })).count > 0;
  };
  const kept = await matchingWords(known, isFound);
  return kept.length === 0 ? {} : { words: kept };
}

/**
 * A set of words that some agent has together: the larger of those that a pass from the first word and one from the last word
 * find. Stop words are tried last.
 */
async function matchingWords(
  words: readonly string[],
  isFound: (some: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  const small = words.filter((word) => SMALL_WORDS.has(word));
  const significant = words.filter((word) => !SMALL_WORDS.has(word));
  const forward = await wordsKept([...significant, ...small], isFound);
  const isDone = forward.length === 0 || significant.every((word) => forward.includes(word));
  const backward = isDone ? [] : await wordsKept([...significant.toReversed(), ...small], isFound);
  const best = new Set(backward.length > forward.length ? backward : forward);
  return words.filter((word) => best.has(word));
}

async function wordsKept(
  words: readonly string[],
  isFound: (some: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  let kept: readonly string[] = [];
  for (const word of words) {
    const more = [...kept, word];
    if (await isFound(more)) kept = more;
  }
  return kept;
}

/** How many were found, and whether counting came to its end. */
export function foundTotal({ total }: FoundBlock): Total {
  return { count: total.agents, exact: total.isExact };
}
