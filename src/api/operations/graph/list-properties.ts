import type { FastifyInstance } from 'fastify';
import { limitOf, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { CURSOR, describedBy } from '../description.ts';
import { type GraphParts, pagesOf, publicReading, sendBody } from './reading.ts';

const MOST = 100;
const MAX_OFFSET = 10_000;
const MAX_SEARCH = 253;
const NAMES = ['search', 'limit', 'offset', 'cursor'];

/** What the lists of the field take: they page by offset. */
export const DOMAIN_LIST_PARAMETERS = [
  {
    name: 'search',
    in: 'query',
    description: 'Only domains that start with this text.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_SEARCH },
    example: 'news',
  },
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of items.',
    schema: { type: 'integer', minimum: 1, maximum: MOST, default: MOST },
  },
  {
    name: 'offset',
    in: 'query',
    description: 'Number of items to skip. To skip more, follow `next_cursor`.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_OFFSET, default: 0 },
  },
  { ...CURSOR, schema: { type: 'string', minLength: 1, maxLength: 2_800 } },
];

const OPERATION = publicReading({
  operationId: 'listProperties',
  summary: 'List publishers with their number of properties',
  description: 'Domains with a valid adagents.json in ascending order.',
  parameters: DOMAIN_LIST_PARAMETERS,
  answers: 'Publishers, with a cursor if more follow.',
  schema: 'PropertyList',
});

/** GET /api/properties/registry. */
export function listPropertiesOperation(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/properties/registry', describedBy(OPERATION), async (request, reply) => {
    const asked = readListQuestion(queryText(request), 'the list of properties');
    return sendBody(request, reply, await listedPublishers(parts, asked));
  });
}

/** What such a list is asked for. */
export type ListQuestion = ReturnType<typeof readListQuestion>;

/** Publishers whose domain begins so, a page of them. Throws HttpProblems. */
export async function listedPublishers(parts: GraphParts, asked: ListQuestion) {
  const { search, limit, offset, cursor } = asked;
  const { graph } = parts.records;
  const places = pagesOf(parts, `properties ${search}`);
  const begin = places.after(cursor) ?? beginOf(search);
  const after = offset === 0 ? begin : await graph.publisherAt(begin, offset);
  const known = after === undefined ? [] : await graph.publishers(after, limit + 1);
  const found = known.filter(({ domain }) => domain.startsWith(search));
  const shown = found.slice(0, limit);
  return {
    properties: shown.map(({ domain, properties, agents }) => ({
      domain,
      source: 'adagents_json',
      property_count: properties,
      agent_count: agents,
      verified: true,
    })),
    count: shown.length,
    next_cursor: places.next(found.length > limit ? shown.at(-1)?.domain : undefined),
  };
}

/** The parameters of such a list. Throws HttpProblems. */
export function readListQuestion(text: string, what: string) {
  const parameters = readParameters(text, NAMES, what);
  const search = readSearch(parameters.get('search'));
  const skipped = parameters.get('offset') ?? '0';
  const offset = /^\d{1,5}$/.test(skipped) ? Number(skipped) : Infinity;
  if (offset > MAX_OFFSET)
    throw invalidValue(
      'offset',
      `use a whole number from 0 to ${MAX_OFFSET}; follow next_cursor beyond that`,
    );
  const limit = limitOf(parameters.get('limit'), MOST, MOST);
  return { search, limit, offset, cursor: parameters.get('cursor') };
}

/** The beginning of a domain, in lower case; '' for none. Throws an HttpProblem. */
export function readSearch(given = ''): string {
  if (given.length > MAX_SEARCH)
    throw new HttpProblem('value_too_long', `at most ${MAX_SEARCH} characters are accepted`, {
      parameter: 'search',
    });
  return given.toLowerCase();
}

/** A text before all domains that begin so, and behind all that are before them. */
export function beginOf(search: string): string {
  if (!/^[a-z0-9.-]+$/.test(search)) return ''; // no domain begins so, or every one
  const last = search.charCodeAt(search.length - 1);
  return `${search.slice(0, -1)}${String.fromCharCode(last - 1)}\u{10ffff}`;
}
