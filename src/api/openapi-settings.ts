import {
  answer,
  CACHE_CONTROL,
  ENCODED_URL,
  ETAG,
  header,
  IF_NONE_MATCH,
  type Json,
  NOT_MODIFIED,
  problemAnswer,
  problems,
} from './openapi-parts.ts';

const VARY = header('Authorization, for every viewer.');
const NOT_YOURS = problemAnswer('The caller is not the proven owner of the agent; the same for every agent.');
// A key is needed: without one the answer is the 404 of everybody who is not the owner.
const SECURITY = [{ apiKey: [] }];

/** The operations of an agent's owner. */
export function settingsPaths(): Json {
  return {
    '/api/registry/agents/{encodedUrl}/settings': {
      get: {
        operationId: 'getAgentSettings',
        summary: 'Get the settings of an agent that you own',
        security: SECURITY,
        parameters: [ENCODED_URL, IF_NONE_MATCH],
        responses: {
          200: answer('The settings.', 'AgentSettings', {
            ETag: ETAG,
            'Cache-Control': CACHE_CONTROL,
            Vary: VARY,
          }),
          304: NOT_MODIFIED,
          ...problems(400, 401, 429, 500, 503),
          404: NOT_YOURS,
        },
      },
      patch: {
        operationId: 'changeAgentSettings',
        summary: 'Change the settings of an agent that you own',
        description: 'What is not sent stays as it is. Each change leaves an audit record.',
        security: SECURITY,
        parameters: [ENCODED_URL],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/AgentSettingsChange' } } },
        },
        responses: {
          200: answer('The settings after the change.', 'AgentSettings', { Vary: VARY }),
          ...problems(400, 401, 429, 500, 503),
          404: NOT_YOURS,
          413: problemAnswer('The body is larger than any change can be.'),
          415: problemAnswer('The body is not JSON.'),
        },
      },
    },
  };
}
