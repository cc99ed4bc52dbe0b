import { AREAS } from '../protocol/tasks.ts';
import { ETAG, header, IF_NONE_MATCH, type Json, NOT_MODIFIED, problemAnswer } from './openapi-parts.ts';

/** The paths of the protocol's schemas (specification, 4.3 and 9). */
export function schemaPaths(): Json {
  return {
    '/schemas/': get('List the versions of the protocol', [], ANY_OBJECT, FOR_MINUTES),
    '/schemas/{version}/': get(
      'List the tasks of a version with their schemas',
      [VERSION],
      ANY_OBJECT,
      FOR_MINUTES,
    ),
    '/schemas/{version}/{area}/{file}': get(
      'Get a schema of the protocol',
      [VERSION, AREA, FILE],
      { type: 'object', description: 'A JSON Schema 2020-12.' },
      'A year and immutable for a version, minutes for an alias.',
    ),
  };
}

const ANY_OBJECT = { type: 'object' };
const FOR_MINUTES = 'Some minutes.';

const VERSION = {
  name: 'version',
  in: 'path',
  required: true,
  description: 'A version, or what stands for one: `latest`, a major version, major.minor.',
  schema: { type: 'string' },
  example: '3.0.0',
};

const AREA = {
  name: 'area',
  in: 'path',
  required: true,
  description: '`core` holds the shapes that the tasks share.',
  schema: { type: 'string', enum: [...AREAS, 'core'] },
};

const FILE = {
  name: 'file',
  in: 'path',
  required: true,
  description: 'The task with `-request.json` or `-response.json`; hyphens stand for underscores.',
  schema: { type: 'string' },
  example: 'get_products-request.json',
};

function get(summary: string, path: readonly Json[], schema: Json, caching: string): Json {
  const ok = {
    description: summary,
    headers: { ETag: ETAG, 'Cache-Control': header(caching) },
    content: { 'application/json': { schema } },
  };
  const missing =
    path.length === 0 ? {} : { 404: problemAnswer('There is no such version or no such schema.') };
  const responses = { 200: ok, 304: NOT_MODIFIED, ...missing };
  return { get: { summary, security: [{}], parameters: [...path, IF_NONE_MATCH], responses } };
}
