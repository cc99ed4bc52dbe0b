import type { FastifyInstance } from 'fastify';
import { defined } from '../../../base/json.ts';
import { jsonBytes } from '../../../base/json-bytes.ts';
import { stableUuid } from '../../../base/stable-uuid.ts';
import type { AuthorisationLimits } from '../../../domain/declaration.ts';
import type { EntryPlace, LiveEntry } from '../../../ports/graph.ts';
import { letOthersIn } from '../../list-cache.ts';
import { agentOf, limitOf, needed, queryText, readParameters } from '../../parameters.ts';
import { invalidValue } from '../../problem.ts';
import { CURSOR, describedBy } from '../description.ts';
import {
  type GraphParts,
  MAX_LIST_BYTES,
  pagesOf,
  publicReading,
  sendBody,
  textParameter,
  timeText,
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
    description: 'Nobody overrides a file here, so both are the same.',
    schema: { type: 'string', enum: INCLUDES, default: 'effective' },
  },
  {
    name: 'evidence',
    in: 'query',
    description: `Kinds of evidence with commas between: ${EVIDENCE.join(', ')}. Only adagents_json has rows here.`,
    schema: { type: 'string', minLength: 1, maxLength: 200, default: 'adagents_json' },
  },
  {
    name: 'limit',
    in: 'query',
    description: 'At most so many rows.',
    schema: { type: 'integer', minimum: 1, maximum: MOST, default: MOST },
  },
  { ...CURSOR, schema: { type: 'string', minLength: 1, maxLength: 3_200 } },
];
const ABOUT =
  'One row for each entry of a file that authorises an agent now, up to 2 MiB. `property_rid` is null only where the whole inventory is meant, everywhere.';

const OF_AGENT = publicReading({
  operationId: 'getAgentAuthorizations',
  summary: 'List the authorisations of an agent, entry by entry',
  description: ABOUT,
  parameters: [textParameter('agent_url', 'The agent.', 'https://sales-1.agents.example/mcp'), ...PARAMETERS],
  answers: 'Rows, with a cursor when more follow.',
  schema: 'AuthorizationRows',
});
const OF_ALL = publicReading({
  operationId: 'getAuthorizationsSnapshot',
  summary: 'List all authorisations, page by page',
  description: `${ABOUT} In the order of agent and publisher, at a cost that does not grow with their number.`,
  parameters: PARAMETERS,
  answers: 'Rows, with a cursor when more follow.',
  schema: 'AuthorizationRows',
});

/** GET /api/registry/authorizations and …/authorizations/snapshot. */
export function authorizationsOperations(server: FastifyInstance, parts: GraphParts): void {
  for (const [path, operation, isOfAgent] of [
    ['/api/registry/authorizations', OF_AGENT, true],
    ['/api/registry/authorizations/snapshot', OF_ALL, false],
  ] as const)
    server.get(path, describedBy(operation), async (request, reply) => {
      const { agent, include, evidence, limit, cursor } = readAsked(queryText(request), isOfAgent);
      const places = pagesOf(parts, `authorisations ${agent} ${include} ${evidence}`);
      const after = placeIn(places.after(cursor));
      const isKept = evidence.includes('adagents_json');
      const { rows, last } = isKept ? await readPage(parts, { agent, after, limit }) : { rows: [] };
      return sendBody(request, reply, {
        ...(agent !== undefined && { agent_url: agent }),
        ...{ include, evidence, rows, count: rows.length },
        next_cursor: places.next(last && JSON.stringify([last.agent, last.publisher, last.id])) ?? null,
      });
    });
}

function readAsked(text: string, isOfAgent: boolean) {
  const own = isOfAgent ? ['agent_url'] : [];
  const names = [...own, ...PARAMETERS.map(({ name }) => String(name))];
  const parameters = readParameters(text, names, 'the list of authorisations');
  const include = parameters.get('include') ?? 'effective';
  const evidence = (parameters.get('evidence') ?? 'adagents_json').split(',');
  if (!INCLUDES.includes(include)) throw invalidValue('include', 'there is no such list', INCLUDES);
  if (new Set(evidence).size < evidence.length || evidence.some((one) => !EVIDENCE.includes(one)))
    throw invalidValue('evidence', 'kinds of evidence are expected, each once', EVIDENCE);
  return {
    agent: isOfAgent ? agentOf(needed(parameters, 'agent_url'), 'agent_url') : undefined,
    ...{ include, evidence, limit: limitOf(parameters.get('limit'), MOST, MOST) },
    cursor: parameters.get('cursor'),
  };
}

/** As `JSON.stringify` wrote it into the cursor, which is sealed. */
function placeIn(text: string | undefined): EntryPlace | undefined {
  if (text === undefined) return undefined;
  const [agent, publisher, id] = JSON.parse(text) as [string, string, number];
  return { agent, publisher, id };
}

interface Page {
  readonly agent: string | undefined;
  readonly after: EntryPlace | undefined;
  readonly limit: number;
}

async function readPage({ records: { graph } }: GraphParts, { agent, after, limit }: Page) {
  const rows: object[] = [];
  let [last, bytes] = [after, 0];
  for (let read = 0; read < MAX_READ; read += READ_AT_ONCE) {
    await letOthersIn();
    const page = defined({ agent, after: last });
    const entries = await graph.entries({ ...page, limit: READ_AT_ONCE });
    for (const entry of entries) {
      const row = entry.sells ? authorizationRow(entry) : undefined;
      bytes += row === undefined ? 0 : jsonBytes(row) + 1;
      if (row !== undefined && (rows.length === limit || bytes > MAX_LIST_BYTES)) return { rows, last };
      if (row !== undefined) rows.push(row);
      last = { agent: entry.agent, publisher: entry.publisher, id: entry.id };
    }
    if (entries.length < READ_AT_ONCE) return { rows, last: undefined };
  }
  return { rows, last };
}

/** In the field's words, with the limits of the entry: whoever knows only the field's names takes no part for the whole. */
export function authorizationRow(entry: LiveEntry): object {
  const { agent, publisher, covers, limits, hasLimits, signingKeys, pinsKeys } = entry;
  const [ids, tags] = [covers?.ids, covers?.tags].map((names) => names?.trim().split('\n'));
  const isWhole = covers?.all !== undefined && !narrows(hasLimits, limits);
  const [slug] = ids?.length === 1 && tags === undefined ? ids : [];
  const rid = slug === undefined ? [publisher, agent, String(entry.id)] : [publisher, `#${slug}`];
  const [from, until] = [limits?.effectiveFrom, limits?.effectiveUntil];
  const seenFrom = timeText(entry.seenFrom);
  return {
    ...{ id: stableUuid(agent, publisher, String(entry.id)), agent_url: agent, agent_url_canonical: agent },
    ...{ publisher_domain: publisher, publisher_wide: isWhole },
    ...{ property_rid: isWhole ? null : stableUuid(...rid), property_id_slug: slug ?? null },
    ...{ authorization_type: entry.scope, authorized_for: entry.authorizedFor ?? null },
    ...{ evidence: 'adagents_json', disputed: false, created_by: null },
    ...{ created_at: seenFrom, updated_at: seenFrom },
    expires_at: until === undefined ? null : timeText(until),
    ...{ signing_keys: signingKeys ?? null, override_applied: false, override_reason: null },
    ...defined({ property_ids: ids, property_tags: tags, countries: limits?.countries }),
    ...defined({ placement_ids: limits?.placementIds, placement_tags: limits?.placementTags }),
    ...defined({ delegation_type: limits?.delegationType, exclusive: limits?.exclusive }),
    ...(limits?.collections && { collections: limits.collections.map(collectionItem) }),
    ...(from !== undefined && { effective_from: timeText(from) }),
    ...(until !== undefined && { effective_until: timeText(until) }),
    ...(covers === undefined && { properties_truncated: true }),
    ...(hasLimits && limits === undefined && { limits_truncated: true }),
    ...(pinsKeys && signingKeys === undefined && { signing_keys_truncated: true }),
  };
}

type Collection = NonNullable<AuthorisationLimits['collections']>[number];

function collectionItem({ publisherDomain, collectionIds }: Collection): object {
  return { publisher_domain: publisherDomain, ...defined({ collection_ids: collectionIds }) };
}

/** What it sells is bounded by more than a time. */
function narrows(hasLimits: boolean, limits: AuthorisationLimits | undefined): boolean {
  if (!hasLimits) return false;
  if (limits === undefined) return true;
  const { countries, collections, placementIds, placementTags } = limits;
  return [countries, collections, placementIds, placementTags].some((limit) => limit !== undefined);
}
