import type { JsonObject } from '../../base/json.ts';
import type { Operation } from '../operation.ts';
import {
  answer,
  CACHE_CONTROL,
  describedBy,
  ETAG,
  IF_NONE_MATCH,
  limitParameter,
  NOT_MODIFIED,
  problems,
} from '../operations/description.ts';
import { textParameter } from '../operations/graph/reading.ts';
import type { SchemaName } from '../schema-names.ts';

const WHAT = 'Agentic Resource Discovery v0.91.';
const STATUSES = [400, 401, 404, 405, 413, 415, 429, 500, 503] as const;

/** Errors in the format of ARD. */
function errors(...statuses: readonly (typeof STATUSES)[number][]): JsonObject {
  const schema = { $ref: '#/components/schemas/ArdError' };
  const error = {
    description: 'The request was refused; `message` has the reason.',
    content: { 'application/json': { schema } },
  };
  return Object.fromEntries(statuses.map((status) => [status, error]));
}

function asking(operation: Omit<Operation, 'responses'>, question: SchemaName, answers: SchemaName) {
  const schema = { $ref: `#/components/schemas/${question}` };
  return describedBy({
    ...(operation as Operation),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 200: answer('The results.', answers, {}), ...errors(400, 401, 413, 415, 429, 500, 503) },
  });
}

const READ = { ETag: ETAG, 'Cache-Control': CACHE_CONTROL };

export const SEARCH = asking(
  {
    operationId: 'ardSearch',
    summary: 'Search entries by a sentence',
    description: `${WHAT} Words that no agent has are ignored. score is the share of the text that an entry matches, not a measure of trust.`,
  },
  'ArdSearchQuestion',
  'ArdResults',
);
export const EXPLORE = asking(
  {
    operationId: 'ardExplore',
    summary: 'Count entries by their terms',
    description: `${WHAT} Counts are omitted if counting stopped before the last entry.`,
  },
  'ArdExploreQuestion',
  'ArdFacets',
);
export const LIST = describedBy({
  operationId: 'ardListAgents',
  summary: 'List entries by their names',
  description: WHAT,
  parameters: [
    textParameter(
      'filter',
      'Conditions on terms, joined by AND.',
      "type = 'application/mcp-server-card+json'",
      {
        required: false,
      },
    ),
    textParameter('orderBy', 'Sort order; only displayName, the default, is supported.', 'displayName', {
      required: false,
    }),
    { ...limitParameter('entries'), name: 'pageSize' },
    textParameter('pageToken', 'The pageToken of the previous page.', undefined, { required: false }),
    IF_NONE_MATCH,
  ],
  responses: {
    200: answer('A page of entries.', 'ArdEntries', READ),
    304: NOT_MODIFIED,
    ...errors(400, 401, 429, 500, 503),
  },
});
export const GET = describedBy({
  operationId: 'ardGetAgent',
  summary: 'Get one entry by its identifier',
  description: WHAT,
  parameters: [
    {
      ...{
        name: 'identifier',
        in: 'path',
        required: true,
        description: 'The identifier of an entry, as one path segment.',
      },
      schema: { type: 'string', maxLength: 7000 },
      example: 'urn:air:sales-1.agents.example:agent:mcp',
    },
    IF_NONE_MATCH,
  ],
  responses: {
    200: answer('The entry.', 'ArdEntry', READ),
    304: NOT_MODIFIED,
    ...errors(400, 401, 404, 429, 500, 503),
  },
});
export const MANIFEST = describedBy({
  operationId: 'getArdManifest',
  summary: 'Get the Agentic Resource Discovery manifest of this registry',
  description: WHAT,
  parameters: [IF_NONE_MATCH],
  security: [{}],
  responses: {
    200: answer('The manifest.', 'ArdManifest', READ),
    304: NOT_MODIFIED,
    ...problems(400, 429, 500, 503),
  },
});
