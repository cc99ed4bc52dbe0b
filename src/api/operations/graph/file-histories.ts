import type { FastifyInstance } from 'fastify';
import { defined } from '../../../base/json.ts';
import type { FileKind } from '../../../domain/declaration.ts';
import type { FileVersion } from '../../../records/agents/publishers.ts';
import { limitOf, namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { describedBy, problemAnswer } from '../description.ts';
import { type GraphParts, publicReading, sendBody, textParameter, timeText } from './reading.ts';

/** Versions of one file that are read; what is older is not told. */
const MAX_VERSIONS = 1_000;
const [USUAL, MOST] = [20, 100];

const HISTORIES = [
  {
    path: '/api/properties/history',
    file: 'adagents',
    operationId: 'getPropertyHistory',
    summary: 'List the versions of a publisher’s adagents.json',
    example: 'larkhaven-courier.example',
  },
  {
    path: '/api/brands/history',
    file: 'brand',
    operationId: 'getBrandHistory',
    summary: 'List the versions of a brand.json',
    example: 'copperkettle.example',
  },
] as const;

/** GET /api/properties/history and /api/brands/history. */
export function fileHistoryOperations(server: FastifyInstance, parts: GraphParts): void {
  for (const { path, file, example, ...texts } of HISTORIES) {
    const reading = publicReading({
      ...texts,
      description: 'Newest first. A version begins with the visit that found different content.',
      parameters: [textParameter('domain', 'The domain of the file.', example), ...PAGE],
      answers: 'The versions.',
      schema: 'FileHistory',
    });
    const responses = { ...reading.responses, 404: problemAnswer('The domain never had this file.') };
    server.get(path, describedBy({ ...reading, responses }), async (request, reply) => {
      const parameters = readParameters(queryText(request), ['domain', 'limit', 'offset'], 'the history');
      const domain = namedDomain(needed(parameters, 'domain'));
      const limit = limitOf(parameters.get('limit'), USUAL, MOST);
      const offset = offsetOf(parameters.get('offset') ?? '0');
      const history = await fileHistory(parts, domain, file);
      if (history.total === 0)
        throw new HttpProblem('not_found', 'the domain never had this file', { parameter: 'domain' });
      const revisions = history.revisions.slice(offset, offset + limit);
      return sendBody(request, reply, { domain, ...history, revisions });
    });
  }
}

/** The versions of a file, the newest first. */
export async function fileHistory({ records }: Pick<GraphParts, 'records'>, domain: string, file: FileKind) {
  const versions = await records.graph.versions(domain, file, MAX_VERSIONS + 1);
  const revisions = revisionsOf(domain, file, versions.slice(0, MAX_VERSIONS));
  const isCut = versions.length > MAX_VERSIONS;
  return { total: revisions.length, revisions, ...(isCut && { total_truncated: true }) };
}

const PAGE = [
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of versions.',
    schema: { type: 'integer', minimum: 1, maximum: MOST, default: USUAL },
  },
  {
    name: 'offset',
    in: 'query',
    description: 'Number of versions to skip.',
    schema: { type: 'integer', minimum: 0, maximum: MAX_VERSIONS, default: 0 },
  },
];

function offsetOf(text: string): number {
  const offset = /^\d{1,4}$/.test(text) ? Number(text) : Infinity;
  if (offset <= MAX_VERSIONS) return offset;
  throw invalidValue('offset', `a whole number from 0 to ${MAX_VERSIONS} is expected`);
}

/** In the field's words, the newest first. A version that says what an earlier one said is a rollback to that one. */
function revisionsOf(domain: string, file: FileKind, versions: readonly FileVersion[]) {
  const earlier = new Map<string, number>();
  return versions
    .toReversed()
    .map((version, at) => {
      const before = earlier.get(version.hash);
      earlier.set(version.hash, at + 1);
      return {
        ...{ revision_number: at + 1, editor_name: version.manager ?? domain },
        edit_summary: summaryOf(file, version),
        source: file === 'brand' ? 'brand_json' : 'adagents_json',
        is_rollback: before !== undefined,
        ...defined({ rolled_back_to: before }),
        created_at: timeText(version.seenFrom),
      };
    })
    .reverse();
}

function summaryOf(file: FileKind, { agents, properties, url }: FileVersion): string {
  const listed = `${properties} ${properties === 1 ? 'property' : 'properties'} in the catalog`;
  const counts = `${agents} ${agents === 1 ? 'agent' : 'agents'} authorized, ${listed}, `;
  return `${file === 'brand' ? '' : counts}read at ${url}`;
}
