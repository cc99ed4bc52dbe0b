import type { FoundAgent, SearchQuery } from '../../../domain/agent-search.ts';
import { type SearchCard, TEXT_FIELDS, TEXT_NAMES } from '../../../query/search-document.ts';

/** Words of the index for one of the query: each counts so much. */
export interface WordGroup {
  readonly words: readonly { readonly word: string; readonly share: number }[];
  readonly holders: number;
}

export interface FoundRow {
  readonly id: number;
  readonly url: string;
  readonly factor: number;
  readonly words: string;
  readonly card: string;
}

export interface RankedRow extends FoundAgent {
  readonly id: number;
  readonly key: number | string;
}

/** The order of the agents of one window. */
export function compareRanked(a: Pick<RankedRow, 'key' | 'id'>, b: Pick<RankedRow, 'key' | 'id'>): number {
  if (a.key !== b.key)
    return typeof a.key === 'string' ? (a.key < b.key ? -1 : 1) : Number(b.key) - Number(a.key);
  return a.id - b.id;
}

export interface Scoring {
  readonly query: SearchQuery;
  readonly groups: readonly WordGroup[];
  readonly collection: TextCollection;
}

export function rankRow(
  { id, url, factor, words, card }: FoundRow,
  { query, groups, collection }: Scoring,
): RankedRow {
  const score = groups.length === 0 ? 1 : relevanceOf(words, groups, collection);
  const relevance = Math.round(score * factor * 10_000) / 10_000;
  return { id, url, relevance, card, key: query.sort === 'relevance' ? relevance : sortKey(query, card) };
}

function sortKey({ sort }: SearchQuery, text: string): number | string {
  const card = JSON.parse(text) as SearchCard;
  if (sort === 'name') return card.name.toLowerCase().slice(0, 64);
  return sort === 'properties' ? card.property_count : card.publisher_count;
}

function relevanceOf(words: string, groups: readonly WordGroup[], collection: TextCollection): number {
  const ends = endsOf(words);
  return groups.reduce((sum, group) => {
    const frequency = group.words.reduce(
      (all, { word, share }) => all + share * occurrences(words, ends, word),
      0,
    );
    return sum + wordScore(collection, { frequency, length: words.length, holders: group.holders });
  }, 0);
}

/** What a word counts in each line of the texts. */
const WEIGHTS = TEXT_NAMES.map((name) => TEXT_FIELDS[name]);

const BLANK = 0x20;

/** Where each line but the last ends. */
function endsOf(words: string): readonly number[] {
  const ends: number[] = [];
  for (let at = words.indexOf('\n'); at !== -1; at = words.indexOf('\n', at + 1)) ends.push(at);
  return ends;
}

/** How often a word is in the texts, weighed by where it is. All lines are searched at once: blanks surround every word. */
function occurrences(words: string, ends: readonly number[], word: string): number {
  const wanted = `${word} `; // a letter is sooner found than a blank
  let [sum, line] = [0, 0];
  for (let at = words.indexOf(wanted); at !== -1; at = words.indexOf(wanted, at + wanted.length)) {
    if (words.charCodeAt(at - 1) !== BLANK) continue;
    while (at > (ends[line] ?? words.length)) line += 1;
    sum += WEIGHTS[line] ?? TEXT_FIELDS.description;
  }
  return sum;
}

/** How fast more of the same word counts less, and how much long texts do (Robertson and Zaragoza, BM25F). */
const K1 = 1.2;
const LENGTH_SHARE = 0.6;

export interface TextCollection {
  readonly agents: number;
  /** Of the texts of all of them together, characters. */
  readonly length: number;
}

/** What a word adds: `frequency` is how often it is there, weighed by its fields; `holders` how many agents have it. */
function wordScore(
  { agents, length: all }: TextCollection,
  { frequency, length, holders }: { frequency: number; length: number; holders: number },
): number {
  const usual = Math.max(1, all / Math.max(1, agents));
  const rarity = Math.log(1 + (Math.max(0, agents - holders) + 0.5) / (holders + 0.5));
  return (
    (rarity * frequency * (K1 + 1)) / (frequency + K1 * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / usual))
  );
}
