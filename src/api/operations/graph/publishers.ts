import type { FastifyInstance } from 'fastify';
import { jsonBytes } from '../../../base/json-bytes.ts';
import type { KnownPublisher } from '../../../records/agents/publishers.ts';
import { limitOf, queryText, readParameters } from '../../parameters.ts';
import { CURSOR, describedBy } from '../description.ts';
import { type GraphParts, MAX_LIST_BYTES, pagesOf, publicReading, sendBody, timeText } from './reading.ts';

const MOST = 20_000;
const READ_AT_ONCE = 500;

const OPERATION = publicReading({
  operationId: 'listPublishers',
  summary: 'List publishers',
  description: 'Domains with a valid adagents.json in ascending order, up to 2 MiB.',
  parameters: [
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of publishers.',
      schema: { type: 'integer', minimum: 1, maximum: MOST, default: MOST },
    },
    { ...CURSOR, schema: { type: 'string', minLength: 1, maxLength: 2_800 } },
  ],
  answers: 'Publishers, with a cursor if more follow.',
  schema: 'PublisherList',
});

/** GET /api/registry/publishers. */
export function listPublishersOperation(server: FastifyInstance, parts: GraphParts): void {
  const places = pagesOf(parts, 'publishers');
  server.get('/api/registry/publishers', describedBy(OPERATION), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['limit', 'cursor'], 'the list of publishers');
    const limit = limitOf(parameters.get('limit'), MOST, MOST);
    const page = await read(parts, places.after(parameters.get('cursor')), limit);
    const { publishers, last } = page;
    return sendBody(request, reply, { publishers, count: publishers.length, next_cursor: places.next(last) });
  });
}

async function read({ records }: GraphParts, after: string | undefined, limit: number) {
  const publishers: object[] = [];
  let [last, bytes] = [after, 0];
  for (;;) {
    const wanted = Math.min(READ_AT_ONCE, limit + 1 - publishers.length);
    const known = await records.graph.publishers(last, wanted);
    for (const one of known) {
      const item = publisherItem(one);
      bytes += jsonBytes(item) + 1;
      if (publishers.length === limit || bytes > MAX_LIST_BYTES) return { publishers, last };
      publishers.push(item);
      last = one.domain;
    }
    if (known.length < wanted) return { publishers, last: undefined };
  }
}

function publisherItem({ domain, agents, lastSuccessAt, isValid }: KnownPublisher): object {
  return {
    domain,
    agent_count: agents,
    ...(lastSuccessAt !== undefined && { last_validated: timeText(lastSuccessAt) }),
    has_valid_adagents: isValid,
  };
}
