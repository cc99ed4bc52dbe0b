import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../base/event-loop.ts';
import { present } from '../../base/json.ts';
import { utcDay } from '../../domain/accreditation-claim.ts';
import { isOnline } from '../../domain/agent-facts.ts';
import type { FoundAgent, FoundBlock, FoundState, NearestValues } from '../../domain/agent-search.ts';
import { queryParameters } from '../../index/query/list-parameters.ts';
import { filtersMetrics } from '../../index/query/list-query.ts';
import { SEARCH_PARAMETERS } from '../../index/query/search-filters.ts';
import { type AskedSearch, readSearchQuery } from '../../index/query/search-query.ts';
import { asTyped } from '../../index/query/search-words.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { queryText, searchParams } from '../parameters.ts';
import { queryProblem } from '../problem.ts';
import { isExpired, type MatchedFields, matchedFields, wordsIn } from '../render/matched-metrics.ts';
import { type RankedAgent, rankedAgents, searchResult } from '../render/search-results.ts';
import { describedBy } from './description.ts';
import { MAX_LIST_BYTES, publicReading, sendBody } from './graph/reading.ts';
import { foundTotal, type Total, withLess } from './search-less.ts';
import { notYetShown, openPosition, type Position, positionAfter, sealPosition } from './search-position.ts';

export interface SearchSources {
  readonly records: Pick<Records, 'agents'>;
  readonly index: Pick<AgentIndex, 'find'>;
  /** Signs the cursors. */
  readonly cursorSecret: Uint8Array;
}

const OPERATION = publicReading({
  operationId: 'searchAgents',
  summary: 'Search agents',
  description:
    'Returns the agents that have all the words and pass the filters, ordered by relevance. Agents that are online, pass their tests, hold badges and were seen recently rank higher; `match.factors` has the factors. Agents whose matching accreditation has expired come last. If no agent has all the words, the words that match nothing are ignored: `ignored_words` lists them, and `without_words` has the words of the results.',
  parameters: queryParameters(SEARCH_PARAMETERS, { q: 'viewable', limit: 3 }),
  answers: 'The agents found.',
  schema: 'AgentSearch',
});

/** GET /api/registry/agents/search. */
export function searchAgentsOperation(
  server: FastifyInstance,
  parts: SearchSources & { readonly clock: Clock },
): void {
  server.get('/api/registry/agents/search', describedBy(OPERATION), async (request, reply) => {
    const now = parts.clock.now();
    const read = readSearchQuery(searchParams(queryText(request)), now);
    if (!read.ok) throw queryProblem(read.problem);
    return sendBody(request, reply, await answerSearch(parts, read.query, now));
  });
}

/** An answer with results of the caller's own form; each has the metrics and bodies that met the filters, too. */
interface SearchAnswer<Result> {
  readonly results: readonly (Result & Partial<MatchedFields>)[];
  readonly cursor: string | null;
  readonly has_more: boolean;
  readonly total: Total;
  readonly corrected?: FoundBlock['corrected'];
  readonly nearest?: readonly NearestValues[];
  readonly without_filters?: Total;
  /** The words that the results have, where no agent has all of them. */
  readonly without_words?: Total & { readonly q: string };
  /** The other words, as they were typed. */
  readonly ignored_words?: readonly string[];
  readonly facets?: Required<FoundBlock>['facets'];
  readonly facets_counted?: number | undefined;
  readonly facets_exact?: boolean;
}

/** Answers a search as the operation does. */
export function answerSearch(sources: SearchSources, asked: AskedSearch, now: number) {
  return searchAs(sources, asked, now, searchResult);
}

type ResultOf<Result> = (agent: RankedAgent, asked: AskedSearch, words: readonly string[]) => Result;

/**
 * Answers a search. One answer is from one block of one generation, so it may be shorter than the limit. Where no agent has
 * all the words, those that match nothing are ignored, and the answer names them. Throws an HttpProblem for a cursor that is
 * forged or of another search.
 */
export async function searchAs<Result extends object>(
  sources: SearchSources,
  asked: AskedSearch,
  now: number,
  resultOf: ResultOf<Result>,
): Promise<SearchAnswer<Result>> {
  return answerFrom(sources, asked, openPosition(asked, sources.cursorSecret), { now, resultOf, blocks: 1 });
}

/** Blocks that one answer reads at most, where all agents of a block are offline or gone. */
const MOST_BLOCKS = 10;

async function answerFrom<Result extends object>(
  sources: SearchSources,
  asked: AskedSearch,
  position: Position,
  how: { readonly now: number; readonly resultOf: ResultOf<Result>; readonly blocks: number },
): Promise<SearchAnswer<Result>> {
  const { records, index, cursorSecret } = sources;
  const { now, resultOf, blocks } = how;
  const { place, words: wanted = asked.words } = position;
  const searched = { ...asked, words: wanted };
  const block = await index.find({ ...searched, ...(place !== undefined && { place }) });
  const unknown = (block.nearest ?? []).flatMap(({ parameter, value }) => (parameter === 'q' ? value : []));
  const less = block.total.agents === 0 ? await withLess(index, searched, unknown) : {};
  if (less.words !== undefined) return answerFrom(sources, asked, { words: less.words }, how);
  const seen = await statesOf(block.agents, records);
  const isOnline = (agent: FoundAgent) => seen.get(agent.url)?.online === true;
  const agents = asked.online ? block.agents.filter(isOnline) : block.agents;
  const words = [...wanted, ...Object.values(block.corrected).flat()];
  const matches = matchReader(records, { ...searched, words }, now);
  const shown = await ranked(notYetShown(agents, position), seen, searched, { now, matches });
  const results: (Result & Partial<MatchedFields>)[] = [];
  let bytes = 0;
  for (const [at, agent] of shown.entries()) {
    await matches.read(shown.slice(at, at + READ_AT_ONCE));
    const result = { ...resultOf(agent, searched, words), ...matches.of(agent) };
    bytes += Buffer.byteLength(JSON.stringify(result)) + 1;
    if (bytes > MAX_LIST_BYTES && results.length > 0) break;
    results.push(result);
  }
  const urls = shown.slice(0, results.length).map(({ found }) => found.url);
  const next = positionAfter({ ...block, agents }, position, urls);
  // all that were left of the block are gone or offline
  if (results.length === 0 && next !== undefined && blocks < MOST_BLOCKS)
    return answerFrom(sources, asked, next, { ...how, blocks: blocks + 1 });
  const isWhole = place === undefined && block.next === undefined;
  const total = asked.online ? { count: agents.length, exact: isWhole } : foundTotal(block);
  return {
    results,
    cursor: next === undefined ? null : sealPosition(asked, cursorSecret, next),
    has_more: next !== undefined,
    total,
    ...(Object.keys(block.corrected).length > 0 && { corrected: block.corrected }),
    ...(block.nearest && block.nearest.length > 0 && { nearest: block.nearest }),
    ...(less.withoutFilters && { without_filters: less.withoutFilters }),
    ...(position.words && ignoredWords(asked, position.words, total)),
    ...(block.facets && {
      ...{ facets: block.facets, facets_counted: block.counted },
      facets_exact: block.areFacetsExact === true,
    }),
  };
}

/** Which words the results have, and which were ignored, as they were typed. */
function ignoredWords({ q = '', words }: AskedSearch, wanted: readonly string[], total: Total) {
  const ignored = words.filter((word) => !wanted.includes(word));
  return {
    without_words: { q: asTyped(q, wanted).join(' '), ...total },
    ignored_words: asTyped(q, ignored),
  };
}

/** Agents whose accreditations are judged before they are ordered; each judgement may parse a document. */
const MOST_JUDGED = 50;

/** The next agents in order, those whose accreditation has expired last. */
async function ranked(
  found: readonly FoundAgent[],
  seen: ReadonlyMap<string, FoundState>,
  asked: AskedSearch,
  { now, matches }: { readonly now: number; readonly matches: MatchReader },
): Promise<readonly RankedAgent[]> {
  const { sort, limit, words, filter } = asked;
  const { accreditations, accreditedOn } = filter.listed;
  const mayExpire = accreditedOn === undefined && (accreditations !== undefined || words.length > 0);
  if (sort !== 'relevance' || !mayExpire) return rankedAgents(found, seen, { sort, limit, now });
  const agents = rankedAgents(found, seen, { sort, limit: Math.max(limit, MOST_JUDGED), now });
  const judged = agents.slice(0, MOST_JUDGED);
  for (let at = 0; at < judged.length; at += READ_AT_ONCE)
    await matches.read(judged.slice(at, at + READ_AT_ONCE));
  const { valid = [], expired = [] } = Object.groupBy(agents, (agent) =>
    isExpired(matches.of(agent)?.matched_metrics ?? []) ? 'expired' : 'valid',
  );
  return [...valid, ...expired].slice(0, limit);
}

/** The state of agents, which the index does not have. */
async function statesOf(
  found: readonly FoundAgent[],
  { agents }: SearchSources['records'],
): Promise<ReadonlyMap<string, FoundState>> {
  const states = await agents.live(found.map(({ url }) => url));
  return new Map(
    [...states].map(([url, state]) => [url, { ...state, ...present({ online: isOnline(state) }) }]),
  );
}

/** Documents that are parsed before other requests get their turn; one has at most 256 KiB. */
const READ_AT_ONCE = 4;

type MatchReader = ReturnType<typeof matchReader>;

/** Reads which metrics and bodies of agents met the filters, where any were asked for, or have words of the search. */
function matchReader({ agents }: SearchSources['records'], asked: AskedSearch, now: number) {
  const { filter, words } = asked;
  const today = utcDay(now);
  const read = new Map<string, MatchedFields | undefined>();
  return {
    of: ({ found }: RankedAgent) => read.get(found.url),
    /** Does nothing where the first agent was read before. */
    async read(next: readonly RankedAgent[]): Promise<void> {
      if (next[0] === undefined || read.has(next[0].found.url)) return;
      const unread = next.filter(({ found }) => !read.has(found.url));
      for (const { found } of unread) read.set(found.url, undefined);
      const isAsked = filtersMetrics(filter.listed);
      const measuring = isAsked ? unread : unread.filter(({ card }) => isMeasuring(card, words));
      if (measuring.length === 0) return;
      await yieldToEventLoop();
      const saved = await agents.saved(measuring.map(({ found }) => found.url));
      const searched = words.length === 0 ? undefined : words;
      for (const { agent, document } of saved)
        read.set(agent, matchedFields(document?.capabilities ?? {}, filter.listed, today, searched));
    },
  };
}

/** Whether the metrics or accrediting bodies of a vendor have words of the search. */
function isMeasuring({ metrics, accreditations }: RankedAgent['card'], words: readonly string[]): boolean {
  return [...metrics, ...accreditations].some((text) => wordsIn(text, words).length > 0);
}
