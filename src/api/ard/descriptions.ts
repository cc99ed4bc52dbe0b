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

/** The errors of ARD, which has a form of its own. */
function errors(...statuses: readonly (typeof STATUSES)[number][]): JsonObject {
  const schema = { $ref: '#/components/schemas/ArdError' };
  const error = { description: 'Refused; message says why.', content: { 'application/json': { schema } } };
  return Object.fromEntries(statuses.map((status) => [status, error]));
}

function asking(operation: Omit<Operation, 'responses'>, question: SchemaName, answers: SchemaName) {
  const schema = { $ref: `#/components/schemas/${question}` };
  return describedBy({
    ...(operation as Operation),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 200: answer('What was found.', answers, {}), ...errors(400, 401, 413, 415, 429, 500, 503) },
  });
}

const READ = { ETag: ETAG, 'Cache-Control': CACHE_CONTROL };

export const SEARCH = asking(
  {
    operationId: 'ardSearch',
    summary: 'Search entries by a sentence',
    description: `${WHAT} Words that no agent has are left out; score says how much of the text an entry meets, and is no judgement of trust.`,
  },
  'ArdSearchQuestion',
  'ArdResults',
);
export const EXPLORE = asking(
  {
    operationId: 'ardExplore',
    summary: 'Count entries by their terms',
    description: `${WHAT} Counts are left out where counting stopped before the last entry.`,
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
    textParameter('orderBy', 'displayName, which is the default.', 'displayName', { required: false }),
    { ...limitParameter('entries'), name: 'pageSize' },
    textParameter('pageToken', 'The pageToken of the page before.', undefined, { required: false }),
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
      ...{ name: 'identifier', in: 'path', required: true, description: 'Of an entry, as one segment.' },
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
  summary: 'This registry as entries of Agentic Resource Discovery',
  description: WHAT,
  parameters: [IF_NONE_MATCH],
  security: [{}],
  responses: {
    200: answer('The manifest.', 'ArdManifest', READ),
    304: NOT_MODIFIED,
    ...problems(400, 429, 500, 503),
  },
});
