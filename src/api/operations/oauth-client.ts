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
/** The longest values of a client, with every character escaped in JSON, bytes. */
const MAX_BODY = 64 * 1024;
/** A token endpoint has 8 s to answer. */
const TOKEN_TEST: Job = { running: 'runningTokenTests', counted: ['tokenTests'], seconds: 10 };

const STORE = ownerOperation(
  'saveAgentOAuthClientCredentials',
  'Store an OAuth client for the tests of an agent that you own',
  'AgentOAuthConnected',
  {
    description:
      'Encrypted at rest. Each run requests a token from the token endpoint (client credentials grant, RFC 6749, section 4.4), over https and without redirects. The secret is sent to the token endpoint only, and the token to the agent’s own origin only. Replaces the stored credential. Recorded in the audit log, without its values.',
    requestBody: jsonBody('AgentOAuthClient'),
    responses: {
      200: answer('The client is stored.', 'AgentOAuthConnected', {}),
      ...CREDENTIAL_REFUSALS,
      400: problemAnswer('A field is invalid: `field` names it, and `code` says why.'),
      409: problemAnswer('The agent is called over http, which would expose the token.'),
      413: problemAnswer('The body is too large.'),
    },
  },
);
const TEST = ownerOperation(
  'testAgentOAuthClientCredentials',
  'Request a token with the stored OAuth client',
  'AgentTokenTest',
  {
    description:
      'The token is discarded. If the token endpoint refuses, the response is still a 200 and contains the error.',
    responses: {
      200: answer('The result.', 'AgentTokenTest', {}),
      ...CREDENTIAL_REFUSALS,
      404: problemAnswer(
        'The caller is not the verified owner of the agent (the same for every agent), or no OAuth client is stored.',
      ),
      503: problemAnswer(
        'The token endpoint is being asked already, or too many requests are running. Retry after `Retry-After`.',
      ),
    },
  },
);

interface OAuthClientParts {
  readonly records: Pick<Records, 'owners'>;
  readonly clock: Clock;
  readonly budgets: Budgets;
  /** Absent: no credential can be stored. */
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
