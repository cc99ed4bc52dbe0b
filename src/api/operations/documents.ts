import type { FastifyInstance } from 'fastify';
import { entityTag, sendTagged, type TaggedAnswer } from '../conditional.ts';
import { type OpenApiInfo, type OpenApiPaths, openapiDocument, operationIndex } from '../openapi.ts';
import { describedBy, service } from './description.ts';

/** GET /openapi.json, and GET / with one line for each operation. Made once: they change with the program only. */
export function documentOperations(server: FastifyInstance, info: OpenApiInfo, paths: OpenApiPaths): void {
  serveConstant(server, '/openapi.json', 'This document', () => openapiDocument(info, paths));
  serveConstant(server, '/', 'The operations', () => ({
    name: 'agent-registry',
    version: info.version,
    operations: operationIndex(paths),
  }));
}

function serveConstant(server: FastifyInstance, path: string, summary: string, make: () => object): void {
  let answer: TaggedAnswer | undefined;
  // all routes are registered when the server is ready
  server.addHook('onReady', async () => {
    const body = Buffer.from(JSON.stringify(make()));
    answer = { body, etag: entityTag(body) };
  });
  server.get(path, describedBy(service(summary, 'application/json')), async (request, reply) => {
    if (answer === undefined) throw new Error('the server is not ready');
    reply.header('cache-control', 'public, no-cache');
    return sendTagged(request, reply, answer);
  });
}
