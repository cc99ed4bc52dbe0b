import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyActor } from '../domain/actor.ts';
import type { Owner } from '../domain/ownership.ts';
import type { OwnerStore } from '../records/owners/owner-store.ts';
import type { MemberViewer } from './callers.ts';
import { type AgentRequest, agentOf, queryText, readParameters, refuseParameters } from './parameters.ts';
import { HttpProblem } from './problem.ts';

export interface OwnerRequest {
  readonly agent: string;
  readonly owner: Owner;
  readonly viewer: MemberViewer;
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * The one answer to everybody who is not the proven owner of an agent, for every operation, and for agents that
 * nobody owns or that are unknown. Strangers do not learn who owns an agent.
 */
export function notOwner(): HttpProblem {
  return new HttpProblem(
    'not_found',
    'not found, or not your agent; send the API key of the member that has proven ownership of it',
  );
}

/**
 * The agent of the request, if its caller is the proven owner by an API key; `what` names the operation, and `names` are
 * the parameters that it takes.
 */
export async function requireOwner(
  owners: Pick<OwnerStore, 'owner'>,
  request: AgentRequest,
  reply: FastifyReply,
  what: string,
  names: readonly string[] = [],
): Promise<OwnerRequest> {
  const { viewer } = request;
  reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization');
  const text = queryText(request);
  if (names.length === 0) refuseParameters(text, what);
  const parameters = readParameters(text, names, what);
  const agent = agentOf(request.params.encodedUrl);
  const owner = await owners.owner(agent); // read for the public too, so that the time of an answer says nothing
  if (owner === undefined || viewer?.kind !== 'member' || viewer.member !== owner.member) throw notOwner();
  return { agent, owner, viewer, parameters };
}

/** The caller of what is about the member of an API key. Throws an HttpProblem for one without a key. */
export function requireMemberKey({ viewer }: FastifyRequest, reply: FastifyReply): MemberViewer {
  reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization');
  if (viewer?.kind === 'member') return viewer;
  throw new HttpProblem(
    'invalid_key',
    'an API key is required; send "Authorization: Bearer KEY"',
    {},
    { 'www-authenticate': 'Bearer realm="registry"' },
  );
}

/** A member as who does something by its key. */
export function keyActor({ keyId, member }: MemberViewer): KeyActor {
  return { kind: 'key', keyId, member };
}
