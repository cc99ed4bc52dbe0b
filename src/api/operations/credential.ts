import type { FastifyInstance, FastifyReply } from 'fastify';
import { isObject, type JsonObject } from '../../base/json.ts';
import { proveAgainBy } from '../../domain/ownership.ts';
import { RegistryError } from '../../errors.ts';
import { tokenFault } from '../../owners/bearer-token.ts';
import { type Credentials, type GivenCredential, isSendable } from '../../owners/credentials.ts';
import type { CredentialOutcome } from '../../ports/owners.ts';
import type { Records } from '../../ports/records.ts';
import { invalidKey } from '../callers.ts';
import { keyActor, notOwner, type OwnerRequest, requireOwner } from '../owner-only.ts';
import type { AgentRequest } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import {
  answer,
  ENCODED_URL,
  jsonBody,
  problemAnswer,
  problems,
  scopedBy,
  VIEWER_HEADERS,
} from './description.ts';

const CREDENTIAL_PATH = '/api/registry/agents/:encodedUrl/credential';

const OF_OWNER = {
  security: [{ apiKey: [] }],
  parameters: [ENCODED_URL],
} as const;

export const CREDENTIAL_REFUSALS = {
  ...problems(400, 401, 429, 500, 503),
  404: problemAnswer('The caller is not the proven owner of the agent; the same for every agent.'),
  501: problemAnswer('This registry stores no test credentials.'),
};

const READ = {
  operationId: 'getTestCredential',
  summary: 'See whether a test credential is stored for an agent that you own',
  ...OF_OWNER,
  responses: {
    200: answerWithStatus('Since when; the credential itself is never shown.'),
    ...CREDENTIAL_REFUSALS,
  },
};

const STORE = {
  operationId: 'storeTestCredential',
  summary: 'Store what tests of an agent that you own authenticate with',
  description:
    "A bearer token, sealed at rest and sent to the agent's own origin only. It is refused for an http agent. It replaces the one before. Each change leaves an audit record, without the token.",
  ...OF_OWNER,
  requestBody: jsonBody('TestCredentialChange'),
  responses: {
    200: answerWithStatus('It is stored.'),
    ...CREDENTIAL_REFUSALS,
    409: problemAnswer('The agent is called over http, which would show the token to the network.'),
    413: problemAnswer('The body is larger than any token can be.'),
  },
};

const FORGET = {
  operationId: 'forgetTestCredential',
  summary: 'Forget the test credential of an agent that you own',
  ...OF_OWNER,
  responses: { 200: answerWithStatus('None is stored any more.'), ...CREDENTIAL_REFUSALS },
};

function answerWithStatus(description: string): JsonObject {
  return answer(description, 'TestCredential', VIEWER_HEADERS);
}

interface CredentialParts {
  readonly records: Pick<Records, 'owners'>;
  readonly credentials?: Credentials;
}

const OPERATION = 'the credential operation';

/** The longest token and what stands around it, bytes. */
const MAX_BODY = 8_192;

/**
 * GET, PUT and DELETE /api/registry/agents/{encodedUrl}/credential, for the key of the agent's proven owner; everybody
 * else gets the one 404. What is stored is never given back, only since when.
 */
export function credentialOperations(
  server: FastifyInstance,
  { records, credentials }: CredentialParts,
): void {
  const { owners } = records;
  const sendStatus = async (reply: FastifyReply, allowed: OwnerRequest) =>
    reply.type('application/json; charset=utf-8').send(await credentialStatus(credentials, allowed));
  server.get(CREDENTIAL_PATH, scopedBy('read', READ), async (request: AgentRequest, reply) => {
    return sendStatus(reply, await requireOwner(owners, request, reply, OPERATION));
  });
  server.put(
    CREDENTIAL_PATH,
    { ...scopedBy('credentials', STORE), bodyLimit: MAX_BODY },
    async (request: AgentRequest, reply) => {
      const allowed = await requireOwner(owners, request, reply, OPERATION);
      await keepCredential(credentials, allowed, { token: readToken(request.body) });
      return sendStatus(reply, allowed);
    },
  );
  server.delete(
    CREDENTIAL_PATH,
    { ...scopedBy('credentials', FORGET), bodyLimit: MAX_BODY },
    async (request: AgentRequest, reply) => {
      const allowed = await requireOwner(owners, request, reply, OPERATION);
      await forgetToken(credentials, allowed);
      return sendStatus(reply, allowed);
    },
  );
}

/** Whether a credential is stored, and since when. Throws HttpProblems. */
export async function credentialStatus(credentials: Credentials | undefined, { agent, owner }: OwnerRequest) {
  const stored = await offered(credentials).stored(agent);
  const set_at = stored === undefined ? null : new Date(stored.setAt).toISOString();
  const unused = set_at !== null && !isSendable(agent) && { unused_reason: 'not_https' };
  const until = proveAgainBy(owner);
  const due = until !== undefined && { prove_again_by: new Date(until).toISOString() };
  return { agent_url: agent, stored: set_at !== null, set_at, kind: stored?.kind ?? null, ...due, ...unused };
}

/** Forgets the token of an owner. Throws HttpProblems. */
export async function forgetToken(
  credentials: Credentials | undefined,
  allowed: OwnerRequest,
): Promise<void> {
  requireChange(await offered(credentials).forget({ agent: allowed.agent, actor: keyActor(allowed.viewer) }));
}

/** Stores what an owner gives. Throws HttpProblems, none of which repeats it. */
export async function keepCredential(
  credentials: Credentials | undefined,
  allowed: OwnerRequest,
  given: GivenCredential,
): Promise<void> {
  const kept = offered(credentials).keep({ agent: allowed.agent, actor: keyActor(allowed.viewer), ...given });
  requireChange(await kept.catch(notConfigured));
}

/** Throws the HttpProblem of a change that was not made. */
function requireChange(outcome: CredentialOutcome | 'not_https'): void {
  if (outcome === 'key_revoked') throw invalidKey();
  if (outcome === 'not_https')
    throw new HttpProblem(
      'not_https',
      'a test credential is stored for https agents only, since http would show it to the network; register the https address of the agent',
    );
  if (outcome !== 'kept' && outcome !== 'forgotten') throw notOwner();
}

/** Throws an HttpProblem where there are none. */
export function offered(credentials: Credentials | undefined): Credentials {
  if (credentials === undefined) throw notOffered();
  return credentials;
}

/** The operator has set no keys. The owner can do nothing about it. */
function notConfigured(error: unknown): never {
  throw error instanceof RegistryError && error.code === 'usage' ? notOffered() : error;
}

function notOffered(): HttpProblem {
  return new HttpProblem(
    'not_offered',
    'this registry stores no test credentials: it has no keys to seal them with; ask its operator to set REGISTRY_CREDENTIAL_KEYS',
  );
}

/** Reads the body that stores a test credential, `{"token": "…"}`. Throws HttpProblems, none of which repeats the token. */
function readToken(body: unknown): string {
  if (!isObject(body) || !Object.hasOwn(body, 'token'))
    throw new HttpProblem('bad_request', 'send a JSON object with the member token');
  const { token, ...others } = body;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new HttpProblem('unknown_parameter', 'token is the only member', { validValues: ['token'] });
  return tokenOf(token, 'token');
}

/** A bearer token, or the HttpProblem that says why it is none and does not repeat it. */
export function tokenOf(value: unknown, parameter: string): string {
  const fault = typeof value === 'string' ? tokenFault(value) : 'a text is expected';
  if (fault === undefined) return value as string;
  throw invalidValue(parameter, `${fault}; send it alone, without "Bearer"`);
}
