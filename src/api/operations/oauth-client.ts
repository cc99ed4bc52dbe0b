import type { FastifyInstance } from 'fastify';
import { defined } from '../../base/json.ts';
import type { Budgets, Job, Party } from '../../budgets/budgets.ts';
import { registrableDomainOf } from '../../domain/domain-name.ts';
import type { Credentials } from '../../owners/credentials.ts';
import { type OAuthClient, readOAuthClient } from '../../owners/oauth-client.ts';
import type { TokenFailure } from '../../owners/token-exchange.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { partyOf } from '../callers.ts';
import { requireOwner } from '../owner-only.ts';
import type { AgentRequest } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { CREDENTIAL_REFUSALS, keepCredential, offered } from './credential.ts';
import { answer, jsonBody, ownerOperation, problemAnswer, scopedBy } from './description.ts';
import { LOOK_MS } from './shared-answers.ts';

const PATH = '/api/registry/agents/:encodedUrl/oauth-client-credentials';
/** The longest texts of a client, each of their characters escaped in JSON, bytes. */
const MAX_BODY = 64 * 1024;
/** A token endpoint has 8 s to answer. */
const TOKEN_TEST: Job = { running: 'runningTokenTests', counted: ['tokenTests'], seconds: 10 };

const STORE = ownerOperation(
  'saveAgentOAuthClientCredentials',
  'Store the OAuth client that gets the tokens for the tests of an agent that you own',
  'AgentOAuthConnected',
  {
    description:
      'Sealed at rest. Each run asks the token endpoint for a token (RFC 6749, section 4.4), over https and without redirects. The secret goes there alone, and the token to the agent’s own origin. It replaces the credential before. Each change leaves an audit record, without any of it.',
    requestBody: jsonBody('AgentOAuthClient'),
    responses: {
      200: answer('It is stored.', 'AgentOAuthConnected', {}),
      ...CREDENTIAL_REFUSALS,
      400: problemAnswer('What is wrong: `code` and `field` are those of the field’s clients.'),
      409: problemAnswer('The agent is called over http, which would show the token to the network.'),
      413: problemAnswer('The body is larger than any client can be.'),
    },
  },
);
const TEST = ownerOperation(
  'testAgentOAuthClientCredentials',
  'Ask the token endpoint of the stored OAuth client for a token now',
  'AgentTokenTest',
  {
    description:
      'The token is dropped. What the endpoint refuses is told in the answer, which is a 200 all the same.',
    responses: {
      200: answer('What came of it.', 'AgentTokenTest', {}),
      ...CREDENTIAL_REFUSALS,
      404: problemAnswer(
        'The caller is not the proven owner of the agent, the same for every agent; or no OAuth client is stored.',
      ),
      503: problemAnswer('It is being asked, or too many are; Retry-After says when to come back.'),
    },
  },
);

interface OAuthClientParts {
  readonly records: Pick<Records, 'owners'>;
  readonly clock: Clock;
  readonly budgets: Budgets;
  /** Absent: none can be stored. */
  readonly credentials?: Credentials;
}

/** PUT …/oauth-client-credentials and POST …/oauth-client-credentials/test: the other kind of test credential. */
export function oauthClientOperations(
  server: FastifyInstance,
  { records: { owners }, clock, budgets, credentials }: OAuthClientParts,
): void {
  const options = { ...scopedBy('credentials', STORE), bodyLimit: MAX_BODY };
  server.put(PATH, options, async (request: AgentRequest, reply) => {
    const allowed = await requireOwner(owners, request, reply, 'the OAuth client');
    await keepCredential(credentials, allowed, { client: clientOf(request.body) });
    return reply.type('application/json; charset=utf-8').send({
      ...{ connected: true, has_auth: true, agent_context_id: allowed.agent },
      auth_type: 'oauth_client_credentials',
    });
  });
  const test = { ...scopedBy('credentials', TEST), handlerTimeout: LOOK_MS };
  server.post(`${PATH}/test`, test, async (request: AgentRequest, reply) => {
    const { agent } = await requireOwner(owners, request, reply, 'the test of the OAuth client');
    const from = clock.now();
    const { failure } = await tryClient({ credentials, budgets }, agent, partyOf(request));
    return reply.type('application/json; charset=utf-8').send({
      ...{ ok: failure === undefined, latency_ms: Math.max(0, Math.round(clock.now() - from)) },
      ...(failure !== undefined && { error: shown(failure) }),
    });
  });
}

/** An OAuth client from the body of a request. Throws HttpProblems, none of which repeats a value. */
export function clientOf(body: unknown): OAuthClient {
  const client = readOAuthClient(body);
  if (!('fault' in client)) return client;
  const { code, field, message } = client.fault;
  throw new HttpProblem(code, message, { parameter: field, field });
}

/** Requests a token with the stored client, and discards it. Throws HttpProblems. */
export async function tryClient(
  { credentials, budgets }: { readonly credentials?: Credentials | undefined; readonly budgets: Budgets },
  agent: string,
  party: Party,
): Promise<{ readonly failure?: TokenFailure | undefined }> {
  const tried = await offered(credentials).tryClient(agent, (endpoint, ask) =>
    budgets.run(TOKEN_TEST, { party, site: registrableDomainOf(endpoint) }, ask),
  );
  if (tried !== undefined) return tried;
  throw new HttpProblem('not_found', 'no OAuth client is stored for the tests of this agent');
}

function shown({ kind, message, oauthError, oauthErrorDescription, httpStatus }: TokenFailure): object {
  const said = {
    oauth_error: oauthError,
    oauth_error_description: oauthErrorDescription,
    http_status: httpStatus,
  };
  return { kind, message, ...defined(said) };
}
