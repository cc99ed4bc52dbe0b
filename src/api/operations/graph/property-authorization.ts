import type { FastifyInstance } from 'fastify';
import { maySell } from '../../../discovery/may-sell.ts';
import type { Question } from '../../../domain/authorisation-question.ts';
import { SITE_TYPES } from '../../../domain/declaration.ts';
import { withDomainsNear } from '../../domains-near.ts';
import { agentOf, namedCountry, namedDomain, needed, queryText, readParameters } from '../../parameters.ts';
import { authorisationAnswer, publisherOf } from '../../render/authorisation-answer.ts';
import { describedBy } from '../description.ts';
import {
  type GraphParts,
  identifierOf,
  momentOf,
  publicReading,
  sendBody,
  textParameter,
  timeText,
  visitOf,
  visitOfSite,
} from './reading.ts';

const OPTIONAL = { required: false } as const;

const PARAMETERS = [
  textParameter('agent_url', 'The agent.', 'https://sales-1.agents.example/mcp'),
  textParameter('identifier_type', 'The type of an identifier.', 'domain'),
  textParameter('identifier_value', 'Its value.', 'larkhaven-courier.example'),
  textParameter(
    'publisher_domain',
    'The publisher of the property; several publishers can list an app.',
    'larkhaven-courier.example',
    OPTIONAL,
  ),
  textParameter('country', 'Country code (ISO 3166-1 alpha-2).', 'DE', OPTIONAL),
  textParameter(
    'at',
    'As of this time (RFC 3339), for example 2026-11-22T12:00:00Z; a date means its midnight UTC. Default: now.',
    undefined,
    OPTIONAL,
  ),
];
const NAMES = PARAMETERS.map(({ name }) => String(name));

const OPERATION = publicReading({
  operationId: 'validatePropertyAuthorization',
  summary: 'Check whether an agent may sell a property',
  description:
    'Reads the publishers’ files strictly and returns the deciding rule, as `agent-registry authorized` does.',
  parameters: PARAMETERS,
  answers: 'The decision and its reasons.',
  schema: 'PropertyAuthorization',
});

/** GET /api/registry/validate/property-authorization. */
export function propertyAuthorizationOperation(server: FastifyInstance, parts: GraphParts): void {
  const { records, clock } = parts;
  server.get(
    '/api/registry/validate/property-authorization',
    describedBy(OPERATION),
    async (request, reply) => {
      const now = clock.now();
      const question = readQuestion(queryText(request), now);
      const found = await maySell(records.authorisations, question, now);
      const { property: asked, ...told } = authorisationAnswer(
        question,
        await withDomainsNear(records, found, question),
      );
      const { type, value } = asked as { type: string; value: string };
      const publisher = publisherOf(told);
      const standing =
        publisher !== undefined
          ? { publisher_domain: publisher, visit: await visitOf(parts, 'adagents', publisher) }
          : SITE_TYPES.has(type) && { visit: (await visitOfSite(parts, value))?.visit };
      return sendBody(request, reply, {
        ...told,
        ...standing,
        identifier_type: type,
        identifier_value: value,
        checked_at: timeText(now),
      });
    },
  );
}

function readQuestion(text: string, now: number): Question {
  const parameters = readParameters(text, NAMES, 'the question');
  const type = needed(parameters, 'identifier_type');
  const publisher = parameters.get('publisher_domain');
  const country = parameters.get('country');
  const at = parameters.get('at');
  return {
    agent: agentOf(needed(parameters, 'agent_url'), 'agent_url'),
    property: { type, value: identifierOf(type, needed(parameters, 'identifier_value'), 'identifier_value') },
    ...(publisher !== undefined && { publisher: namedDomain(publisher, 'publisher_domain') }),
    ...(country !== undefined && { country: namedCountry(country) }),
    at: at === undefined ? now : momentOf(at, 'at'),
  };
}
