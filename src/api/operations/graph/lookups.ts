import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withinBytes } from '../../../base/json.ts';
import type { AgentEdge } from '../../../ports/graph.ts';
import { agentOf, namedDomain, queryText, refuseParameters } from '../../parameters.ts';
import { describedBy } from '../description.ts';
import { type GraphParts, MAX_BYTES, publicReading, sendBody, textParameter } from './reading.ts';

/** Entries of a publisher that are read for one answer. */
const MAX_ENTRIES = 5_000;
/** More than an answer has room for. */
const MAX_DOMAINS = 10_000;

const DOMAIN_LOOKUP = publicReading({
  operationId: 'lookupDomain',
  summary: 'Look up the agents that a publisher authorises',
  description: 'A domain that nobody ever named has empty lists. Claims of agents are not kept by domain.',
  parameters: [textParameter('domain', 'A domain name.', 'noticeboard.example', { in: 'path' })],
  answers: 'Its agents.',
  schema: 'DomainLookup',
});

const AGENT_DOMAINS = publicReading({
  operationId: 'getAgentDomains',
  summary: 'Look up the publishers of an agent',
  description: 'Up to 250 KiB; `GET /v1/agents/{encodedUrl}/publishers` has all of them, in pages.',
  parameters: [
    textParameter(
      'agentUrl',
      'The agent, percent-encoded as one segment.',
      'https://sales-1.agents.example/mcp',
      {
        in: 'path',
      },
    ),
  ],
  answers: 'Its publishers.',
  schema: 'AgentDomains',
});

/** GET /api/registry/lookup/domain/{domain} and …/agent/{agentUrl}/domains. */
export function lookupOperations(server: FastifyInstance, { records: { graph } }: GraphParts): void {
  server.get(
    '/api/registry/lookup/domain/:domain',
    describedBy(DOMAIN_LOOKUP),
    async (request: FastifyRequest<{ Params: { domain: string } }>, reply) => {
      refuseParameters(queryText(request), 'a look-up');
      const domain = namedDomain(request.params.domain);
      const { edges, isCut } = await graph.agentsOf(domain, MAX_ENTRIES);
      const agents = edges.filter(({ sells }) => sells).map(authorisedAgent);
      const shown = withinBytes(agents, MAX_BYTES);
      return sendBody(request, reply, {
        domain,
        authorized_agents: shown,
        sales_agents_claiming: [],
        ...((isCut || shown.length < agents.length) && { authorized_agents_truncated: true }),
      });
    },
  );
  server.get(
    '/api/registry/lookup/agent/:agentUrl/domains',
    describedBy(AGENT_DOMAINS),
    async (request: FastifyRequest<{ Params: { agentUrl: string } }>, reply) => {
      refuseParameters(queryText(request), 'a look-up');
      const agent = agentOf(request.params.agentUrl, 'agentUrl');
      const { edges, last } = await graph.publishersOf(agent, { limit: MAX_DOMAINS, isLive: true });
      const domains = edges.filter(({ sells }) => sells).map(({ publisher }) => publisher);
      // each stands there twice, for either client
      const shown = withinBytes(domains, (MAX_BYTES - domains.length * 13) / 2);
      return sendBody(request, reply, {
        agent_url: agent,
        domains: shown,
        properties: shown.map((domain) => ({ domain })),
        count: shown.length,
        ...((last !== undefined || shown.length < domains.length) && { domains_truncated: true }),
      });
    },
  );
}

/** An agent as look-ups show it. */
function authorisedAgent({ agent, authorizedFor, member }: AgentEdge) {
  return {
    url: agent,
    ...(authorizedFor !== undefined && { authorized_for: authorizedFor }),
    ...(member && { member }),
  };
}
