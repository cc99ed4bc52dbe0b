import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { JsonObject } from '../../base/json.ts';
import { AREAS } from '../../protocol/tasks.ts';
import { sendPublic } from '../answers.ts';
import type { Operation } from '../operation.ts';
import { HttpProblem } from '../problem.ts';
import {
  describedByPaths,
  ETAG,
  header,
  IF_NONE_MATCH,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './description.ts';
import { openProtocolSchemas, type ProtocolSchemas, rootOf, type TaggedBody } from './schema-bundles.ts';

interface SchemaRequest {
  readonly Params: { readonly version: string; readonly '*'?: string };
}

const ANY_OBJECT = { type: 'object' };
const SOME_MINUTES = 'A few minutes.';

const VERSION = {
  name: 'version',
  in: 'path',
  required: true,
  description:
    'A version such as `3.0.0` or `3.1.0-beta.2`, exactly as installed, or an alias: `latest`, `3`, `3.0`, and `3.1-beta` for the newest pre-release of that name. The 404 for another version lists those that are available.',
  schema: { type: 'string' },
  example: '3.0.0',
};

const AREA = {
  name: 'area',
  in: 'path',
  required: true,
  description: 'Area of the protocol; `core` contains the schemas shared by all tasks.',
  schema: { type: 'string', enum: [...AREAS, 'core'] },
  example: 'media-buy',
};

const FILE = {
  name: 'file',
  in: 'path',
  required: true,
  description:
    'Name of the task followed by `-request.json` or `-response.json`. Hyphens and underscores are equivalent.',
  schema: { type: 'string' },
  example: 'get_products-request.json',
};

const INDEX = {
  '/schemas': reading(
    'listSchemaVersions',
    'List the versions of the protocol',
    [],
    ANY_OBJECT,
    SOME_MINUTES,
  ),
};
const FILES = {
  '/schemas/{version}': reading(
    'listSchemas',
    'List the tasks of a version with their schemas',
    [VERSION],
    ANY_OBJECT,
    SOME_MINUTES,
  ),
  '/schemas/{version}/{area}/{file}': reading(
    'getSchema',
    'Get a schema of the protocol',
    [VERSION, AREA, FILE],
    { type: 'object', description: 'A JSON Schema 2020-12.' },
    'One year and immutable for a version, a few minutes for an alias.',
  ),
};
const ANOTHER_SPELLING = describedByPaths({});

// A bundle is never changed once it has a version of its own; what an alias stands for may be new tomorrow.
const FOR_EVER = 'public, max-age=31536000, immutable';
const FOR_MINUTES = 'public, max-age=300';

/**
 * GET /schemas/, /schemas/<version>/ and /schemas/<version>/<area>/<task>-request.json (specification, 4.3 and 9): the
 * files of schemas/protocol, byte for byte. A path is looked up among the files that there are, so
 * that none leads anywhere else.
 */
export function schemaOperations(server: FastifyInstance): void {
  const schemas = openProtocolSchemas();
  const sendIndex = async (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply, schemas.index, FOR_MINUTES);
  const sendFile = async (request: FastifyRequest<SchemaRequest>, reply: FastifyReply) => {
    const { version, '*': path = '' } = request.params;
    if (path === '' || path === 'index.json') {
      return send(request, reply, schemas.indexOf(resolved(schemas, version)), FOR_MINUTES);
    }
    const found = schemas.find(version, path);
    if (found === undefined) throw noSuchSchema(resolved(schemas, version));
    reply.header('content-location', found.path);
    return send(request, reply, found, found.exact ? FOR_EVER : FOR_MINUTES);
  };
  server.get('/schemas', describedByPaths(INDEX), sendIndex);
  server.get('/schemas/', ANOTHER_SPELLING, sendIndex);
  server.get<SchemaRequest>('/schemas/:version', ANOTHER_SPELLING, sendFile);
  server.get<SchemaRequest>('/schemas/:version/*', describedByPaths(FILES), sendFile);
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  body: TaggedBody,
  caching: string,
): Promise<FastifyReply> {
  reply.header('cache-control', caching);
  return sendPublic(request, reply, body);
}

/** The version of a label; an unknown one is a 404 that names those there are. */
function resolved(schemas: ProtocolSchemas, label: string): string {
  const version = schemas.resolve(label);
  if (version !== undefined) return version;
  const available = schemas.versions.join(', ');
  const detail = `no schemas for this version; available: ${available} (/schemas/ lists them with their aliases)`;
  throw new HttpProblem('not_found', detail, { parameter: 'version', validValues: schemas.labels });
}

function noSuchSchema(version: string): HttpProblem {
  return new HttpProblem('not_found', `unknown schema; ${rootOf(version)} lists the available schemas`);
}

function reading(
  operationId: string,
  summary: string,
  path: readonly JsonObject[],
  schema: JsonObject,
  caching: string,
): Operation {
  const ok = {
    description: summary,
    headers: { ETag: ETAG, 'Cache-Control': header(caching) },
    content: { 'application/json': { schema } },
  };
  const missing = path.length === 0 ? {} : { 404: problemAnswer('Unknown version or schema.') };
  const responses = { 200: ok, 304: NOT_MODIFIED, ...missing, ...problems(429) };
  return { operationId, summary, security: [{}], parameters: [...path, IF_NONE_MATCH], responses };
}
