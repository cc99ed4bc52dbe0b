import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { limitOf, namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { CURSOR, describedBy, problemAnswer } from '../description.ts';
import { beginOf, readSearch } from './list-properties.ts';
import { type NetworkPublisher, readMissing, readPointing } from './network-publishers.ts';
import {
  type GraphParts,
  pagesOf,
  publicReading,
  sendBody,
  textParameter,
  timeText,
  visitOf,
} from './reading.ts';

const [USUAL, MOST] = [50, 200];
/** Publishers that are looked at for one page; behind that the page is shorter than its limit. */
const MAX_READ = 1_000;
const READ_AT_ONCE = 250;
/** Publishers that are counted; there may be more. */
const MAX_COUNTED = 10_000;
const SHOWN = ['all', 'orphaned', 'behind', 'missing'] as const;

const READING = publicReading({
  operationId: 'getNetwork',
  summary: 'List the publishers of a network',
  description:
    'Publishers whose adagents.json or ads.txt refers to the adagents.json of the domain; `missing`: publishers that it names, but that do not refer to it. The cost of a page is constant. A page can be shorter than its limit; follow `next_cursor` to the end.',
  parameters: [
    textParameter('domain', 'The domain of the manager.', 'oakline-network.example'),
    {
      name: 'show',
      in: 'query',
      description:
        '`orphaned`: the file authorises no agent for them. `behind`: last crawled before the file changed. `missing`: see above.',
      schema: { type: 'string', enum: SHOWN, default: 'all' },
    },
    textParameter('search', 'Only publishers whose domain starts with this text.', undefined, {
      required: false,
    }),
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of publishers.',
      schema: { type: 'integer', minimum: 1, maximum: MOST, default: USUAL },
    },
    { ...CURSOR, schema: { type: 'string', minLength: 1, maxLength: 2_800 } },
  ],
  answers: 'A page of the publishers.',
  schema: 'Network',
});
const OPERATION = {
  ...READING,
  responses: {
    ...READING.responses,
    404: problemAnswer('No publisher refers to the file of this domain, and it names none.'),
  },
};

/** GET /api/registry/network. */
export function networkOperation(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/registry/network', describedBy(OPERATION), async (request, reply) => {
    const shown = await publishersOfNetwork(parts, readNetworkQuestion(queryText(request)));
    if (shown === undefined)
      throw new HttpProblem(
        'not_found',
        'no publisher refers to the file of this domain, and it names none',
        {
          parameter: 'domain',
        },
      );
    return sendBody(request, reply, shown);
  });
}

interface NetworkQuestion {
  readonly domain: string;
  readonly show: (typeof SHOWN)[number];
  readonly search: string;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Throws HttpProblems. */
export function readNetworkQuestion(text: string): NetworkQuestion {
  const names = ['domain', 'show', 'search', 'limit', 'cursor'];
  const parameters = readParameters(text, names, 'the network');
  const asked = parameters.get('show') ?? 'all';
  const show = SHOWN.find((one) => one === asked);
  if (show === undefined) throw invalidValue('show', 'unknown part', SHOWN);
  const search = readSearch(parameters.get('search'));
  return {
    domain: namedDomain(needed(parameters, 'domain')),
    ...{ show, search, cursor: parameters.get('cursor') },
    limit: limitOf(parameters.get('limit'), USUAL, MOST),
  };
}

/** A page of a network; undefined for a domain that has none. Throws HttpProblems. */
export async function publishersOfNetwork(parts: GraphParts, asked: NetworkQuestion) {
  const { domain, show, search, limit, cursor } = asked;
  const { graph } = parts.records;
  const places = pagesOf(parts, `network ${JSON.stringify([domain, show, search])}`);
  const [total, [named], [file], [version], visit] = await Promise.all([
    graph.countPointingTo(domain, MAX_COUNTED),
    graph.namedBy(domain, { after: '', limit: 1 }),
    graph.publishersAmong([domain]),
    graph.versions(domain, 'adagents', 1),
    visitOf(parts, 'adagents', domain),
  ]);
  if (total === 0 && named === undefined) return undefined;
  const changedAt = file?.isValid ? version?.seenFrom : undefined;
  const kept = changedAt === undefined ? undefined : { changedAt, ...file };
  const read = show === 'missing' ? readMissing : readPointing;
  let [last, isMore, looked] = [places.after(cursor) ?? beginOf(search), true, 0];
  const publishers: NetworkPublisher[] = [];
  while (isMore && looked < MAX_READ && publishers.length < limit) {
    await yieldToEventLoop();
    const page = { after: last, limit: Math.min(READ_AT_ONCE, show === 'all' ? limit : READ_AT_ONCE) };
    const found = await read(parts, { domain, kept, page });
    isMore = found.length === page.limit;
    for (const one of found) {
      if (publishers.length === limit) {
        isMore = true;
        break;
      }
      [last, looked] = [one.domain, looked + 1];
      if (!one.domain.startsWith(search)) isMore = false;
      else if (show === 'all' || one.states.includes(show)) publishers.push(one);
    }
  }
  return {
    ...{ domain, show, total, total_exact: total < MAX_COUNTED, looked_at: looked },
    ...(changedAt !== undefined && { file_changed_at: timeText(changedAt) }),
    publishers,
    next_cursor: places.next(isMore ? last : undefined) ?? null,
    visit,
  };
}
