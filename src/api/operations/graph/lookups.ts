import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withinBytes } from '../../../base/json-bytes.ts';
import type { AgentEdge, Graph } from '../../../records/agents/graph.ts';
import { agentOf, namedDomain, queryText, refuseParameters } from '../../parameters.ts';
import { describedBy } from '../description.ts';
import { type GraphParts, MAX_BYTES, publicReading, sendBody, textParameter, visitOf } from './reading.ts';

/** Entries of a publisher that are read for one answer. */
const MAX_ENTRIES = 5_000;
/** Publishers of an agent that are read at once. */
const READ_AT_ONCE = 1_000;
/** Bytes of a domain beside its name, which is in the answer twice: `"",` and `{"domain":""},`. */
const FRAME_BYTES = 17;

const DOMAIN_LOOKUP = publicReading({
  operationId: 'lookupDomain',
  summary: 'Look up the agents that a publisher authorises',
  description: 'An unknown domain has empty lists. Claims of agents are not indexed by domain.',
  parameters: [textParameter('domain', 'A domain name.', 'larkhaven-courier.example', { in: 'path' })],
  answers: 'Its agents.',
  schema: 'DomainLookup',
});

const AGENT_DOMAINS = publicReading({
  operationId: 'getAgentDomains',
  summary: 'Look up the publishers of an agent',
  description: 'Up to 250 KiB. `GET /v1/agents/{encodedUrl}/publishers` lists all of them in pages.',
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
export function lookupOperations(server: FastifyInstance, parts: GraphParts): void {
  const { graph } = parts.records;
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
        visit: await visitOf(parts, 'adagents', domain),
      });
    },
  );
  server.get(
    '/api/registry/lookup/agent/:agentUrl/domains',
    describedBy(AGENT_DOMAINS),
    async (request: FastifyRequest<{ Params: { agentUrl: string } }>, reply) => {
      refuseParameters(queryText(request), 'a look-up');
      const agent = agentOf(request.params.agentUrl, 'agentUrl');
      const { domains, isCut } = await domainsWithin(graph, agent, MAX_BYTES);
      return sendBody(request, reply, {
        agent_url: agent,
        domains,
        properties: domains.map((domain) => ({ domain })),
        count: domains.length,
        ...(isCut && { domains_truncated: true }),
        visit: await visitOf(parts, 'agent', agent),
      });
    },
  );
}

/** The first domains of an agent's publishers that fit into the answer. */
async function domainsWithin(graph: Graph, agent: string, most: number) {
  const domains: string[] = [];
  let bytes = 0;
  for (;;) {
    const next = await graph.domainsOf(agent, domains.at(-1) ?? '', READ_AT_ONCE);
    for (const domain of next) {
      bytes += 2 * domain.length + FRAME_BYTES;
      if (bytes > most) return { domains, isCut: true };
      domains.push(domain);
    }
    if (next.length < READ_AT_ONCE) return { domains, isCut: false };
  }
}

/** An agent as look-ups show it. */
function authorisedAgent({ agent, authorizedFor, member }: AgentEdge) {
  return {
    url: agent,
    ...(authorizedFor !== undefined && { authorized_for: authorizedFor }),
    ...(member && { member }),
  };
}
