import type { FastifyInstance } from 'fastify';
import { entityTag, sendTagged } from '../conditional.ts';
import { type OpenApiInfo, openapiDocument, operationIndex } from '../openapi.ts';

/** GET /openapi.json, and GET / with one line for each operation. Made once: they change with the program only. */
export function documentRoutes(server: FastifyInstance, info: OpenApiInfo): void {
  const document = openapiDocument(info);
  const index = { name: 'agent-registry', version: info.version, operations: operationIndex(document) };
  serveConstant(server, '/openapi.json', document);
  serveConstant(server, '/', index);
}

function serveConstant(server: FastifyInstance, path: string, value: object): void {
  const body = Buffer.from(JSON.stringify(value));
  const answer = { body, etag: entityTag(body) };
  server.get(path, async (request, reply) => {
    reply.header('cache-control', 'public, no-cache');
    return sendTagged(request, reply, answer);
  });
}
