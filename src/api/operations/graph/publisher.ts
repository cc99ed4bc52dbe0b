import type { FastifyInstance } from 'fastify';
import { defined } from '../../../base/json.ts';
import { withinBytes } from '../../../base/json-bytes.ts';
import type { ListedProperty } from '../../../domain/declared-facts.ts';
import { wellKnownUrl } from '../../../domain/domain-name.ts';
import type { KnownPublisher } from '../../../records/agents/publishers.ts';
import { namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { invalidValue } from '../../problem.ts';
import { describedBy } from '../description.ts';
import { placementsOf } from './placements.ts';
import { publisherClaims } from './publisher-claims.ts';
import {
  discoveryMethod,
  type GraphParts,
  MAX_BYTES,
  publicReading,
  sendBody,
  textParameter,
  timeText,
  visitOf,
} from './reading.ts';

const MAX_PROPERTIES = 10_000;
const MAX_ENTRIES = 5_000;

const INCLUDED = ['placements'];

const PUBLISHER = publicReading({
  operationId: 'lookupPublisher',
  summary: 'Look up a publisher',
  description: 'Its file, properties and authorized agents. A domain that was never crawled has empty lists.',
  parameters: [
    textParameter('domain', 'The domain of a publisher.', 'larkhaven-courier.example'),
    {
      name: 'include',
      in: 'query',
      description: 'Also return its placements, from a file of up to 2 MiB.',
      schema: { type: 'string', enum: INCLUDED },
      example: 'placements',
    },
  ],
  answers: 'The publisher.',
  schema: 'PublisherLookup',
});

/** GET /api/registry/publisher. */
export function publisherOperations(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/registry/publisher', describedBy(PUBLISHER), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain', 'include'], 'a look-up');
    const domain = namedDomain(needed(parameters, 'domain'));
    const include = parameters.get('include');
    if (include !== undefined && !INCLUDED.includes(include))
      throw invalidValue('include', 'unknown value', INCLUDED);
    return sendBody(request, reply, await publisherLookup(parts, domain, include));
  });
}

/** What is known of a publisher: its file, its properties, its agents, each list within its share of an answer. */
export async function publisherLookup(parts: GraphParts, domain: string, include?: string) {
  const [[known], listed, { edges, isCut }, visit, claims] = await Promise.all([
    parts.records.graph.publishersAmong([domain]),
    parts.records.graph.properties(domain, { count: MAX_PROPERTIES, bytes: MAX_BYTES }),
    parts.records.graph.agentsOf(domain, MAX_ENTRIES),
    visitOf(parts, 'adagents', domain),
    publisherClaims(parts, domain),
  ]);
  const total = known?.properties ?? 0;
  const agents = edges
    .filter(({ sells }) => sells)
    .map(({ agent, authorizedFor, properties }) => ({
      url: agent,
      ...defined({ authorized_for: authorizedFor }),
      source: 'adagents_json',
      properties_authorized: properties,
      properties_total: Math.max(total, properties),
    }));
  const catalogue = listed.properties.filter(({ entry }) => entry === undefined).map(propertyItem);
  const room = (MAX_BYTES - 4_096) / (include === undefined ? 2 : 3);
  const properties = withinBytes(catalogue, room);
  const shown = withinBytes(agents, room);
  const placed =
    include === undefined
      ? undefined
      : await placementsOf(parts.records.sources, domain, { own: listed, properties: total, room });
  return {
    domain,
    member: null,
    ...fileOf(domain, known),
    visit,
    properties,
    ...((listed.isCut || properties.length < catalogue.length) && {
      properties_truncated: true,
    }),
    authorized_agents: shown,
    ...((isCut || shown.length < agents.length) && { authorized_agents_truncated: true }),
    ...(claims && { claims }),
    ...(placed && { placements: placed.placements }),
    ...(placed?.isCut && { placements_truncated: true }),
  };
}

function propertyItem({ propertyId, propertyType, name, identifiers, tags }: ListedProperty) {
  return {
    ...defined({ id: propertyId, name }),
    type: propertyType,
    identifiers,
    tags,
    source: 'adagents_json',
  };
}

/** How the file stands, in the field's words. */
function fileOf(domain: string, known: KnownPublisher | undefined) {
  const { via, manager, url, lacking, lastSuccessAt, isValid = false } = known ?? {};
  return {
    adagents_valid: isValid || (lacking === undefined ? null : false),
    ...(via && { discovery_method: discoveryMethod(via) }),
    ...defined({ manager_domain: manager }),
    hosting: {
      mode: modeOf(known),
      expected_url: wellKnownUrl(domain, 'adagents'),
      ...defined({ resolved_url: url }),
      ...(lastSuccessAt !== undefined && { last_validated: timeText(lastSuccessAt) }),
    },
  };
}

function modeOf(known: KnownPublisher | undefined): string {
  if (known?.isValid && known.via === 'own') return 'self';
  if (known?.isValid && known.via === 'reference') return 'self_redirected';
  return known?.lacking === 'broken' ? 'self_invalid' : 'none';
}
