import type { FastifyInstance, FastifyRequest } from 'fastify';
import { stitchAgent } from '../../domain/stitch.ts';
import { cardOf } from '../../index/query/search-document.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { sendBody } from '../operations/graph/reading.ts';
import type { SearchSources } from '../operations/search-agents.ts';
import { limitOf, queryText, readParameters, refuseParameters } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { publicAddress } from '../public-address.ts';
import { bucketsOf, countsOf, foundPage } from './answers.ts';
import { EXPLORE, GET, LIST, SEARCH } from './descriptions.ts';
import { type ArdEntry, entryOf } from './entry.ts';
import { agentOfIdentifier, isIdentifier } from './identifier.ts';
import { readListFilter } from './list-filter.ts';
import { ARD_PATH } from './problems.ts';
import { type ArdQuery, onlyMembers, parameterOf, readQuery } from './query-model.ts';

interface ArdParts extends SearchSources {
  readonly records: Pick<Records, 'agents'>;
  readonly clock: Clock;
  /** The public address; empty: the address of the request. */
  readonly baseUrl: string;
}

const MAX_BODY = 32_768;
const FEDERATION = ['auto', 'referrals', 'none'];
/** The field of a facet that names the term. */
const FIELD = 'resultType.facets.field';
const MOST = { found: 100, facets: 20, buckets: 100 };

/** POST /api/ard/search and /explore, GET /api/ard/agents and one of them: ARD v0.91, section 5.3. */
export function ardOperations(server: FastifyInstance, parts: ArdParts): void {
  const { clock, baseUrl } = parts;
  server.post(`${ARD_PATH}/search`, { ...SEARCH, bodyLimit: MAX_BODY }, async (request, reply) => {
    refuseParameters(queryText(request), 'a search');
    const origin = publicAddress(request, baseUrl);
    const { referrals, ...asked } = readSearch(request.body);
    const page = await foundPage(parts, { ...asked, sort: 'relevance', now: clock.now(), origin });
    return reply.header('cache-control', 'no-store').send({
      results: page.entries.map(({ entry, score }) => ({
        ...asResult(entry),
        score,
        source: `${origin}${ARD_PATH}`,
      })),
      ...(referrals && { referrals: [] }), // no other registries are known
      ...(page.pageToken !== undefined && { pageToken: page.pageToken }),
    });
  });
  server.post(`${ARD_PATH}/explore`, { ...EXPLORE, bodyLimit: MAX_BODY }, async (request, reply) => {
    refuseParameters(queryText(request), 'an exploration');
    const { query, facets } = readExploration(request.body);
    const counts = await countsOf(parts, query, clock.now());
    const counted = facets.map(({ field, name, limit, minCount }) => {
      const all = bucketsOf(counts, name).filter(({ count }) => count >= minCount);
      const shown = all.slice(0, limit);
      const rest = all.slice(limit).reduce((sum, { count }) => sum + count, 0);
      const buckets = counts.isWhole ? shown : shown.map(({ value }) => ({ value }));
      return [field, { buckets, ...(counts.isWhole && rest > 0 && { otherCount: rest }) }] as const;
    });
    reply.header('cache-control', 'no-store');
    return reply.send({ resultType: 'facets', facets: Object.fromEntries(counted) });
  });
  server.get(`${ARD_PATH}/agents`, LIST, async (request, reply) => {
    const names = ['filter', 'orderBy', 'pageSize', 'pageToken'];
    const parameters = readParameters(queryText(request), names, 'the list');
    const pageToken = parameters.get('pageToken');
    const order = parameters.get('orderBy') ?? 'displayName';
    if (!/^(?:displayName|name)(?: asc)?$/i.test(order))
      throw invalidValue('orderBy', 'entries can only be sorted by displayName', ['displayName']);
    const page = await foundPage(parts, {
      query: readListFilter(parameters.get('filter')),
      sort: 'name',
      pageSize: limitOf(parameters.get('pageSize'), 20, MOST.found, 'pageSize'),
      ...(pageToken !== undefined && { pageToken }),
      ...{ now: clock.now(), origin: publicAddress(request, baseUrl) },
    });
    const { entries, ...rest } = page;
    return sendBody(request, reply, { items: entries.map(({ entry }) => entry), ...rest });
  });
  server.get(
    `${ARD_PATH}/agents/:identifier`,
    GET,
    async (request: FastifyRequest<{ Params: { identifier: string } }>, reply) => {
      refuseParameters(queryText(request), 'one entry');
      const { identifier } = request.params;
      if (!isIdentifier(identifier))
        throw invalidValue('identifier', 'use the form urn:air:publisher:namespace:name');
      const entry = await knownEntry(parts, identifier, publicAddress(request, baseUrl));
      if (entry === undefined)
        throw new HttpProblem('not_found', 'the registry has no entry with this identifier');
      return sendBody(request, reply, entry);
    },
  );
}

/** The entry as the list has it; undefined for an agent that is not listed now. */
async function knownEntry({ records, clock }: ArdParts, identifier: string, origin: string) {
  const agent = agentOfIdentifier(identifier);
  const [facts] = agent === undefined ? [] : await records.agents.facts([agent]);
  const document = facts && stitchAgent(facts, clock.now()).document;
  return document && entryOf(document.url, cardOf(document), origin);
}

/** The entry without the field that is only for indexes (5.3.2). */
function asResult({ representativeQueries: _, ...entry }: ArdEntry): object {
  return entry;
}

function readSearch(body: unknown) {
  onlyMembers(body, ['query', 'federation', 'pageSize', 'pageToken'], 'the search');
  const { federation = 'auto', pageToken } = body;
  if (!FEDERATION.includes(federation as string))
    throw invalidValue('federation', 'unknown mode', FEDERATION);
  if (pageToken !== undefined && typeof pageToken !== 'string')
    throw invalidValue('pageToken', 'use a string');
  return {
    query: readQuery(body.query, true),
    pageSize: countIn(body.pageSize, 10, MOST.found, 'pageSize'),
    ...(pageToken !== undefined && { pageToken }),
    referrals: federation === 'referrals',
  };
}

function readExploration(body: unknown) {
  onlyMembers(body, ['query', 'resultType'], 'the exploration');
  const { query, resultType } = body;
  onlyMembers(resultType, ['facets'], 'resultType');
  const { facets } = resultType;
  if (!Array.isArray(facets) || facets.length === 0 || facets.length > MOST.facets)
    throw invalidValue('resultType.facets', `use an array of 1 to ${MOST.facets} terms`);
  const context = (query as { readonly '@context'?: unknown } | undefined)?.['@context'];
  const read: ArdQuery = readQuery(query, false);
  return { query: read, facets: facets.map((facet) => readFacet(facet, context)) };
}

function readFacet(facet: unknown, context: unknown) {
  onlyMembers(facet, ['field', 'limit', 'minCount'], 'resultType.facets');
  const { field, limit, minCount } = facet;
  if (typeof field !== 'string') throw invalidValue(FIELD, 'use the path of a term');
  return {
    ...{ field, name: parameterOf(field, context, FIELD) },
    limit: countIn(limit, 20, MOST.buckets, 'limit'),
    minCount: countIn(minCount, 1, Number.MAX_SAFE_INTEGER, 'minCount'),
  };
}

function countIn(value: unknown, usual: number, most: number, parameter: string): number {
  if (value === undefined) return usual;
  if (Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= most) return Number(value);
  throw invalidValue(parameter, `use a whole number from 1 to ${most}`);
}
