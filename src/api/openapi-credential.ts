import {
  answer,
  CACHE_CONTROL,
  ENCODED_URL,
  header,
  type Json,
  problemAnswer,
  problems,
} from './openapi-parts.ts';

const PARTS = {
  security: [{ apiKey: [] }],
  parameters: [ENCODED_URL],
} as const;
const REFUSALS = {
  ...problems(400, 401, 429, 500, 503),
  404: problemAnswer('The caller is not the proven owner of the agent; the same for every agent.'),
  501: problemAnswer('This registry stores no test credentials.'),
};
const HEADERS = { 'Cache-Control': CACHE_CONTROL, Vary: header('Authorization, for every viewer.') };

/** The operations on the test credential of an agent. */
export function credentialPaths(): Json {
  return {
    '/api/registry/agents/{encodedUrl}/credential': {
      get: {
        operationId: 'getTestCredential',
        summary: 'See whether a test credential is stored for an agent that you own',
        ...PARTS,
        responses: { 200: told('Since when; the credential itself is never shown.'), ...REFUSALS },
      },
      put: {
        operationId: 'storeTestCredential',
        summary: 'Store what tests of an agent that you own authenticate with',
        description:
          "A bearer token, sealed at rest and sent to the agent's own origin only. It replaces the one before. Each change leaves an audit record, without the token.",
        ...PARTS,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/TestCredentialChange' } } },
        },
        responses: {
          200: told('It is stored.'),
          ...REFUSALS,
          413: problemAnswer('The body is larger than any token can be.'),
          415: problemAnswer('The body is not JSON.'),
        },
      },
      delete: {
        operationId: 'forgetTestCredential',
        summary: 'Forget the test credential of an agent that you own',
        ...PARTS,
        responses: { 200: told('None is stored any more.'), ...REFUSALS },
      },
    },
  };
}

function told(description: string): Json {
  return answer(description, 'TestCredential', HEADERS);
}
