import type { FastifyInstance, FastifyRequest } from 'fastify';
import { stitchAgent } from '../../domain/stitch.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { agentOf, needed, queryText, readParameters } from '../parameters.ts';
import { HttpProblem, unknownAgent } from '../problem.ts';
import { freshnessOf } from '../render/agent-list.ts';
import type { SchemaName } from '../schema-names.ts';
import { describedBy, ENCODED_URL, problemAnswer } from './description.ts';
import { publicReading, sendBody } from './graph/reading.ts';

const URL_PARAMETER = {
  ...ENCODED_URL,
  ...{ name: 'url', in: 'query', description: "The agent's URL." },
};

interface Texts {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
}

function operation(texts: Texts, schema: SchemaName) {
  const answers = 'The result of the last successful visit.';
  const reading = publicReading({ ...texts, parameters: [URL_PARAMETER], answers, schema });
  const unread = problemAnswer('The agent is unknown, or no visit has read it yet.');
  return describedBy({ ...reading, responses: { ...reading.responses, 404: unread } });
}

const DISCOVER = operation(
  {
    operationId: 'discoverAgent',
    summary: 'Get the capabilities of an agent',
    description:
      'Name, type and tools from the last successful visit. The agent is not called; `freshness` has the age of the data.',
  },
  'DiscoveredAgent',
);
const FORMATS = operation(
  {
    operationId: 'getAgentFormats',
    summary: 'Get the creative formats of an agent',
    description:
      'Format ids from the last successful visit. The agent is not called. `format_count` is exact if the list is truncated.',
  },
  'AgentFormats',
);

interface DiscoveryParts {
  readonly records: Pick<Records, 'agents'>;
  readonly clock: Clock;
}

/** GET /api/public/discover-agent and /api/public/agent-formats: what the last probe kept, in the field's own shape. */
export function discoveredAgentOperations(server: FastifyInstance, parts: DiscoveryParts): void {
  server.get('/api/public/discover-agent', DISCOVER, async (request, reply) => {
    const { base, capabilities, ...seen } = await read(parts, request);
    const body = {
      agent_url: base.url,
      name: base.name,
      description: base.description,
      protocols: base.protocol === null ? [] : [base.protocol],
      type: base.type,
      tools_count: capabilities.tools_count,
      tools: capabilities.tools,
      stats: { format_count: seen.formatCount, publisher_count: seen.publisherCount },
      freshness: seen.freshness,
    };
    return sendBody(request, reply, body);
  });
  server.get('/api/public/agent-formats', FORMATS, async (request, reply) => {
    const { base, capabilities, formatCount, ...seen } = await read(parts, request);
    const ids = capabilities.creative_capabilities?.formats_supported ?? [];
    const body = {
      success: true,
      agent_url: base.url,
      formats: ids.map((id) => ({ format_id: { id } })),
      format_count: formatCount,
      ...(ids.length < formatCount && { formats_truncated: true }),
      freshness: seen.freshness,
    };
    return sendBody(request, reply, body);
  });
}

/** Throws HttpProblems. */
async function read({ records, clock }: DiscoveryParts, request: FastifyRequest) {
  const agent = agentOf(needed(readParameters(queryText(request), ['url'], 'the discovery'), 'url'), 'url');
  const [[facts], live] = await Promise.all([records.agents.facts([agent]), records.agents.live([agent])]);
  if (facts === undefined) throw unknownAgent('url');
  // of one that has left the list, too
  const { base, properties, capabilities } = stitchAgent(facts, Number.NEGATIVE_INFINITY).document ?? {};
  if (base === undefined || capabilities === undefined)
    throw new HttpProblem(
      'not_found',
      'no visit has read this agent yet; request one with POST /api/registry/agents/{encodedUrl}/refresh',
      { parameter: 'url' },
    );
  return {
    base,
    capabilities,
    formatCount: properties?.stats.creative_formats ?? 0,
    publisherCount: properties?.stats.publisher_count ?? 0,
    freshness: freshnessOf(live.get(agent), clock.now()),
  };
}
