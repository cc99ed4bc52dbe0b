import { ownEntry } from '../../base/json.ts';
import type { SearchFilter } from '../../domain/agent-search.ts';
import { AGENT_TYPES, type AgentType } from '../../domain/agent-type.ts';
import { wordsOf } from '../../domain/text.ts';
import { SMALL_WORDS } from '../../index/query/search-words.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import { invalidValue } from '../problem.ts';

/** Words of a sentence that are searched for; later ones are ignored. */
const MAX_WORDS = 6;
/** Letters that a known word must share with the word that it replaces. */
const STEM = 5;

/** The search that a sentence means. */
export interface MeantWords {
  /** An agent must have all of them. */
  readonly words: readonly string[];
  /** A type that one of the words names, if agents of this type have the other words. */
  readonly type?: AgentType;
  /** The share of the sentence that is searched for, from 0 to 1; 0: nothing is found. */
  readonly share: number;
}

/**
 * The words of a sentence that some agent has together under one of the filters: first all words that are known, then without the
 * last ones, until an agent is found. Anything less is below the cutoff (ARD v0.91, 5.3.3), in a search and in counts. A sentence of
 * small words matches everything. Throws for a text without a letter or digit.
 */
export async function meantWords(
  index: Pick<AgentIndex, 'find'>,
  text: string,
  filters: readonly SearchFilter[],
): Promise<MeantWords> {
  const all = [...new Set(wordsOf(text))];
  if (all.length === 0) throw invalidValue('query.text', 'the text must contain a letter or a digit');
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

/** Whether an agent under one of the filters has a word, or one with the same stem. */
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
