import type { FastifyInstance } from 'fastify';
import { defined } from '../../../base/json.ts';
import type { KnownPublisher } from '../../../records/agents/publishers.ts';
import { namedDomain, needed, queryText, readParameters, refuseParameters } from '../../parameters.ts';
import { HttpProblem } from '../../problem.ts';
import { describedBy, problemAnswer } from '../description.ts';
import {
  aboutDomains,
  cutTo,
  MAX_DOMAINS_BODY,
  type Resolved,
  readDomainList,
  resolveEach,
} from './domain-list.ts';
import {
  type GraphParts,
  MAX_BYTES,
  publicReading,
  sendBody,
  textParameter,
  timeText,
  visitOf,
} from './reading.ts';

/** Of one question, for all its domains together. */
const MAX_PROPERTIES = 10_000;
const MAX_ENTRIES = 5_000;

const READING = publicReading({
  operationId: 'resolveProperties',
  summary: 'Resolve a domain to its properties and agents',
  description: 'The content of its adagents.json, or of the file that covers it.',
  parameters: [textParameter('domain', 'The domain of a publisher.', 'larkhaven-courier.example')],
  answers: 'The publisher.',
  schema: 'ResolvedProperty',
});
const ONE = {
  ...READING,
  responses: { ...READING.responses, 404: problemAnswer('The domain has no valid adagents.json.') },
};
const BULK = aboutDomains(
  'resolvePropertiesInBulk',
  'Resolve up to 100 domains to their properties and agents',
  'The same as for one domain. Lists that do not fit into the answer are marked as truncated; request that domain alone.',
  'ResolvedProperties',
);

/** GET /api/properties/resolve and POST /api/properties/resolve/bulk. */
export function resolvePropertiesOperations(server: FastifyInstance, parts: GraphParts): void {
  server.get('/api/properties/resolve', describedBy(ONE), async (request, reply) => {
    const parameters = readParameters(queryText(request), ['domain'], 'the resolution');
    const domain = namedDomain(needed(parameters, 'domain'));
    const resolved = await propertiesOf(parts, domain, 1);
    if (resolved === undefined)
      throw new HttpProblem('not_found', 'the domain has no valid adagents.json', {
        parameter: 'domain',
        visit: await visitOf(parts, 'adagents', domain),
      });
    return sendBody(request, reply, cutTo(resolved, MAX_BYTES));
  });
  const options = { ...describedBy(BULK), bodyLimit: MAX_DOMAINS_BODY };
  server.post('/api/properties/resolve/bulk', options, async (request, reply) => {
    refuseParameters(queryText(request), 'the resolution');
    const list = readDomainList(request.body);
    const body = await resolveEach(list, (domain) => propertiesOf(parts, domain, list.domains.size));
    return reply.header('cache-control', 'no-store').send(body);
  });
}

/** Undefined when no file of the domain counts; what is read of it is its part of one question about so many. */
async function propertiesOf(parts: GraphParts, domain: string, among: number): Promise<Resolved | undefined> {
  const { graph } = parts.records;
  const [known] = await graph.publishersAmong([domain]);
  if (!known?.isValid) return undefined;
  const room = { count: Math.ceil(MAX_PROPERTIES / among), bytes: MAX_BYTES };
  const listed = await graph.properties(domain, room);
  const { edges, isCut } = await graph.agentsOf(domain, Math.ceil(MAX_ENTRIES / among));
  return {
    publisher_domain: domain,
    source: 'adagents_json',
    verified: true,
    ...lastValidated(known),
    visit: await visitOf(parts, 'adagents', domain),
    authorized_agents: edges
      .filter(({ sells }) => sells)
      .map(({ agent, authorizedFor }) => ({ url: agent, ...defined({ authorized_for: authorizedFor }) })),
    ...(isCut && { authorized_agents_truncated: true }),
    properties: listed.properties
      .filter(({ entry }) => entry === undefined)
      .map(({ propertyId, propertyType, name, identifiers, tags }) => ({
        ...defined({ id: propertyId, name }),
        ...{ type: propertyType, identifiers, tags },
      })),
    ...(listed.isCut && { properties_truncated: true }),
  };
}

function lastValidated({ lastSuccessAt }: KnownPublisher) {
  return lastSuccessAt === undefined ? {} : { last_validated: timeText(lastSuccessAt) };
}
