import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../../base/event-loop.ts';
import { jsonBytes } from '../../../base/json-bytes.ts';
import { matchesAmong, ruleFor } from '../../../domain/covered-property.ts';
import { PROPERTY_TYPES } from '../../../domain/declaration.ts';
import type { ListedProperty } from '../../../domain/declared-facts.ts';
import { identifierCovers } from '../../../domain/domain-name.ts';
import type { LiveEntry } from '../../../records/agents/entries.ts';
import {
  agentOf,
  limitOf,
  namedCountry,
  namedDomain,
  needed,
  queryText,
  readParameters,
} from '../../parameters.ts';
import { invalidValue } from '../../problem.ts';
import { linesOf } from '../../render/file-text.ts';
import { publisherEntry } from '../../render/publisher-entry.ts';
import { CURSOR, describedBy } from '../description.ts';
import { type GraphParts, MAX_BYTES, pagesOf, publicReading, sendBody, textParameter } from './reading.ts';

const [USUAL, MOST] = [50, 200];
const READ_AT_ONCE = 250;
/** Entries that are looked at for one page; behind that the page is shorter than its limit. */
const MAX_READ = 1_000;
/** Properties that a filter by property or type looks at, and their bytes. */
const ROOM = { count: 10_000, bytes: 1024 * 1024 };
const NAMES = ['domain', 'agent', 'country', 'property', 'type', 'limit', 'cursor'];

const OPERATION = publicReading({
  operationId: 'listPublisherEntries',
  summary: 'List the authorized agents of a publisher',
  description:
    'The entries of its adagents.json that are in force, in file order, each with its limits. A page can be shorter than its limit; follow `next_cursor` to the end.',
  parameters: [
    textParameter('domain', 'The domain of a publisher.', 'larkhaven-courier.example'),
    textParameter(
      'agent',
      'Only entries of this agent, or of agents with this text in their URL.',
      undefined,
      {
        required: false,
      },
    ),
    textParameter('country', 'Only entries that are valid in this country, for example DE.', undefined, {
      required: false,
    }),
    textParameter('property', 'Only entries that cover a property with this id or identifier.', undefined, {
      required: false,
    }),
    {
      name: 'type',
      in: 'query',
      description: 'Only entries that cover a listed property of this type.',
      schema: { type: 'string', enum: PROPERTY_TYPES },
    },
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of entries.',
      schema: { type: 'integer', minimum: 1, maximum: MOST, default: USUAL },
    },
    { ...CURSOR, schema: { type: 'string', minLength: 1, maxLength: 2_800 } },
  ],
  answers: 'Entries, with a cursor if more follow.',
  schema: 'PublisherEntries',
});

/** GET /api/registry/publisher/entries. */
export function publisherEntriesOperation(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/registry/publisher/entries', describedBy(OPERATION), async (request, reply) => {
    const asked = readEntriesQuestion(queryText(request));
    return sendBody(request, reply, await publisherEntries(parts, asked));
  });
}

export interface EntriesQuestion {
  readonly domain: string;
  readonly agent: string | undefined;
  /** In lower case. */
  readonly agentPart: string | undefined;
  readonly country: string | undefined;
  /** An id, or the value of an identifier. */
  readonly property: string | undefined;
  readonly type: string | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Throws HttpProblems. */
export function readEntriesQuestion(text: string): EntriesQuestion {
  const parameters = readParameters(text, NAMES, 'the list of entries');
  const [agent, country, type] = ['agent', 'country', 'type'].map((name) => parameters.get(name));
  if (type !== undefined && !PROPERTY_TYPES.some((known) => known === type))
    throw invalidValue('type', 'unknown property type', PROPERTY_TYPES);
  const isAddress = agent?.includes('://') === true;
  return {
    domain: namedDomain(needed(parameters, 'domain')),
    agent: agent !== undefined && isAddress ? agentOf(agent, 'agent') : undefined,
    agentPart: isAddress ? undefined : agent?.toLowerCase(),
    country: country === undefined ? undefined : namedCountry(country),
    ...{ property: parameters.get('property'), type },
    limit: limitOf(parameters.get('limit'), USUAL, MOST),
    cursor: parameters.get('cursor'),
  };
}

/** A page of the entries of a publisher that pass the filters. Throws HttpProblems. */
export async function publisherEntries(parts: GraphParts, asked: EntriesQuestion) {
  const { domain, agent, agentPart, limit, cursor, country, property, type } = asked;
  const asks = JSON.stringify([domain, agent, country, property, type, agentPart]);
  const places = pagesOf(parts, `entries ${asks}`);
  const filter = await readFilter(parts, asked);
  const entries: LiveEntry[] = [];
  let [last, bytes, isMore] = [Number(places.after(cursor) ?? 0), 0, true];
  for (let read = 0; isMore && read < MAX_READ; read += READ_AT_ONCE) {
    await yieldToEventLoop();
    const page = { after: last, limit: READ_AT_ONCE, ...(agent !== undefined && { agent }) };
    const found = await parts.records.graph.entriesOf(domain, page);
    isMore = found.length === READ_AT_ONCE;
    for (const entry of found) {
      const isShown = filter.passes(entry);
      bytes += isShown ? jsonBytes(publisherEntry(entry)) + 32 : 0;
      if (isShown && (entries.length === limit || bytes > MAX_BYTES)) {
        isMore = true;
        read = MAX_READ;
        break;
      }
      if (isShown) entries.push(entry);
      last = entry.id;
    }
  }
  const pointers = entries.map(({ entry }) => entry);
  const lines = await linesOf(parts.records.sources, { kind: 'adagents', key: domain }, pointers);
  return {
    domain,
    entries: entries.map((entry) => publisherEntry(entry, lines.get(entry.entry))),
    count: entries.length,
    ...(filter.isCut && { properties_truncated: true }),
    next_cursor: places.next(isMore ? String(last) : undefined) ?? null,
  };
}

/** What is too long to be read passes no filter: it may say anything. */
async function readFilter(
  parts: GraphParts,
  { domain, agentPart, country, property, type }: EntriesQuestion,
) {
  const isThere = ({ agent, limits, hasLimits }: LiveEntry) =>
    (agentPart === undefined || agent.includes(agentPart)) &&
    (country === undefined ||
      (hasLimits && !limits ? false : (limits?.countries?.includes(country) ?? true)));
  if (property === undefined && type === undefined) return { passes: isThere, isCut: false };
  const { graph } = parts.records;
  const byId =
    property === undefined ? undefined : await graph.properties(domain, { ...ROOM, ids: [property] });
  const read =
    byId === undefined || byId.properties.length === 0 ? await graph.properties(domain, ROOM) : byId;
  const meant = read.properties.filter(
    (one) =>
      (type === undefined || one.propertyType === type) && (property === undefined || isNamed(one, property)),
  );
  const matches = matchesAmong(meant);
  const [known] = await graph.publishersAmong([domain]);
  // a file that lists nothing speaks of the publisher's own site
  const isOwnSite =
    known?.properties === 0 &&
    type === undefined &&
    property !== undefined &&
    identifierCovers(domain, property.toLowerCase());
  const passes = (entry: LiveEntry) =>
    isThere(entry) &&
    entry.covers !== undefined &&
    ((isOwnSite && entry.covers.all === 'inventory') ||
      ruleFor(matches, entry.entry, entry.covers) !== undefined);
  return { passes, isCut: read.isCut };
}

function isNamed({ propertyId, identifiers }: ListedProperty, name: string): boolean {
  if (propertyId === name) return true;
  return identifiers.some(({ type, value }) =>
    type === 'domain' ? identifierCovers(value, name.toLowerCase()) : value === name,
  );
}
