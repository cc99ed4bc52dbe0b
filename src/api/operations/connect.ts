import type { FastifyInstance } from 'fastify';
import { isObject } from '../../base/json.ts';
import type { Credentials } from '../../owners/credentials.ts';
import type { Records } from '../../ports/records.ts';
import { requireOwner } from '../owner-only.ts';
import type { AgentRequest } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { CREDENTIAL_REFUSALS, keepCredential, tokenOf } from './credential.ts';
import { answer, jsonBody, ownerOperation, problemAnswer, scopedBy } from './description.ts';

const BASE = '/api/registry/agents/:encodedUrl';
/** The longest token with its JSON, bytes. */
const MAX_BODY = 8_192;

const STATUS = ownerOperation(
  'getAgentAuthStatus',
  'Get the authentication status of the tests of an agent that you own',
  'AgentAuthStatus',
  {
    description:
      'The same as `GET …/credential`, with the names that clients of this protocol use. The credential itself is never returned.',
  },
);
const CONNECT = ownerOperation(
  'connectAgent',
  'Store a bearer token for the tests of an agent that you own',
  'AgentConnected',
  {
    description:
      'The same as `PUT …/credential`, with the names that clients of this protocol use. Clients that use `auth_token` for your API key send `token`.',
    requestBody: jsonBody('AgentConnection'),
    responses: {
      200: answer('The token is stored.', 'AgentConnected', {}),
      ...CREDENTIAL_REFUSALS,
      409: problemAnswer('The agent is called over http, which would expose the token.'),
    },
  },
);

interface ConnectParts {
  readonly records: Pick<Records, 'owners'>;
  /** Absent: no credential can be stored. */
  readonly credentials?: Credentials;
}

/** GET …/auth-status and PUT …/connect: the owner's test credential under the paths that clients of this protocol use. */
export function connectOperations(server: FastifyInstance, { records, credentials }: ConnectParts): void {
  server.get(`${BASE}/auth-status`, scopedBy('read', STATUS), async (request: AgentRequest, reply) => {
    const { agent } = await requireOwner(records.owners, request, reply, 'the auth status');
    const stored = await credentials?.stored(agent);
    return reply.type('application/json; charset=utf-8').send({
      has_auth: stored !== undefined,
      agent_context_id: stored === undefined ? null : agent,
      auth_type: stored?.kind ?? null,
      ...{ has_oauth_token: false, has_valid_oauth: false, oauth_token_expires_at: null },
      has_oauth_client_credentials: stored?.kind === 'oauth_client_credentials',
    });
  });
  const options = { ...scopedBy('credentials', CONNECT), bodyLimit: MAX_BODY };
  server.put(`${BASE}/connect`, options, async (request: AgentRequest, reply) => {
    const allowed = await requireOwner(records.owners, request, reply, 'connecting an agent');
    await keepCredential(credentials, allowed, { token: readConnection(request.body) });
    return reply
      .type('application/json; charset=utf-8')
      .send({ connected: true, has_auth: true, agent_context_id: allowed.agent });
  });
}

// PyPI's client uses `auth_token` for the caller's API key and cannot send it in a body, so it sends `token`.
const TOKENS = ['auth_token', 'token'] as const;
const MEMBERS = [...TOKENS, 'auth_type'];

/** The token of the body; a run sends bearer tokens only, no passwords. Throws HttpProblems, none of which repeats it. */
function readConnection(body: unknown): string {
  const named = isObject(body) ? TOKENS.filter((name) => Object.hasOwn(body, name)) : [];
  const [name] = named;
  if (!isObject(body) || name === undefined || named.length > 1)
    throw new HttpProblem(
      'bad_request',
      'send a JSON object with the token in the field auth_token or token',
    );
  const other = Object.keys(body).find((one) => !MEMBERS.includes(one));
  if (other !== undefined)
    throw new HttpProblem('unknown_parameter', 'unknown field', { validValues: MEMBERS });
  if (Object.hasOwn(body, 'auth_type') && body.auth_type !== 'bearer')
    throw invalidValue('auth_type', 'tests support bearer tokens only', ['bearer']);
  return tokenOf(body[name], name);
}
