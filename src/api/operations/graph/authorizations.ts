import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { defined } from '../../../base/json.ts';
import type { EntryPlace } from '../../../records/agents/entries.ts';
import { agentOf, limitOf, needed, queryText, readParameters } from '../../parameters.ts';
import { invalidValue } from '../../problem.ts';
import { CURSOR, describedBy, header } from '../description.ts';
import { cursorOfState } from '../feed/feed.ts';
import { authorizationRecord } from './authorization-record.ts';
import {
  type GraphParts,
  MAX_LIST_BYTES,
  pagesOf,
  publicReading,
  sendText,
  textParameter,
} from './reading.ts';

const MOST = 10_000;
const READ_AT_ONCE = 250;
/** Entries that are read for one page; those that cover nothing are read and not shown. */
const MAX_READ = 20_000;
const INCLUDES = ['effective', 'raw'];
/** What the field knows as evidence; this registry knows files only. */
const EVIDENCE = ['adagents_json', 'adagents_authoritative', 'agent_claim', 'community', 'override'];

const PARAMETERS = [
  {
    name: 'include',
    in: 'query',
    description:
      'Accepted for compatibility. This registry has no overrides, so both values give the same answer.',
    schema: { type: 'string', enum: INCLUDES, default: 'effective' },
  },
  {
    name: 'evidence',
    in: 'query',
    description: `Kinds of evidence, separated by commas: ${EVIDENCE.join(', ')}. Only adagents_json has rows in this registry.`,
    schema: { type: 'string', minLength: 1, maxLength: 200, default: 'adagents_json' },
  },
  {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of rows.',
    schema: { type: 'integer', minimum: 1, maximum: MOST, default: MOST },
  },
  { ...CURSOR, schema: { type: 'string', minLength: 1, maxLength: 3_300 } },
];
const ABOUT =
  'One row for each entry that authorises an agent now, up to 2 MiB. `property_rid` is null only if the entry covers the whole inventory without limits.';

const OF_AGENT = publicReading({
  operationId: 'getAgentAuthorizations',
  summary: 'List the authorisations of an agent by entry',
  description: ABOUT,
  parameters: [textParameter('agent_url', 'The agent.', 'https://sales-1.agents.example/mcp'), ...PARAMETERS],
  answers: 'Rows, with a cursor if more follow.',
  schema: 'AuthorizationRows',
});
const SNAPSHOT = publicReading({
  operationId: 'getAuthorizationsSnapshot',
  summary: 'List all authorisations',
  description: `${ABOUT} Sorted by agent and publisher; the cost of a page is constant. To keep a copy, read all pages and then follow the feed from \`X-Sync-Cursor\`, which is the same on each page and covers all changes since the first page.`,
  parameters: PARAMETERS,
  answers: 'Rows, with a cursor if more follow.',
  schema: 'AuthorizationRows',
  headers: { 'X-Sync-Cursor': header('The cursor to continue with in the feed.') },
});

/** GET /api/registry/authorizations and …/authorizations/snapshot. */
export function authorizationsOperations(server: FastifyInstance, parts: GraphParts): void {
  for (const [path, operation, isOfAgent] of [
    ['/api/registry/authorizations', OF_AGENT, true],
    ['/api/registry/authorizations/snapshot', SNAPSHOT, false],
  ] as const)
    server.get(path, describedBy(operation), async (request, reply) => {
      const { agent, include, evidence, limit, cursor } = readAsked(queryText(request), isOfAgent);
      const places = pagesOf(parts, `authorisations ${agent} ${include} ${evidence}`);
      const { after, feedCursor = await cursorOfState(parts) } = placeIn(places.after(cursor));
      if (!isOfAgent) reply.header('x-sync-cursor', feedCursor);
      const isKept = evidence.includes('adagents_json');
      const { rows, last } = isKept ? await readPage(parts, { agent, after, limit }) : { rows: [] };
      const head = JSON.stringify({ ...(agent !== undefined && { agent_url: agent }), include, evidence });
      const next =
        places.next(last && JSON.stringify([last.agent, last.publisher, last.id, feedCursor])) ?? null;
      const end = JSON.stringify({ count: rows.length, next_cursor: next });
      return sendText(request, reply, `${head.slice(0, -1)},"rows":[${rows.join()}],${end.slice(1)}`);
    });
}

function readAsked(text: string, isOfAgent: boolean) {
  const own = isOfAgent ? ['agent_url'] : [];
  const names = [...own, ...PARAMETERS.map(({ name }) => String(name))];
  const parameters = readParameters(text, names, 'the list of authorisations');
  const include = parameters.get('include') ?? 'effective';
  const evidence = (parameters.get('evidence') ?? 'adagents_json').split(',');
  if (!INCLUDES.includes(include)) throw invalidValue('include', 'unknown value', INCLUDES);
  if (new Set(evidence).size < evidence.length || evidence.some((one) => !EVIDENCE.includes(one)))
    throw invalidValue('evidence', 'list kinds of evidence, each once', EVIDENCE);
  return {
    agent: isOfAgent ? agentOf(needed(parameters, 'agent_url'), 'agent_url') : undefined,
    ...{ include, evidence, limit: limitOf(parameters.get('limit'), MOST, MOST) },
    cursor: parameters.get('cursor'),
  };
}

interface Begin {
  readonly after?: EntryPlace;
  /** Of the feed, when the first page was read. */
  readonly feedCursor?: string;
}

/** As `JSON.stringify` wrote it into the cursor, which is sealed. */
function placeIn(text: string | undefined): Begin {
  if (text === undefined) return {};
  const [agent, publisher, id, feedCursor] = JSON.parse(text) as [string, string, number, string];
  return { after: { agent, publisher, id }, feedCursor };
}

interface Page {
  readonly agent: string | undefined;
  readonly after: EntryPlace | undefined;
  readonly limit: number;
}

async function readPage({ records: { graph } }: GraphParts, { agent, after, limit }: Page) {
  const rows: string[] = [];
  let [last, bytes] = [after, 0];
  for (let read = 0; read < MAX_READ; read += READ_AT_ONCE) {
    await yieldToEventLoop();
    const page = defined({ agent, after: last });
    const entries = await graph.entries({ ...page, limit: READ_AT_ONCE });
    for (const entry of entries) {
      const row = entry.sells ? JSON.stringify(authorizationRecord(entry)) : undefined;
      bytes += row === undefined ? 0 : Buffer.byteLength(row) + 1;
      if (row !== undefined && (rows.length === limit || bytes > MAX_LIST_BYTES)) return { rows, last };
      if (row !== undefined) rows.push(row);
      last = { agent: entry.agent, publisher: entry.publisher, id: entry.id };
    }
    if (entries.length < READ_AT_ONCE) return { rows, last: undefined };
  }
  return { rows, last };
}
