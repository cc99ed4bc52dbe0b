/** The words of a document that can be found: by their stem, with what a match is worth and the word as it was written. */
export type WordWeights = ReadonlyMap<string, { readonly weight: number; readonly word: string }>;

/** A part of a document; a match in it is worth `weight`. */
export interface WeighedText {
  readonly text: string;
  readonly weight: number;
}

export interface Relevance {
  /** 0: nothing in common; towards 1: many or weighty words in common. */
  readonly score: number;
  /** Words of the document (never the caller's) that were found, the weightiest first. */
  readonly matched: readonly string[];
}

/** Words of a query that are looked at; more say nothing more. */
const MAX_TOKENS = 1_000;

/** The weight of matches at which the score is one half. */
const HALF = 3;

// biome-ignore format: a list of words reads best as a block
const STOP_WORDS: ReadonlySet<string> = new Set([
  'a', 'about', 'all', 'also', 'an', 'and', 'any', 'are', 'around', 'as', 'at', 'be', 'but', 'by', 'can', 'do', 'for',
  'from', 'has', 'have', 'how', 'i', 'in', 'into', 'is', 'it', 'its', 'like', 'me', 'more', 'my', 'need', 'of', 'on',
  'or', 'our', 'out', 'over', 'please', 'reach', 'so', 'some', 'something', 'than', 'that', 'the', 'their', 'them',
  'these', 'they', 'this', 'those', 'to', 'up', 'us', 'very', 'want', 'we', 'what', 'when', 'where', 'which', 'who',
  'will', 'with', 'would', 'you', 'your', 'people', 'campaign', 'advertise', 'advertising', 'ad', 'ads', 'find',
]);

/**
 * The different words of a text as stems, in their order: lower case, without accents and words that say nothing, at
 * most 1,000. Takes time in proportion to the text.
 */
export function tokensOf(text: string): readonly string[] {
  const stems = new Set<string>();
  for (const word of wordsIn(text)) {
    stems.add(stemOf(word));
    if (stems.size >= MAX_TOKENS) break;
  }
  return [...stems];
}

/** A document whose words can be found; a word that stands in several parts counts with the highest of their weights. */
export function weightsOf(parts: readonly WeighedText[]): WordWeights {
  const weights = new Map<string, { weight: number; word: string }>();
  for (const { text, weight } of parts) {
    for (const word of wordsIn(text)) {
      const stem = stemOf(word);
      if ((weights.get(stem)?.weight ?? 0) < weight) weights.set(stem, { weight, word });
    }
  }
  return weights;
}

/** How well a document answers a query (`tokensOf` it). Deterministic; another match never lowers the score. */
export function scoreOf(queryTokens: readonly string[], document: WordWeights): Relevance {
  const found = [...new Set(queryTokens)].flatMap((token) => document.get(token) ?? []);
  const total = found.reduce((sum, { weight }) => sum + weight, 0);
  const matched = found.toSorted((a, b) => b.weight - a.weight || compare(a.word, b.word));
  return {
    score: Math.round((1_000 * total) / (total + HALF)) / 1_000,
    matched: matched.map(({ word }) => word),
  };
}

function* wordsIn(text: string): Generator<string> {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase();
  for (const [word] of plain.matchAll(/[\p{L}\p{N}]+/gu)) if (!STOP_WORDS.has(word)) yield word.slice(0, 64);
}

/** Cuts the ending of an English word, so that drivers, driving and drive meet. Coarse on purpose. */
function stemOf(word: string): string {
  const singular = /^\p{L}{2,}ies$/u.test(word) ? `${word.slice(0, -3)}y` : withoutEnding(word, ['s'], 3);
  const root = withoutEnding(singular, ['ing', 'ed', 'er'], 3);
  const short = root === singular ? root : root.replace(/([^aeiou])\1$/u, '$1');
  return withoutEnding(short, ['e'], 3);
}

function withoutEnding(word: string, endings: readonly string[], least: number): string {
  const ending = endings.find((each) => word.endsWith(each) && word.length - each.length >= least);
  return ending === undefined || word.endsWith('ss') ? word : word.slice(0, -ending.length);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
