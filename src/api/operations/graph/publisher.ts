import type { FastifyInstance } from 'fastify';
import { defined } from '../../../base/json.ts';
import { withinBytes } from '../../../base/json-bytes.ts';
import { publisherFactsAt } from '../../../discovery/may-sell.ts';
import { authorise } from '../../../domain/authorise.ts';
import { authoriseSelection, MAX_EFFORT } from '../../../domain/authorise-selection.ts';
import type { ListedProperty } from '../../../domain/declared-facts.ts';
import { wellKnownUrl } from '../../../domain/domain-name.ts';
import type { KnownPublisher } from '../../../ports/graph.ts';
import { agentOf, namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { HttpProblem, invalidValue } from '../../problem.ts';
import { describedBy, problemAnswer } from '../description.ts';
import { placementsOf } from './placements.ts';
import { MAX_PROPERTY_BYTES, READ_EFFORT } from './product-selection.ts';
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

const DOMAIN = textParameter('domain', 'The domain of a publisher.', 'larkhaven-courier.example');

const PUBLISHER = publicReading({
  operationId: 'lookupPublisher',
  summary: 'Look up a publisher',
  description: 'Its file, properties and agents; a domain that was never visited has empty lists.',
  parameters: [
    DOMAIN,
    {
      name: 'include',
      in: 'query',
      description: 'With its placements, of a file of up to 2 MiB.',
      schema: { type: 'string', enum: INCLUDED },
      example: 'placements',
    },
  ],
  answers: 'The publisher.',
  schema: 'PublisherLookup',
});

const READING = publicReading({
  operationId: 'lookupPublisherAuthorization',
  summary: 'Count the properties of a publisher that an agent may sell',
  description: 'Of its catalogue; `publisher_wide` for its whole inventory.',
  parameters: [DOMAIN, textParameter('agent', 'The agent.', 'https://sales-1.agents.example/mcp')],
  answers: 'The counts.',
  schema: 'PublisherAuthorization',
});
const AUTHORIZATION = {
  ...READING,
  responses: { ...READING.responses, 404: problemAnswer('The publisher does not name the agent.') },
};

/** GET /api/registry/publisher and /api/registry/publisher/authorization. */
export function publisherOperations(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/registry/publisher', describedBy(PUBLISHER), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain', 'include'], 'a look-up');
    const domain = namedDomain(needed(parameters, 'domain'));
    const include = parameters.get('include');
    if (include !== undefined && !INCLUDED.includes(include))
      throw invalidValue('include', 'nothing else can be included', INCLUDED);
    return sendBody(request, reply, await publisherLookup(parts, domain, include));
  });
  server.get('/api/registry/publisher/authorization', describedBy(AUTHORIZATION), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain', 'agent'], 'a look-up');
    const publisher = namedDomain(needed(parameters, 'domain'));
    const agent = agentOf(needed(parameters, 'agent'), 'agent');
    return sendBody(request, reply, await countsOf(parts, publisher, agent));
  });
}

/** What is known of a publisher: its file, its properties, its agents, each list within its share of an answer. */
export async function publisherLookup(parts: GraphParts, domain: string, include?: string) {
  const [[known], listed, { edges, isCut }, visit] = await Promise.all([
    parts.records.graph.publishersAmong([domain]),
    parts.records.graph.properties(domain, { count: MAX_PROPERTIES, bytes: MAX_BYTES }),
    parts.records.graph.agentsOf(domain, MAX_ENTRIES),
    visitOf(parts, 'adagents', domain),
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
    ...(placed && { placements: placed.placements }),
    ...(placed?.isCut && { placements_truncated: true }),
  };
}

async function countsOf(parts: GraphParts, publisher: string, agent: string): Promise<object> {
  const { records, clock } = parts;
  const visit = await visitOf(parts, 'adagents', publisher);
  const at = clock.now();
  const question = { agent, publisher, at };
  const live = await publisherFactsAt(records.authorisations, question, at, 0);
  if (live === undefined || live.entries.length === 0)
    throw new HttpProblem('not_found', 'this publisher does not name the agent', {
      parameter: 'agent',
      visit,
    });
  const room = { count: MAX_PROPERTIES, bytes: MAX_PROPERTY_BYTES };
  const { properties, bytes, isCut: isMore } = await records.graph.properties(publisher, room);
  const facts = { ...live, properties };
  const effort = { left: MAX_EFFORT - READ_EFFORT * (live.bytes + bytes) };
  const items = live.hasCatalogue ? authoriseSelection(question, facts, {}, effort) : [];
  const no = items.filter((item) => !item.answer.authorized);
  const refused = no.map(({ properties: [first] }) => ({
    ...defined({ id: first?.propertyId, name: first?.name, type: first?.propertyType }),
  }));
  const shown = withinBytes(refused, MAX_BYTES - 8_192);
  const isCut = effort.left < 0 || isMore || shown.length < no.length;
  return {
    publisher_domain: publisher,
    agent_url: agent,
    authorized: items.length - no.length,
    total: items.length,
    publisher_wide: authorise(question, [facts]).authorized,
    source: 'adagents_json',
    unauthorized_properties: shown,
    visit,
    ...(isCut && { truncated: true }),
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
