import type { FastifyInstance } from 'fastify';
import { AGENT_URL_PROBLEMS, parseAgentUrl } from '../../domain/agent-url.ts';
import type { Records } from '../../ports/records.ts';
import { entityTag, sendTagged } from '../conditional.ts';
import { HttpProblem } from '../problem.ts';
import { queryText } from '../query-text.ts';
import { complianceDetail } from '../render/compliance-detail.ts';

export const COMPLIANCE_PATH = '/api/registry/agents/:encodedUrl/compliance';

/** GET /api/registry/agents/{encodedUrl}/compliance (specification, 4.2). */
export function complianceRoute(server: FastifyInstance, records: Pick<Records, 'agents'>): void {
  server.get<{ Params: { encodedUrl: string } }>(COMPLIANCE_PATH, async (request, reply) => {
    // The same for everyone, so that the headers do not tell who owns the agent.
    reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization');
    refuseParameters(queryText(request));
    const agent = agentOf(request.params.encodedUrl);
    const [facts] = await records.agents.facts([agent]);
    if (facts === undefined) {
      throw new HttpProblem('unknown_agent', 'the registry has never heard of this agent', {
        parameter: 'encodedUrl',
      });
    }
    const body = Buffer.from(JSON.stringify(complianceDetail(agent, facts.compliance)));
    return sendTagged(request, reply, { body, etag: entityTag(body) });
  });
}

/** The agent's identity from the path segment, which the router has decoded once. */
function agentOf(address: string): string {
  const parsed = parseAgentUrl(address);
  if (parsed.ok) return parsed.url;
  throw new HttpProblem(
    'bad_agent_url',
    `${AGENT_URL_PROBLEMS[parsed.problem]}, percent-encoded as one segment`,
    {
      parameter: 'encodedUrl',
    },
  );
}

function refuseParameters(text: string): void {
  const [name] = new URLSearchParams(text).keys();
  if (name === undefined) return;
  throw new HttpProblem('unknown_parameter', 'the compliance operation takes no parameters', {
    parameter: name,
    validValues: [],
  });
}
