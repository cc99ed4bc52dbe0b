import type { FastifyInstance } from 'fastify';
import type { JsonObject } from '../base/json.ts';
import type { Operation } from './operations/description.ts';
import { schemaComponents } from './registry-schemas.ts';

export interface OpenApiInfo {
  readonly version: string;
  /** The public address; absent: relative to where the document was read. */
  readonly baseUrl?: string;
}

/** The operations by path and method, in the order of their registration. */
export type OpenApiPaths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/**
 * The paths of the OpenAPI document, filled by the routes that are registered in `server` from now on. Each of them has to
 * say what it is (`describedBy`): a route without an operation is refused, and there is no other way to add one.
 */
export function collectPaths(server: FastifyInstance): OpenApiPaths {
  const paths: Record<string, Record<string, Operation>> = {};
  server.addHook('onRoute', ({ url, method, config }) => {
    if (method === 'HEAD') return; // fastify adds it beside each GET
    const openapi = config?.openapi;
    if (openapi === undefined) throw new Error(`no OpenAPI operation describes the route ${method} ${url}`);
    const described = isOperation(openapi) ? { [documentPath(url)]: openapi } : openapi.paths;
    for (const [path, operation] of Object.entries(described)) {
      paths[path] = { ...paths[path], [String(method).toLowerCase()]: operation };
    }
  });
  return paths;
}

function isOperation(openapi: object): openapi is Operation {
  return 'responses' in openapi;
}

/** `/agents/:encodedUrl` is `/agents/{encodedUrl}` in the document. */
function documentPath(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}');
}

/** The OpenAPI 3.1 document, assembled from the operations that are registered and the schemas that are served. */
export function openapiDocument(info: OpenApiInfo, paths: OpenApiPaths): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Registry',
      version: info.version,
      description:
        'The agents of an open advertising protocol: which there are, what they can do, and how they fare in compliance tests.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: info.baseUrl ?? '/' }],
    // Most operations work without a key; one that is sent must be valid.
    security: [{}, { apiKey: [] }],
    paths,
    components: {
      schemas: schemaComponents(),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of a member organisation.' },
      },
    },
  };
}

/** One line for each operation, for people who open the bare address. */
export function operationIndex(paths: OpenApiPaths): readonly JsonObject[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ method: method.toUpperCase(), path, summary })),
  );
}
