import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendTagged } from '../conditional.ts';
import { HttpProblem } from '../problem.ts';
import { openProtocolSchemas, type ProtocolSchemas, rootOf, type TaggedBody } from '../protocol-schemas.ts';

interface Asked {
  readonly Params: { readonly version: string; readonly '*'?: string };
}

// A bundle is never changed once it has a version of its own; what an alias stands for may be new tomorrow.
const FOR_EVER = 'public, max-age=31536000, immutable';
const FOR_MINUTES = 'public, max-age=300';

/**
 * GET /schemas/, /schemas/<version>/ and /schemas/<version>/<area>/<task>-request.json (specification, 4.3 and 9): the
 * files of schemas/protocol, byte for byte. What is asked for is looked up among the files that there are, so that no
 * path leads anywhere else.
 */
export function schemaRoutes(server: FastifyInstance): void {
  const schemas = openProtocolSchemas();
  const sendIndex = async (request: FastifyRequest, reply: FastifyReply) =>
    send(request, reply, schemas.index, FOR_MINUTES);
  const sendFile = async (request: FastifyRequest<Asked>, reply: FastifyReply) => {
    const { version, '*': path = '' } = request.params;
    if (path === '' || path === 'index.json') {
      return send(request, reply, schemas.indexOf(resolved(schemas, version)), FOR_MINUTES);
    }
    const found = schemas.find(version, path);
    if (found === undefined) throw noSuchSchema(resolved(schemas, version));
    reply.header('content-location', found.path);
    return send(request, reply, found, found.exact ? FOR_EVER : FOR_MINUTES);
  };
  server.get('/schemas', sendIndex);
  server.get('/schemas/', sendIndex);
  server.get<Asked>('/schemas/:version', sendFile);
  server.get<Asked>('/schemas/:version/*', sendFile);
}

function send(request: FastifyRequest, reply: FastifyReply, body: TaggedBody, caching: string): FastifyReply {
  reply.header('cache-control', caching);
  return sendTagged(request, reply, body);
}

/** The version of a label; an unknown one is a 404 that names those there are. */
function resolved(schemas: ProtocolSchemas, label: string): string {
  const version = schemas.resolve(label);
  if (version !== undefined) return version;
  const detail = 'there are no schemas of this version; /schemas/ lists those there are';
  throw new HttpProblem('not_found', detail, { parameter: 'version', validValues: schemas.labels });
}

function noSuchSchema(version: string): HttpProblem {
  return new HttpProblem('not_found', `there is no such schema; ${rootOf(version)} lists those there are`);
}
