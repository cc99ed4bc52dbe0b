import { BADGE_ROLES } from '../domain/badge.ts';
import {
  answer,
  CACHE_CONTROL,
  ENCODED_URL,
  ETAG,
  header,
  IF_NONE_MATCH,
  type Json,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './openapi-parts.ts';
import type { SchemaName } from './schemas.ts';

const LIMIT = {
  name: 'limit',
  in: 'query',
  description: 'At most so many runs.',
  schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
};
const CURSOR = {
  name: 'cursor',
  in: 'query',
  description: 'The next_cursor of the page before.',
  schema: { type: 'string', minLength: 1, maxLength: 100 },
};
const ROLE = { name: 'role', in: 'path', required: true, schema: { type: 'string', enum: BADGE_ROLES } };
const RUN_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

/** The operations about one agent's tests; the answers have the same keys and headers for every viewer. */
export function compliancePaths(): Json {
  const base = '/api/registry/agents/{encodedUrl}/compliance';
  return {
    [base]: operation(
      'getAgentCompliance',
      'Get the compliance of one agent',
      [],
      'The compliance detail.',
      'ComplianceDetail',
    ),
    [`${base}/history`]: operation(
      'listComplianceRuns',
      'List the compliance runs of one agent',
      [LIMIT, CURSOR],
      'A page of the history, newest first.',
      'ComplianceHistory',
    ),
    [`${base}/runs/{id}`]: operation(
      'getComplianceRun',
      'Get one compliance run',
      [RUN_ID],
      "The run; its steps and evidence for the key of the agent's proven owner only.",
      'ComplianceRun',
    ),
    '/api/registry/agents/{encodedUrl}/badge/{role}.svg': badge(),
  };
}

function badge(): Json {
  const content = { 'image/svg+xml': { schema: { type: 'string' } } };
  const headers = { ETag: ETAG, 'Cache-Control': header('It may be kept and shared for five minutes.') };
  return {
    get: {
      operationId: 'getAgentBadge',
      summary: 'Get the badge of one agent for a role, as a picture',
      parameters: [ENCODED_URL, ROLE, IF_NONE_MATCH],
      responses: {
        200: {
          description:
            'What is verified; or "not verified", the same for an agent without the badge, one that opted out and an unknown one.',
          headers,
          content,
        },
        304: NOT_MODIFIED,
        ...problems(400, 401, 429, 500, 503),
        404: problemAnswer('There are no badges for such a role.'),
      },
    },
  };
}

function operation(
  operationId: string,
  summary: string,
  parameters: readonly Json[],
  description: string,
  schema: SchemaName,
): Json {
  return {
    get: {
      operationId,
      summary,
      parameters: [ENCODED_URL, ...parameters, IF_NONE_MATCH],
      responses: {
        200: answer(description, schema, {
          ETag: ETAG,
          'Cache-Control': CACHE_CONTROL,
          Vary: header('Authorization, for every viewer.'),
        }),
        304: NOT_MODIFIED,
        ...problems(400, 401, 404, 429, 500, 503),
      },
    },
  };
}
