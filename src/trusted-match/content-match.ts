import type { ContentTargets } from '../domain/trusted-match.ts';
import { createFilters, type Filter, plainWords } from './content-filter.ts';
import type { ContextRequest } from './messages.ts';

/** As many as the schema of the answer has. */
const MAX_OFFERS = 512;
/** Scores are in thousandths. */
const BEST = 1_000;
/** What a package without topics and keywords gets; looking for something and finding it is more. */
const GENERAL_SCORE = 100;
const FOUND_SCORE = 200;
const TOPICS_SHARE = 500;
const KEYWORDS_SHARE = 300;
/** Packages that there may be: score and place share 32 bits. */
const PLACES = 2 ** 20;
const NOBODY: readonly number[] = [];

/** In `hits` a topic counts one and a keyword this much: there are at most 32 and 64 of them. */
const KEYWORD_HIT = 256;

/** What fits the content of a request as the JSON text of its `offers`, the best first, equal ones by id. */
export type MatchContent = (request: ContextRequest) => string;

/**
 * Builds the index of packages by topic, keyword and property once. A package that looks for topics or keywords
 * needs one of either; its score grows with the share of them that the content has. What it says of property,
 * format, kind of content, language and exclusions must hold besides.
 */
export function createContentMatch(packages: readonly ContentTargets[]): MatchContent {
  // in the order of ids, so that a smaller place wins a tie
  const rules = packages
    .toSorted((a, b) => (a.packageId < b.packageId ? -1 : 1))
    .map(ruleOf(createFilters()));
  const byTopic = indexBy(rules, ({ topics }) => topics);
  const byKeyword = indexBy(rules, ({ keywords }) => keywords);
  const general = rules.flatMap((rule, at) => (isGeneral(rule) ? [at] : []));
  const anywhere = general.filter((at) => rules[at]?.propertyIds === undefined);
  const byProperty = indexBy(rules, (rule) => (isGeneral(rule) ? [...(rule.propertyIds ?? [])] : []));
  // one request at a time: these are its own until its answer is made
  const hits = new Uint16Array(rules.length);
  const found = new Uint32Array(rules.length);

  return (request) => {
    const { content, property, package_ids } = request;
    const facts = { request, keywords: plainSet(content.keywords) };
    const candidates = package_ids && new Set(package_ids);
    const touched: number[] = [];
    for (const topic of content.topics ?? []) addHits(byTopic.get(topic), 1, hits, touched);
    for (const keyword of facts.keywords) addHits(byKeyword.get(keyword), KEYWORD_HIT, hits, touched);
    let count = 0;
    const add = (at: number, score: number) => {
      const { packageId, propertyIds, filter } = rules[at] as Rule;
      if (candidates !== undefined && !candidates.has(packageId)) return;
      if (propertyIds !== undefined && !propertyIds.has(property.property_id)) return;
      if (filter.fits(facts)) found[count++] = (BEST - score) * PLACES + at;
    };
    for (const at of touched) {
      add(at, scoreOf(rules[at] as Rule, hits[at] ?? 0));
      hits[at] = 0;
    }
    for (const at of anywhere) add(at, GENERAL_SCORE);
    for (const at of byProperty.get(property.property_id) ?? NOBODY) add(at, GENERAL_SCORE);
    const best = found.subarray(0, count).sort().subarray(0, MAX_OFFERS);
    return textOf(best, rules);
  };
}

interface Rule {
  readonly packageId: string;
  readonly propertyIds: ReadonlySet<string> | undefined;
  readonly topics: readonly string[];
  readonly keywords: readonly string[];
  readonly filter: Filter;
  /** The JSON of an offer up to its score. */
  readonly opening: string;
}

function ruleOf(filterOf: (targets: ContentTargets) => Filter): (targets: ContentTargets) => Rule {
  return (targets) => ({
    packageId: targets.packageId,
    propertyIds: targets.propertyIds && new Set(targets.propertyIds),
    topics: [...new Set(targets.topics)],
    keywords: plainSet(targets.keywords),
    filter: filterOf(targets),
    opening: `{"package_id":${JSON.stringify(targets.packageId)},"score":`,
  });
}

function textOf(best: Uint32Array, rules: readonly Rule[]): string {
  let text = '[';
  for (const one of best) {
    const score = (BEST - Math.floor(one / PLACES)) / BEST;
    text += `${text.length === 1 ? '' : ','}${rules[one % PLACES]?.opening}${score}}`;
  }
  return `${text}]`;
}

function addHits(
  places: readonly number[] | undefined,
  hit: number,
  hits: Uint16Array,
  touched: number[],
): void {
  for (const at of places ?? NOBODY) {
    const before = hits[at] as number;
    if (before === 0) touched.push(at);
    hits[at] = before + hit;
  }
}

function scoreOf({ topics, keywords }: Rule, hits: number): number {
  const byTopics = topics.length === 0 ? 0 : (TOPICS_SHARE * (hits % KEYWORD_HIT)) / topics.length;
  const byKeywords =
    keywords.length === 0 ? 0 : (KEYWORDS_SHARE * Math.floor(hits / KEYWORD_HIT)) / keywords.length;
  return Math.round(FOUND_SCORE + byTopics + byKeywords);
}

function indexBy(rules: readonly Rule[], keysOf: (rule: Rule) => readonly string[]): Map<string, number[]> {
  const index = new Map<string, number[]>();
  rules.forEach((rule, at) => {
    for (const key of keysOf(rule)) {
      const known = index.get(key);
      if (known === undefined) index.set(key, [at]);
      else known.push(at);
    }
  });
  return index;
}

function isGeneral({ topics, keywords }: Rule): boolean {
  return topics.length === 0 && keywords.length === 0;
}

/** Each once: two words that differ in case are one. */
function plainSet(words: readonly string[] | undefined): readonly string[] {
  return words === undefined ? [] : [...new Set(words.map(plainWords))];
}
