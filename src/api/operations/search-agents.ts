import type { FastifyInstance } from 'fastify';
import { utcDay } from '../../domain/accreditation-claim.ts';
import type { FoundAgent, FoundBlock, FoundState, NearestValues } from '../../domain/agent-search.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { queryParameters } from '../../query/list-parameters.ts';
import { asksMetrics } from '../../query/list-query.ts';
import { SEARCH_PARAMETERS } from '../../query/search-filters.ts';
import { type AskedSearch, readSearchQuery } from '../../query/search-query.ts';
import { letOthersIn } from '../list-cache.ts';
import { queryText, searchParams } from '../parameters.ts';
import { HttpProblem, queryProblem } from '../problem.ts';
import { type MatchedMembers, matchedMembers, wordsIn } from '../render/matched-metrics.ts';
import { type RankedAgent, rankedAgents, searchResult } from '../render/search-results.ts';
import { describedBy } from './description.ts';
import { MAX_LIST_BYTES, publicReading, sendBody } from './graph/reading.ts';
import { type FoundWithLess, foundTotal, type Total, withLess } from './search-less.ts';
import { openPosition, positionAfter, sealPosition, unshown } from './search-position.ts';

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
    'Agents that have all the words, under the filters, the best first. Agents that answer, pass their tests, hold badges and were seen of late come before others that fit as well; `match.factors` says how much.',
  parameters: queryParameters(SEARCH_PARAMETERS, { q: 'viewable', limit: 3 }),
  answers: 'Agents that fit.',
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

/** An answer whose results are made by whoever asks; each is joined by the metrics and bodies that met the filters. */
interface SearchAnswer<Result> extends FoundWithLess {
  readonly results: readonly (Result & Partial<MatchedMembers>)[];
  readonly cursor: string | null;
  readonly has_more: boolean;
  readonly total: Total;
  readonly corrected?: FoundBlock['corrected'];
  readonly nearest?: readonly NearestValues[];
  readonly facets?: Required<FoundBlock>['facets'];
  readonly facets_counted?: number | undefined;
}

/** Answers a search as the operation does. */
export function answerSearch(sources: SearchSources, asked: AskedSearch, now: number) {
  return searchAs(sources, asked, now, searchResult);
}

/**
 * Answers a search. One answer is from one block of one generation, so it may be shorter than the limit. Throws an HttpProblem
 * for a cursor that is forged, of another search, or of an embedded index that was built anew since.
 */
export async function searchAs<Result extends object>(
  sources: SearchSources,
  asked: AskedSearch,
  now: number,
  resultOf: (agent: RankedAgent, asked: AskedSearch, words: readonly string[]) => Result,
): Promise<SearchAnswer<Result>> {
  const { records, index, cursorSecret } = sources;
  const position = openPosition(asked, cursorSecret);
  const { place } = position;
  const block = await index.find({ ...asked, ...(place !== undefined && { place }) });
  if (block.isExpired)
    throw new HttpProblem('cursor_expired', 'the index was built anew; start again without the cursor', {
      parameter: 'cursor',
    });
  const left = unshown(block.agents, position);
  const shown = rankedAgents(left, await seenBeside(left, records), { ...asked, now });
  const results: (Result & Partial<MatchedMembers>)[] = [];
  const words = [...asked.words, ...Object.values(block.corrected).flat()];
  let [bytes, matched] = [0, new Map<string, MatchedMembers>()];
  for (const [at, agent] of shown.entries()) {
    if (at % READ_AT_ONCE === 0)
      matched = await matchedOf(records, shown.slice(at, at + READ_AT_ONCE), { ...asked, words }, now);
    const result = { ...resultOf(agent, asked, words), ...matched.get(agent.found.url) };
    bytes += Buffer.byteLength(JSON.stringify(result)) + 1;
    if (bytes > MAX_LIST_BYTES && results.length > 0) break;
    results.push(result);
  }
  const urls = shown.slice(0, results.length).map(({ found }) => found.url);
  const next = positionAfter(block, position, urls);
  const cursor = next && sealPosition(asked, cursorSecret, next);
  // all that were left of the block are gone
  if (results.length === 0 && cursor !== undefined)
    return searchAs(sources, { ...asked, cursor }, now, resultOf);
  return {
    results,
    cursor: cursor ?? null,
    has_more: next !== undefined,
    total: foundTotal(block),
    ...(Object.keys(block.corrected).length > 0 && { corrected: block.corrected }),
    ...(block.nearest && block.nearest.length > 0 && { nearest: block.nearest }),
    ...(block.total.agents === 0 && (await withLess(index, asked, block.nearest ?? []))),
    ...(block.facets && { facets: block.facets, facets_counted: block.counted }),
  };
}

/** How agents are that an index beside the records cannot tell. */
async function seenBeside(
  found: readonly FoundAgent[],
  { agents }: SearchSources['records'],
): Promise<ReadonlyMap<string, FoundState>> {
  const unknown = found.filter(({ seen }) => seen === undefined);
  if (unknown.length === 0) return new Map();
  const states = await agents.live(unknown.map(({ url }) => url));
  return new Map(
    [...states].map(([url, { health, ...state }]) => [
      url,
      { ...state, ...(health && { online: health.online }) },
    ]),
  );
}

/** Documents that are parsed before others get their turn; one has at most 256 KiB. */
const READ_AT_ONCE = 4;

/** Which metrics and bodies of these agents met the filters, where any were asked for, or have words of the search. */
async function matchedOf(
  { agents }: SearchSources['records'],
  shown: readonly RankedAgent[],
  { filter: { listed }, words }: AskedSearch,
  now: number,
): Promise<Map<string, MatchedMembers>> {
  const told = asksMetrics(listed) ? shown : shown.filter(({ card }) => isMeasuring(card, words));
  if (told.length === 0) return new Map();
  await letOthersIn();
  const saved = await agents.saved(told.map(({ found }) => found.url));
  const today = utcDay(now);
  const asked = words.length === 0 ? undefined : words;
  return new Map(
    saved.map(({ agent, document }) => [
      agent,
      matchedMembers(document?.capabilities ?? {}, listed, today, asked),
    ]),
  );
}

/** Whether words of the search are in what the vendor measures, or in who accredits it. */
function isMeasuring({ metrics, accreditations }: RankedAgent['card'], words: readonly string[]): boolean {
  return [...metrics, ...accreditations].some((text) => wordsIn(text, words).length > 0);
}
