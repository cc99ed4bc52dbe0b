import type { FastifyInstance, FastifyReply } from 'fastify';
import { RegistryError } from '../../errors.ts';
import type { Credentials } from '../../owners/credentials.ts';
import type { CredentialOutcome } from '../../ports/owners.ts';
import type { Records } from '../../ports/records.ts';
import { type AskedOfAgent, type OfOwner, ofOwner } from '../of-owner.ts';
import { notYours } from '../owner-only.ts';
import { HttpProblem } from '../problem.ts';
import { readToken } from '../read-token.ts';
import { invalidKey } from '../viewer.ts';

export const CREDENTIAL_PATH = '/api/registry/agents/:encodedUrl/credential';

export interface CredentialParts {
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
export function credentialRoutes(server: FastifyInstance, { records, credentials }: CredentialParts): void {
  const { owners } = records;
  const tell = async (reply: FastifyReply, agent: string) => {
    const since = await offered(credentials).storedSince(agent);
    const set_at = since === undefined ? null : new Date(since).toISOString();
    const body = { agent_url: agent, stored: set_at !== null, set_at };
    return reply.type('application/json; charset=utf-8').send(body);
  };
  server.get(CREDENTIAL_PATH, async (request: AskedOfAgent, reply) => {
    const { agent } = await ofOwner(owners, request, reply, OPERATION);
    return tell(reply, agent);
  });
  server.put(CREDENTIAL_PATH, { bodyLimit: MAX_BODY }, async (request: AskedOfAgent, reply) => {
    const asked = await ofOwner(owners, request, reply, OPERATION);
    const { agent } = asked;
    const token = readToken(request.body);
    const kept = offered(credentials).keep({ agent, token, actor: actorOf(asked) });
    done(await kept.catch(notConfigured));
    return tell(reply, agent);
  });
  server.delete(CREDENTIAL_PATH, { bodyLimit: MAX_BODY }, async (request: AskedOfAgent, reply) => {
    const asked = await ofOwner(owners, request, reply, OPERATION);
    done(await offered(credentials).forget({ agent: asked.agent, actor: actorOf(asked) }));
    return tell(reply, asked.agent);
  });
}

function actorOf({ viewer: { keyId, member } }: OfOwner) {
  return { kind: 'key', keyId, member } as const;
}

function done(outcome: CredentialOutcome): void {
  if (outcome === 'key_revoked') throw invalidKey();
  if (outcome !== 'kept' && outcome !== 'forgotten') throw notYours();
}

function offered(credentials: Credentials | undefined): Credentials {
  if (credentials === undefined) throw notOffered();
  return credentials;
}

/** The operator has set no keys, which the owner can only be told. */
function notConfigured(error: unknown): never {
  throw error instanceof RegistryError && error.code === 'usage' ? notOffered() : error;
}

function notOffered(): HttpProblem {
  return new HttpProblem(
    'not_offered',
    'this registry stores no test credentials: it has no keys to seal them with; ask its operator to set REGISTRY_CREDENTIAL_KEYS',
  );
}
