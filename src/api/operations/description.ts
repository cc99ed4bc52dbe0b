import type { JsonObject } from '../../base/json.ts';
import type { ApiScope } from '../../domain/api-scope.ts';
import type { Operation } from '../operation.ts';
import type { SchemaName } from '../schema-names.ts';

/** Route options that add an operation to the OpenAPI document, under the path of the route. */
export function describedBy(operation: Operation) {
  return { config: { openapi: operation } } as const;
}

/**
 * Route options for owners: an API key needs the scope, which `identifyCallers` checks and the document declares. A caller
 * without a key is not refused here.
 */
export function scopedBy(scope: ApiScope, operation: Operation) {
  const { security = [{ apiKey: [] }], responses } = operation;
  const openapi = {
    ...operation,
    security: (security as readonly JsonObject[]).map((one) => ('apiKey' in one ? { apiKey: [scope] } : one)),
    responses: {
      403: problemAnswer(
        `The API key does not have the scope ${scope}. The answer is the same for every agent.`,
      ),
      ...responses,
    },
  };
  return { config: { openapi, scope } } as const;
}

/** Route options for a route with several paths in the document, or none, for another spelling of a path. */
export function describedByPaths(paths: Readonly<Record<string, Operation>>) {
  return { config: { openapi: { paths } } } as const;
}

export const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of an earlier answer. Returns 304 if nothing has changed.',
  schema: { type: 'string' },
};

export const ETAG = header('A strong validator of the body.');
export const CACHE_CONTROL = header('The answer may be cached, and must be revalidated with If-None-Match.');
/** Headers of an answer that depends on the caller. */
export const VIEWER_HEADERS = {
  'Cache-Control': CACHE_CONTROL,
  Vary: header('Authorization, for every viewer.'),
};
export const NOT_MODIFIED = { description: 'Not modified since the given ETag.' };

const PROBLEM_TEXT: Readonly<Record<number, string>> = {
  400: 'A parameter is invalid.',
  401: 'The API key is malformed, unknown, revoked or expired.',
  404: 'The registry does not know the agent.',
  410: 'The cursor belongs to other records. Start again without one.',
  429: 'Too many requests. Retry after the time in Retry-After.',
  500: 'Internal error. Report request_id to the operator.',
  503: 'The store or the index is temporarily unavailable.',
};

/** The answers of these statuses, each an RFC 9457 problem. */
export function problems(...statuses: readonly number[]): JsonObject {
  return Object.fromEntries(statuses.map((status) => [status, problemAnswer(PROBLEM_TEXT[status] ?? '')]));
}

/** The refusals of an operation that requires the key of a member. */
export const MEMBER_REFUSALS = {
  ...problems(400, 429, 500, 503),
  401: problemAnswer('The API key is missing, malformed, unknown, revoked or expired.'),
};

/** An answer that is an RFC 9457 problem. */
export function problemAnswer(description: string): JsonObject {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, content: { 'application/problem+json': { schema } } };
}

/** A link to another operation, whose parameters are runtime expressions over this answer (OpenAPI, 4.8.20). */
export function linkTo(operationId: string, parameters: Readonly<Record<string, string>>): JsonObject {
  return { links: { [operationId]: { operationId, parameters } } };
}

/** A header whose value is text. */
export function header(description: string): JsonObject {
  return { description, schema: { type: 'string' } };
}

export const ENCODED_URL = {
  name: 'encodedUrl',
  in: 'path',
  required: true,
  description: "The agent's URL, percent-encoded as one segment.",
  schema: { type: 'string', maxLength: 2000 },
  example: 'https://sales-1.agents.example/mcp',
};

/** A JSON answer of this schema. */
export function answer(description: string, name: SchemaName, headers: JsonObject): JsonObject {
  const schema = { $ref: `#/components/schemas/${name}` };
  return { description, headers, content: { 'application/json': { schema } } };
}

/** A required JSON body. */
export function jsonBody(name: SchemaName): JsonObject {
  const schema = { $ref: `#/components/schemas/${name}` };
  return { required: true, content: { 'application/json': { schema } } };
}

/** The size of a page of `what`. */
export function limitParameter(what: string): JsonObject {
  return {
    name: 'limit',
    in: 'query',
    description: `Maximum number of ${what}.`,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  };
}

export const CURSOR = {
  name: 'cursor',
  in: 'query',
  description: 'The next_cursor of the previous page.',
  schema: { type: 'string', minLength: 1, maxLength: 100 },
};

interface AgentReading {
  readonly parameters?: readonly JsonObject[];
  readonly answers: string;
  readonly schema: SchemaName;
  readonly links?: JsonObject;
}

/** An operation that reads one agent, and shows more to its owner. */
export function agentReading(
  operationId: string,
  summary: string,
  { parameters = [], answers, schema, links = {} }: AgentReading,
): Operation {
  return {
    operationId,
    summary,
    parameters: [ENCODED_URL, ...parameters, IF_NONE_MATCH],
    responses: {
      200: {
        ...answer(answers, schema, { ETag: ETAG, ...VIEWER_HEADERS }),
        ...links,
      },
      304: NOT_MODIFIED,
      ...problems(400, 401, 404, 429, 500, 503),
    },
  };
}

const ANY_REFUSALS = {
  ...problems(400, 429, 500, 503),
  431: problemAnswer('The URL and the headers are longer than 32 KiB.'),
};
const REFUSALS_WITH_BODY = {
  ...ANY_REFUSALS,
  408: problemAnswer('The body was not received in time.'),
  413: problemAnswer('The body is too large for this operation.'),
  415: problemAnswer('The body is not JSON.'),
};

/** Refusals of the server itself, for every route: invalid requests and bodies. */
export function anyRefusals(method: string): JsonObject {
  return method === 'GET' ? ANY_REFUSALS : REFUSALS_WITH_BODY;
}

/** An operation for the key of an agent's proven owner; every other caller gets the same 404. */
export function ownerOperation(
  operationId: string,
  summary: string,
  schema: SchemaName,
  more: object = {},
): Operation {
  return {
    ...{ operationId, summary, security: [{ apiKey: [] }], parameters: [ENCODED_URL] },
    responses: {
      200: answer('The current state.', schema, {}),
      ...problems(400, 401, 429, 500, 503),
      404: problemAnswer(
        'The caller is not the proven owner of the agent. The answer is the same for every agent.',
      ),
    },
    ...more,
  };
}
