import { nearestName } from '../../base/near-names.ts';
import { hostWithoutSuffix } from '../../domain/domain-name.ts';
import { wordsOf } from '../../domain/text.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { SearchCard } from './search-document.ts';

/** Maximum number of words of a name. */
const MAX_WORDS = 12;
/** If no agent has all of them, its longest words are tried, one after the other. */
const MAX_TRIES = 3;

export interface NamedAgent {
  readonly url: string;
  readonly name: string;
  readonly host: string;
}

/** Searches agents by words. */
export type Searched = Pick<AgentIndex, 'find'>;

/**
 * The agents that have the words of a text, also misspelt, or otherwise one of its longest words; ordered by relevance.
 */
export async function agentsWith(index: Searched, text: string): Promise<readonly NamedAgent[]> {
  const words = [...new Set(wordsOf(text.slice(0, 256)))].slice(0, MAX_WORDS);
  const longest = words.toSorted((a, b) => b.length - a.length).slice(0, MAX_TRIES);
  for (const some of [words, ...longest.map((word) => [word])]) {
    if (some.length === 0) continue;
    const { agents } = await index.find({
      ...{ words: some, filter: { listed: {}, labels: {} }, sort: 'relevance' },
    });
    if (agents.length > 0)
      return agents.map(({ url, card }) => ({
        ...{ url, name: (JSON.parse(card) as SearchCard).name, host: new URL(url).host },
      }));
  }
  return [];
}

/** The agents with a name or host like that of an unknown URL. Its public suffix is ignored: unrelated hosts share it. */
export async function agentsNear(index: Searched, url: string): Promise<readonly NamedAgent[]> {
  const { host, hostname } = new URL(url);
  return nearestAgents(host, await agentsWith(index, hostWithoutSuffix(hostname)));
}

/** The agents with the most similar name or host, or otherwise all. */
export function nearestAgents(text: string, agents: readonly NamedAgent[]): readonly NamedAgent[] {
  const near = nearestName(
    text,
    agents.flatMap(({ name, host }) => [name, host]),
  );
  const nearest = agents.filter(({ name, host }) => near === name || near === host);
  return nearest.length > 0 ? nearest : agents;
}
