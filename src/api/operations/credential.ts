import type { FastifyInstance, FastifyReply } from 'fastify';
import { isObject, type JsonObject } from '../../base/json.ts';
import { proveAgainBy } from '../../domain/ownership.ts';
import { RegistryError } from '../../errors.ts';
import { tokenFault } from '../../owners/bearer-token.ts';
import { type Credentials, type GivenCredential, isSendable } from '../../owners/credentials.ts';
import type { Records } from '../../ports/records.ts';
import type { CredentialOutcome } from '../../records/owners/agent-settings.ts';
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
  404: problemAnswer('The caller is not the verified owner of the agent; the same for every agent.'),
  501: problemAnswer('This registry cannot store test credentials.'),
};

const READ = {
  operationId: 'getTestCredential',
  summary: 'Get the status of the test credential of an agent that you own',
  ...OF_OWNER,
  responses: {
    200: answerWithStatus('Whether and since when one is stored. The credential itself is never returned.'),
    ...CREDENTIAL_REFUSALS,
  },
};

const STORE = {
  operationId: 'storeTestCredential',
  summary: 'Store a test credential for an agent that you own',
  description:
    "A bearer token, encrypted at rest and sent to the agent's own origin only. Refused for an http agent. Replaces the stored credential. Recorded in the audit log, without the token.",
  ...OF_OWNER,
  requestBody: jsonBody('TestCredentialChange'),
  responses: {
    200: answerWithStatus('The credential is stored.'),
    ...CREDENTIAL_REFUSALS,
    409: problemAnswer('The agent is called over http, which would expose the token.'),
    413: problemAnswer('The body is too large.'),
  },
};

const FORGET = {
  operationId: 'forgetTestCredential',
  summary: 'Delete the test credential of an agent that you own',
  ...OF_OWNER,
  responses: { 200: answerWithStatus('The credential is deleted.'), ...CREDENTIAL_REFUSALS },
};

function answerWithStatus(description: string): JsonObject {
  return answer(description, 'TestCredential', VIEWER_HEADERS);
}

interface CredentialParts {
  readonly records: Pick<Records, 'owners'>;
  readonly credentials?: Credentials;
}

const OPERATION = 'the credential operation';

/** The longest token with its JSON, bytes. */
const MAX_BODY = 8_192;

/**
 * GET, PUT and DELETE /api/registry/agents/{encodedUrl}/credential, for the key of the agent's verified owner; everyone
 * else gets the same 404. The stored credential is never returned, only its date.
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

/** Deletes the credential of an owner. Throws HttpProblems. */
export async function forgetToken(
  credentials: Credentials | undefined,
  allowed: OwnerRequest,
): Promise<void> {
  requireChange(await offered(credentials).forget({ agent: allowed.agent, actor: keyActor(allowed.viewer) }));
}

/** Stores a credential. Throws HttpProblems, none of which repeats it. */
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
      'test credentials are stored for https agents only, because http would expose them; register the https URL of the agent',
    );
  if (outcome !== 'stored' && outcome !== 'deleted') throw notOwner();
}

/** Throws an HttpProblem if this registry stores none. */
export function offered(credentials: Credentials | undefined): Credentials {
  if (credentials === undefined) throw notOffered();
  return credentials;
}

/** The operator has configured no keys. */
function notConfigured(error: unknown): never {
  throw error instanceof RegistryError && error.code === 'usage' ? notOffered() : error;
}

function notOffered(): HttpProblem {
  return new HttpProblem(
    'not_offered',
    'this registry cannot store test credentials: no encryption keys are configured; ask its operator to set REGISTRY_CREDENTIAL_KEYS',
  );
}

/** Reads the body that stores a test credential, `{"token": "…"}`. Throws HttpProblems, none of which repeats the token. */
function readToken(body: unknown): string {
  if (!isObject(body) || !Object.hasOwn(body, 'token'))
    throw new HttpProblem('bad_request', 'send a JSON object with the field token');
  const { token, ...others } = body;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new HttpProblem('unknown_parameter', 'token is the only field', { validValues: ['token'] });
  return tokenOf(token, 'token');
}

/** A bearer token. Throws an HttpProblem for an invalid one, which does not repeat it. */
export function tokenOf(value: unknown, parameter: string): string {
  const fault = typeof value === 'string' ? tokenFault(value) : 'a string is expected';
  if (fault === undefined) return value as string;
  throw invalidValue(parameter, `${fault}; send the token without "Bearer"`);
}
