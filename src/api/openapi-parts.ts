import type { SchemaName } from './schemas.ts';

/** What the operations of the OpenAPI document share. */
export type Json = Readonly<Record<string, unknown>>;

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
export const NOT_MODIFIED = { description: 'Unchanged since the ETag given.' };

const PROBLEM_TEXT: Readonly<Record<number, string>> = {
  400: 'A parameter is outside its rule.',
  401: 'The API key is malformed, unknown or revoked.',
  404: 'The registry has never heard of the agent.',
  429: 'Too many requests; Retry-After says when to come back.',
  500: 'A fault on our side; request_id names it to the operator.',
  503: 'The store or the index cannot be read at the moment.',
};

/** The answers of these statuses, each an RFC 9457 problem. */
export function problems(...statuses: readonly number[]): Json {
  return Object.fromEntries(statuses.map((status) => [status, problemAnswer(PROBLEM_TEXT[status] ?? '')]));
}

/** An answer that is an RFC 9457 problem. */
export function problemAnswer(description: string): Json {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, content: { 'application/problem+json': { schema } } };
}

/** A header whose value is text. */
export function header(description: string): Json {
  return { description, schema: { type: 'string' } };
}

export const ENCODED_URL = {
  name: 'encodedUrl',
  in: 'path',
  required: true,
  description: "The agent's URL, percent-encoded as one segment.",
  schema: { type: 'string', maxLength: 2000 },
  example: 'https://sales.example/mcp',
};

/** A JSON answer of this schema. */
export function answer(description: string, name: SchemaName, headers: Json): Json {
  const schema = { $ref: `#/components/schemas/${name}` };
  return { description, headers, content: { 'application/json': { schema } } };
}
