import type { FastifyInstance } from 'fastify';
import { withinBytes } from '../../base/json-bytes.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import type { AgentContact } from '../../records/agents/health.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { requireOwner } from '../owner-only.ts';
import { type AgentRequest, limitOf } from '../parameters.ts';
import { ENCODED_URL, limitParameter, ownerOperation, scopedBy } from './description.ts';
import { MAX_BYTES, momentOf, timeText } from './graph/reading.ts';

const OPERATION = ownerOperation(
  'getAgentMonitoringRequests',
  'List the requests of this registry to an agent that you own',
  'MonitoringRequests',
  {
    description:
      'Probes of the last 90 days and test runs, newest first. A probe includes its steps if its result differs from the previous probe. Get a run with `…/compliance/runs/{id}`.',
    parameters: [
      ENCODED_URL,
      limitParameter('requests'),
      {
        name: 'since',
        in: 'query',
        description: 'Only requests from this time on, RFC 3339. A date means midnight UTC.',
        schema: { type: 'string', minLength: 1, maxLength: 64 },
        example: '2026-01-01T00:00:00Z',
      },
    ],
  },
);

interface MonitoringParts {
  readonly records: Pick<Records, 'owners' | 'agents'>;
  readonly clock: Clock;
}

/** GET …/monitoring/requests, for the key of the agent's verified owner; everyone else gets the same 404. */
export function monitoringRequestsOperation(
  server: FastifyInstance,
  { records: { owners, agents }, clock }: MonitoringParts,
): void {
  const path = '/api/registry/agents/:encodedUrl/monitoring/requests';
  server.get(path, scopedBy('read', OPERATION), async (request: AgentRequest, reply) => {
    const names = ['limit', 'since'];
    const { agent, parameters } = await requireOwner(owners, request, reply, 'the requests', names);
    const limit = limitOf(parameters.get('limit'), 20, 100);
    const since = momentOf(parameters.get('since') ?? '1970-01-01', 'since');
    const { contacts, total } = await agents.contacts(agent, { since, now: clock.now(), limit });
    const requests = withinBytes(
      contacts.map((contact) => outboundRequest(agent, contact)),
      MAX_BYTES,
    );
    const body = Buffer.from(JSON.stringify({ agent_url: agent, requests, count: requests.length, total }));
    return sendTagged(request, reply, { body, etag: entityTag(body) });
  });
}

function outboundRequest(agent: string, contact: AgentContact) {
  const { kind, id, at } = contact;
  const head = { id: `${kind}-${id}`, agent_url: agent, request_type: REQUEST_TYPES[kind] };
  const tail = { created_at: timeText(at) };
  // the product token of our User-Agent: versions and contacts change, and are not kept
  const user_agent = 'agent-registry';
  if (contact.kind === 'run')
    return {
      ...{
        ...head,
        user_agent,
        response_time_ms: contact.durationMs,
        success: contact.outcome === 'complete',
      },
      ...{ error_message: contact.error ?? null, ...tail, run_id: id },
    };
  const { online, responseTimeMs, error, steps } = contact;
  return {
    ...{ ...head, user_agent, response_time_ms: responseTimeMs ?? null, success: online },
    ...{ error_message: error ?? null, ...tail, run_id: null },
    ...(steps && {
      steps: steps.map(({ step, url, durationMs, ok, detail }) => ({
        ...{ step, url, duration_ms: durationMs, ok, detail: detail ?? null },
      })),
    }),
  };
}

const REQUEST_TYPES = { probe: 'health_probe', run: 'compliance_run' } as const;
