import type { JsonObject } from '../../base/json.ts';
import type { ApiScope } from '../../domain/api-scope.ts';
import type { Operation } from '../operation.ts';
import type { SchemaName } from '../schema-names.ts';

/** The options of a route that is an operation of the document, under the route's own path. */
export function describedBy(operation: Operation) {
  return { config: { openapi: operation } } as const;
}

/**
 * The options of a route for owners: an API key needs the scope (`identifyCallers` asks for it), and the document says so.
 * A caller without a key is not refused here.
 */
export function scopedBy(scope: ApiScope, operation: Operation) {
  const { security = [{ apiKey: [] }], responses } = operation;
  const openapi = {
    ...operation,
    security: (security as readonly JsonObject[]).map((one) => ('apiKey' in one ? { apiKey: [scope] } : one)),
    responses: {
      403: problemAnswer(`The API key has no scope ${scope}; the same for every agent.`),
      ...responses,
    },
  };
  return { config: { openapi, scope } } as const;
}

/** The options of a route that answers several paths of the document; none of its own for another spelling of a path. */
export function describedByPaths(paths: Readonly<Record<string, Operation>>) {
  return { config: { openapi: { paths } } } as const;
}

export const IF_NONE_MATCH = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The ETag of an earlier answer: 304 when nothing has changed.',
  schema: { type: 'string' },
};

export const ETAG = header('A strong tag of the body.');
export const CACHE_CONTROL = header(
  'The answer may be kept, and must be asked for again with If-None-Match.',
);
/** Of what is another answer for another caller. */
export const VIEWER_HEADERS = {
  'Cache-Control': CACHE_CONTROL,
  Vary: header('Authorization, for every viewer.'),
};
export const NOT_MODIFIED = { description: 'Unchanged since the ETag given.' };

const PROBLEM_TEXT: Readonly<Record<number, string>> = {
  400: 'A parameter is outside its rule.',
  401: 'The API key is malformed, unknown, revoked or expired.',
  404: 'The registry has never heard of the agent.',
  410: 'The cursor is of other records; begin again without one.',
  429: 'Too many requests; Retry-After says when to come back.',
  500: 'A fault on our side; request_id names it to the operator.',
  503: 'The store or the index cannot be read at the moment.',
};

/** The answers of these statuses, each an RFC 9457 problem. */
export function problems(...statuses: readonly number[]): JsonObject {
  return Object.fromEntries(statuses.map((status) => [status, problemAnswer(PROBLEM_TEXT[status] ?? '')]));
}

/** What everybody may get from an operation for the key of a member. */
export const MEMBER_REFUSALS = {
  ...problems(400, 429, 500, 503),
  401: problemAnswer('There is no API key, or it is malformed, unknown, revoked or expired.'),
};

/** An answer that is an RFC 9457 problem. */
export function problemAnswer(description: string): JsonObject {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, content: { 'application/problem+json': { schema } } };
}

/** Where an answer names what another operation is asked with: its parameters by runtime expressions (OpenAPI, 4.8.20). */
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

/** A body of JSON that an operation cannot do without. */
export function jsonBody(name: SchemaName): JsonObject {
  const schema = { $ref: `#/components/schemas/${name}` };
  return { required: true, content: { 'application/json': { schema } } };
}

/** At most so many of `what` on a page. */
export function limitParameter(what: string): JsonObject {
  return {
    name: 'limit',
    in: 'query',
    description: `At most so many ${what}.`,
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  };
}

export const CURSOR = {
  name: 'cursor',
  in: 'query',
  description: 'The next_cursor of the page before.',
  schema: { type: 'string', minLength: 1, maxLength: 100 },
};

interface AgentReading {
  readonly parameters?: readonly JsonObject[];
  readonly answers: string;
  readonly schema: SchemaName;
  readonly links?: JsonObject;
}

/** Reading something of one agent that an owner sees more of. */
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
  431: problemAnswer('The address and the header are longer than 32 KiB.'),
};
const REFUSALS_WITH_BODY = {
  ...ANY_REFUSALS,
  408: problemAnswer('The body did not arrive in time.'),
  413: problemAnswer('The body is larger than this operation accepts.'),
  415: problemAnswer('The body is not JSON.'),
};

/** What the server itself refuses, whatever a route does: bytes that are no request, and a body that it cannot read. */
export function anyRefusals(method: string): JsonObject {
  return method === 'GET' ? ANY_REFUSALS : REFUSALS_WITH_BODY;
}

/** An operation for the key of an agent's proven owner; everybody else gets the one 404. */
export function ownerOperation(
  operationId: string,
  summary: string,
  schema: SchemaName,
  more: object = {},
): Operation {
  return {
    ...{ operationId, summary, security: [{ apiKey: [] }], parameters: [ENCODED_URL] },
    responses: {
      200: answer('As it is now.', schema, {}),
      ...problems(400, 401, 429, 500, 503),
      404: problemAnswer('The caller is not the proven owner of the agent; the same for every agent.'),
    },
    ...more,
  };
}
