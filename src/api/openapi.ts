import type { FastifyInstance } from 'fastify';
import { readSchema } from '../base/ajv.ts';
import type { JsonObject } from '../base/json.ts';
import { once } from '../base/once.ts';
import type { Operation } from './operation.ts';
import { anyRefusals } from './operations/description.ts';
import { SCHEMA_NAMES, type SchemaFile } from './schema-names.ts';
import { groupOf, TAGS } from './tags.ts';

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
    const openapi = config?.openapi;
    const [name = ''] = [method].flat(); // of GET and HEAD the first
    if (openapi === undefined) throw new Error(`no OpenAPI operation describes the route ${name} ${url}`);
    const described = isOperation(openapi) ? { [documentPath(url)]: openapi } : openapi.paths;
    for (const [path, operation] of Object.entries(described)) {
      paths[path] = { ...paths[path], [name.toLowerCase()]: completed(operation, name) };
    }
  });
  return paths;
}

/** With its group, and with what the server refuses for every route. */
function completed(operation: Operation, method: string): Operation {
  const tag = groupOf(operation.operationId);
  const responses = { ...anyRefusals(method), ...operation.responses };
  return { ...operation, responses, ...(tag !== undefined && { tags: [tag] }) };
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
        'A registry of the agents of an open advertising protocol: which agents exist, what they can do, who authorises them, and how they perform in compliance tests.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: {
      description: 'Guides and interactive API reference.',
      url: `${info.baseUrl ?? ''}/docs`,
    },
    servers: [{ url: info.baseUrl ?? '/' }],
    // Most operations work without a key; one that is sent must be valid.
    security: [{}, { apiKey: [] }],
    tags: TAGS.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      schemas: schemaComponents(),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API key of a member organisation.' },
      },
    },
  };
}

/** All schemas by their names in the document, with the references between files turned into references between components. */
export const schemaComponents = once((): JsonObject => {
  const files = Object.keys(SCHEMA_NAMES) as SchemaFile[];
  return Object.fromEntries(files.map((file) => [SCHEMA_NAMES[file], asComponent(file)]));
});

function asComponent(file: SchemaFile): JsonObject {
  const { $schema: _dialect, $id: _id, ...schema } = readSchema(`registry/${file}.json`) as JsonObject;
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? componentRef(value) : value,
  );
  return JSON.parse(text);
}

function componentRef(ref: string): string {
  const [file = '', inside = ''] = ref.split('.json');
  return `#/components/schemas/${SCHEMA_NAMES[file as SchemaFile]}${inside.replace('#', '')}`;
}

/** One line for each operation, for people who open the bare address. */
export function operationIndex(paths: OpenApiPaths): readonly JsonObject[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ method: method.toUpperCase(), path, summary })),
  );
}
