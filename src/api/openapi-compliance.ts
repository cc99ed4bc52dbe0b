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
      "The run; its steps and evidence for the key of the agent's proven owner only, as one that is not over.",
      'ComplianceRun',
    ),
    [`${base}/runs`]: askForRun(),
  };
}

function askForRun(): Json {
  return {
    post: {
      operationId: 'startComplianceRun',
      summary: 'Ask for a compliance run now',
      description:
        "For the API key of the agent's proven owner, or signed (RFC 9421, tag proto/request-signing/v1, content digest covered) by a key of the agent's own. While one is open, the same run is given.",
      security: [{ apiKey: [] }, {}],
      parameters: [ENCODED_URL],
      requestBody: {
        required: false,
        content: { 'application/json': { schema: { $ref: '#/components/schemas/RunRequest' } } },
      },
      responses: {
        202: answer('The run that was asked for.', 'AskedRun', {
          Location: header('The run, to be looked at until its state is finished.'),
          'Retry-After': header('Seconds until that is worth while.'),
        }),
        ...problems(400, 500, 503),
        401: problemAnswer(
          'The API key is malformed, unknown or revoked, or the signature was refused: signature_error says why.',
        ),
        404: problemAnswer('The caller may not ask for it; the same for every agent.'),
        409: problemAnswer('The owner has opted out of tests.'),
        413: problemAnswer('The body is larger than any request for a run can be.'),
        415: problemAnswer('The body is not JSON.'),
        429: problemAnswer(
          'The agent was tested less than 10 minutes ago, or there were too many requests; Retry-After says when to come back.',
        ),
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
