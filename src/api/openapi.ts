import { LIST_PARAMETERS, type ListParameter, MAX_VALUES } from '../query/list-parameters.ts';
import { badgePaths } from './openapi-badges.ts';
import { compliancePaths } from './openapi-compliance.ts';
import { credentialPaths } from './openapi-credential.ts';
import {
  answer,
  CACHE_CONTROL,
  ETAG,
  header,
  IF_NONE_MATCH,
  type Json,
  NOT_MODIFIED,
  problems,
} from './openapi-parts.ts';
import { schemaPaths } from './openapi-schemas.ts';
import { settingsPaths } from './openapi-settings.ts';
import { schemaComponents } from './schemas.ts';

export interface OpenApiInfo {
  readonly version: string;
  /** The public address; absent: relative to where the document was read. */
  readonly baseUrl?: string;
}

/** The OpenAPI 3.1 document, assembled from the schemas that are served and the table that parameters are read by. */
export function openapiDocument(info: OpenApiInfo): Json {
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
    paths: {
      ...registryPaths(),
      ...compliancePaths(),
      ...badgePaths(),
      ...settingsPaths(),
      ...credentialPaths(),
      ...schemaPaths(),
      ...servicePaths(),
    },
    components: {
      schemas: schemaComponents(),
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of a member organisation.' },
      },
    },
  };
}

/** One line for each operation, for people who open the bare address. */
export function operationIndex(document: Json): readonly Json[] {
  const paths = document.paths as Record<string, Readonly<Record<string, Json>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary }]) => ({ method: method.toUpperCase(), path, summary })),
  );
}

function registryPaths(): Json {
  return {
    '/api/registry/agents': {
      get: {
        operationId: 'listAgents',
        summary: 'List agents',
        description: 'Agents in ascending order of their URL. Different filters are combined with AND.',
        parameters: [...LIST_PARAMETERS.map(queryParameter), IF_NONE_MATCH],
        responses: {
          200: answer('Agents under the filters.', 'AgentList', {
            ETag: ETAG,
            'Cache-Control': CACHE_CONTROL,
            Link: header('The next page, as rel="next"; absent on the last.'),
          }),
          304: NOT_MODIFIED,
          ...problems(400, 401, 429, 500, 503),
        },
      },
    },
  };
}

function servicePaths(): Json {
  return {
    '/healthz': service('The process answers', 'application/json'),
    '/readyz': service('The store and the index can be read', 'application/json', problems(503)),
    '/metrics': service('Figures in the Prometheus text format', 'text/plain'),
    '/openapi.json': service('This document', 'application/json'),
    '/': service('The operations', 'application/json'),
  };
}

function service(summary: string, mediaType: string, others: Json = {}): Json {
  const schema = { type: mediaType === 'text/plain' ? 'string' : 'object' };
  const ok = { description: summary, content: { [mediaType]: { schema } } };
  return { get: { summary, security: [{}], responses: { 200: ok, ...others } } };
}

function queryParameter(parameter: ListParameter): Json {
  const { name, description, repeatable } = parameter;
  const schema = valueSchema(parameter);
  if (!repeatable) return { name, in: 'query', description, schema };
  const list = { type: 'array', minItems: 1, maxItems: MAX_VALUES, items: schema };
  return { name, in: 'query', description, style: 'form', explode: true, schema: list };
}

function valueSchema({ kind, values, maxLength, minimum, maximum }: ListParameter): Json {
  if (kind === 'boolean') return { type: 'boolean' };
  if (kind === 'integer') return { type: 'integer', minimum, maximum };
  if (kind === 'enum') return { type: 'string', enum: values };
  return { type: 'string', minLength: 1, maxLength };
}
