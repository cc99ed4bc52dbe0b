import type { FastifyInstance } from 'fastify';
import { CLIENT_METHODS } from '../client-methods.ts';
import type { OpenApiPaths } from '../openapi.ts';
import { HttpProblem } from '../problem.ts';
import { describedByPaths } from './description.ts';

/**
 * 501 for what the field's clients ask and no route of `paths` answers: they take a 404 for "there is none". No body is read.
 * Registered last.
 */
export function notBuiltOperations(server: FastifyInstance, paths: OpenApiPaths): void {
  for (const [operation, { instead }] of CLIENT_METHODS) {
    const [method = '', path = ''] = operation.split(' ');
    if (paths[path]?.[method.toLowerCase()] !== undefined) continue;
    server.route({
      method,
      url: path.replace(/\{(\w+)\}/g, ':$1'),
      ...describedByPaths({}),
      onRequest: async () => {
        throw new HttpProblem('not_built', `${operation} is not implemented; ${instead}`);
      },
      handler: () => undefined,
    });
  }
}
