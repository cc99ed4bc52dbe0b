import { ownEntry } from '../../base/json.ts';
import type { SearchFilter } from '../../domain/agent-search.ts';
import { AGENT_TYPES, type AgentType } from '../../domain/agent-type.ts';
import { wordsOf } from '../../domain/text.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import { SMALL_WORDS } from '../../query/search-words.ts';
import { invalidValue } from '../problem.ts';

/** Words of a sentence that are searched for; later ones are ignored. */
const MAX_WORDS = 6;
/** A known word stands for another one only where they begin alike: a stem, and no guess. */
const STEM = 5;

/** What a sentence asks our index for. */
export interface MeantWords {
  /** What is searched for: agents that have all of these. */
  readonly words: readonly string[];
  /** That a word names, where agents of it have the other words. */
  readonly type?: AgentType;
  /** How much of what was asked for that is, from 0 to 1; 0: nothing, so that nothing is found. */
  readonly share: number;
}

/**
 * The words of a sentence that agents under one of the filters have, all together: first all that some agent has, then without the
 * last ones, until an agent is found. What is less than that is below the cutoff (ARD v0.91, 5.3.3), in a search and in
 * counts alike. A sentence of small words asks for everything. Throws for a text without a letter.
 */
export async function meantWords(
  index: Pick<AgentIndex, 'find'>,
  text: string,
  filters: readonly SearchFilter[],
): Promise<MeantWords> {
  const all = [...new Set(wordsOf(text))];
  if (all.length === 0) throw invalidValue('query.text', 'the text has no letter or digit to search for');
  const asked = all.filter((word) => !SMALL_WORDS.has(word)).slice(0, MAX_WORDS);
  if (asked.length === 0) return { words: [], share: 1 };
  const known: string[] = [];
  for (const word of asked) if (await isKnown(index, filters, word)) known.push(word);
  const ofType = filters.every(({ listed }) => listed.type === undefined) ? asked.find(isType) : undefined;
  for (let count = known.length; count >= 0; count -= 1) {
    for (const type of ofType === undefined ? [undefined] : [ofType, undefined]) {
      const words = known.slice(0, count).filter((word) => word !== type);
      const meant = { words, ...(type !== undefined && { type }) };
      const met = words.length + (type === undefined ? 0 : 1);
      if (met > 0 && (await isFound(index, filters, meant))) return { ...meant, share: met / asked.length };
    }
  }
  return { words: [], share: 0 };
}

async function isFound(
  index: Pick<AgentIndex, 'find'>,
  filters: readonly SearchFilter[],
  meant: Omit<MeantWords, 'share'>,
): Promise<boolean> {
  for (const filter of filters) {
    const { total } = await index.find({
      words: meant.words,
      filter: narrowed(filter, meant),
      sort: 'relevance',
      totalOnly: true,
    });
    if (total.agents > 0) return true;
  }
  return false;
}

/** A filter with the type that the words name. */
export function narrowed(filter: SearchFilter, { type }: Pick<MeantWords, 'type'>): SearchFilter {
  return type === undefined ? filter : { ...filter, listed: { ...filter.listed, type } };
}

/** Whether an agent under one of the filters has a word, or one that begins alike. */
async function isKnown(
  index: Pick<AgentIndex, 'find'>,
  filters: readonly SearchFilter[],
  word: string,
): Promise<boolean> {
  for (const filter of filters) {
    const { total, corrected } = await index.find({
      ...{ words: [word], filter, sort: 'relevance', totalOnly: true },
    });
    const others = ownEntry(corrected, word);
    const isMeant = others?.some((other) => other.slice(0, STEM) === word.slice(0, STEM)) ?? true;
    if (isMeant && total.agents > 0) return true;
  }
  return false;
}

function isType(word: string): word is AgentType {
  return AGENT_TYPES.some((type) => type === word);
}
