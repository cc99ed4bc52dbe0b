import type { FoundAgent, FoundState } from '../../domain/agent-search.ts';
import { LABEL_NAMES, type LabelName } from '../../domain/agent-search.ts';
import type { SearchCard } from '../../index/query/search-document.ts';
import { RANKING } from '../../index/query/search-document.ts';
import type { AskedSearch } from '../../index/query/search-query.ts';
import { type WordPlace, wordPlaces } from '../../index/query/search-words.ts';
import { isStale } from './agent-list.ts';

/** Maximum number of highlighted texts of an agent, and of highlights in one text. */
const MAX_HIGHLIGHTS = 5;
const MAX_PLACES = 10;

export interface Highlight {
  readonly field: string;
  readonly text: string;
  /** UTF-16 units. */
  readonly ranges: readonly WordPlace[];
}

/** An agent of an answer, with the factors of its rank. */
export interface RankedAgent {
  readonly found: FoundAgent;
  readonly card: SearchCard;
  readonly seen: FoundState | undefined;
  readonly factors: Readonly<Record<keyof typeof RANKING, number>>;
  /** The agents are ordered by it. */
  readonly score: number;
}

/**
 * The first `limit` agents, ordered by the relevance of the index and by their live state: agents that are online and were seen
 * recently come first. Only the cards of these are parsed.
 */
export function rankedAgents(
  found: readonly FoundAgent[],
  seen: ReadonlyMap<string, FoundState>,
  { sort, now, limit }: Pick<AskedSearch, 'sort' | 'limit'> & { now: number },
): readonly RankedAgent[] {
  const agents = found.map((one) => timelyAgent(one, seen.get(one.url), now));
  if (sort === 'relevance') agents.sort((a, b) => b.score - a.score);
  return agents.slice(0, limit).map(rankedAgent);
}

type TimelyAgent = ReturnType<typeof timelyAgent>;

function timelyAgent(found: FoundAgent, seen: FoundState | undefined, now: number) {
  const { health, freshness } = RANKING;
  const factors = {
    health: health[seen?.online === undefined ? 'unknown' : seen.online ? 'online' : 'offline'],
    freshness: freshness[isStale(seen, now) ? 'stale' : 'fresh'],
  };
  return { found, seen, factors, score: found.relevance * factors.health * factors.freshness };
}

function rankedAgent({ found, seen, factors, score }: TimelyAgent): RankedAgent {
  const card = JSON.parse(found.card) as SearchCard;
  const { verification, status } = RANKING;
  const lasting = {
    verification: card.verified_roles.length > 0 ? verification.badge : verification.none,
    status: status[card.compliance_status as keyof typeof status],
  };
  return { found, card, seen, factors: { ...lasting, ...factors }, score };
}

/** A result for both kinds of clients of the field: flat, and with the groups `inventory_profile` and `match`. `words` are highlighted. */
export function searchResult(
  { found, card, seen, factors, score }: RankedAgent,
  asked: AskedSearch,
  words: readonly string[],
): object {
  const { capability: capabilities, ...labels } = labelsOf(card);
  const { property_count, publisher_count, has_tmp, category_taxonomy } = card;
  const profile = { ...labels, capabilities, property_count, publisher_count, has_tmp, category_taxonomy };
  const seenAt = seen?.lastSeenAt ?? seen?.firstSeenAt ?? 0;
  const lasting = factors.verification * factors.status;
  return {
    ...{ url: found.url, agent_url: found.url, name: card.name, type: card.type, protocol: card.protocol },
    ...(card.description !== undefined && { description: card.description }),
    ...profile,
    ...{
      relevance_score: rounded(score),
      matched_filters: asked.narrowing,
      updated_at: new Date(seenAt).toISOString(),
    },
    ...{ inventory_profile: profile, compliance_summary: { status: card.compliance_status } },
    match: {
      score: rounded(score),
      matched_filters: asked.narrowing,
      relevance: rounded(found.relevance / lasting),
      factors,
      highlights: highlightsOf(found.url, card, words),
    },
  };
}

function labelsOf(card: SearchCard): Pick<SearchCard, LabelName> {
  const labels = LABEL_NAMES.map((name) => [name, card[name]]);
  return Object.fromEntries(labels) as Pick<SearchCard, LabelName>;
}

/** The first texts of an agent that have words of a search. */
export function highlightsOf(url: string, card: SearchCard, words: readonly string[]): readonly Highlight[] {
  if (words.length === 0) return [];
  const lists = ['metrics', 'accreditations', 'specialisms', 'tags', 'tools'] as const;
  const texts = [
    { field: 'name', text: card.name },
    ...lists.flatMap((field) => card[field].map((text) => ({ field, text }))),
    ...(card.description === undefined ? [] : [{ field: 'description', text: card.description }]),
    { field: 'url', text: url },
  ];
  const highlights: Highlight[] = [];
  for (const { field, text } of texts) {
    if (highlights.length >= MAX_HIGHLIGHTS) break;
    const ranges = wordPlaces(text, words, MAX_PLACES);
    if (ranges.length > 0) highlights.push({ field, text, ranges });
  }
  return highlights;
}

/** To four significant digits: the scores of a word that most agents have are close to 0. */
function rounded(score: number): number {
  return Number(score.toPrecision(4));
}
