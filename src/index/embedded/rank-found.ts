import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { TEXT_FIELDS, TEXT_NAMES } from '../query/search-document.ts';

/** Words of the index for one of the query: each counts so much. */
export interface WordGroup {
  readonly words: readonly { readonly word: string; readonly share: number; readonly agents: number }[];
  readonly holders: number;
}

/** An agent of a window, as SQL reads it; `key` is what it is sorted by, null for the relevance. */
export type FoundRow = readonly [
  id: number,
  factor: number,
  words: string,
  facets: string,
  key: number | string | null,
];

export interface RankedRow {
  readonly id: number;
  readonly relevance: number;
  readonly key: number | string;
}

/** The order of the agents of one window. */
export function compareRanked(a: Pick<RankedRow, 'key' | 'id'>, b: Pick<RankedRow, 'key' | 'id'>): number {
  if (a.key !== b.key)
    return typeof a.key === 'string' ? (a.key < b.key ? -1 : 1) : Number(b.key) - Number(a.key);
  return a.id - b.id;
}

interface Scoring {
  readonly groups: readonly WordGroup[];
  readonly collection: TextCollection;
}

/** Characters that are looked through for words before others get their turn: a millisecond's work. */
const SCORED_AT_ONCE = 524_288;

/** The agents of one window in their order. Others are answered in between: strangers decide how long the texts are. */
export async function rankRows(rows: readonly FoundRow[], scoring: Scoring): Promise<readonly RankedRow[]> {
  const searches = scoring.groups.reduce((sum, { words }) => sum + words.length, 1);
  const ranked: RankedRow[] = [];
  await yieldToEventLoop(); // reading the rows took some milliseconds
  let work = 0;
  for (const row of rows) {
    ranked.push(rankRow(row, scoring));
    work += row[2].length * searches;
    if (work < SCORED_AT_ONCE) continue;
    work = 0;
    await yieldToEventLoop();
  }
  return ranked.sort(compareRanked);
}

function rankRow([id, factor, words, , key]: FoundRow, { groups, collection }: Scoring): RankedRow {
  const score = (groups.length === 0 ? 1 : relevanceOf(words, groups, collection)) * factor;
  return {
    id,
    relevance: Math.round(score * 10_000) / 10_000,
    // not rounded: agents that tie only when nearly all have the word would change places with each that comes or goes
    key: typeof key === 'string' ? key.toLowerCase().slice(0, 64) : (key ?? score),
  };
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
