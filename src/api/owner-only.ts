import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Owner } from '../domain/ownership.ts';
import type { OwnerStore } from '../ports/owners.ts';
import type { Viewer } from './callers.ts';
import { agentOf, queryText, refuseParameters } from './parameters.ts';
import { HttpProblem } from './problem.ts';

/** A request about one agent. */
export type AskedOfAgent = FastifyRequest<{ Params: { encodedUrl: string } }>;

export interface OfOwner {
  readonly agent: string;
  readonly owner: Owner;
  readonly viewer: Extract<Viewer, { kind: 'member' }>;
}

/**
 * The one answer to everybody who is not the proven owner of an agent, whatever was asked for, and for agents that
 * nobody owns or has heard of: whose an agent is, is nobody's business.
 */
export function notYours(): HttpProblem {
  return new HttpProblem(
    'not_found',
    'there is nothing of this agent here for you; only the member that has proven to own it is answered, with its API key',
  );
}

/** The agent of the request, if its caller is the proven owner by an API key; `what` names the operation. */
export async function ofOwner(
  owners: Pick<OwnerStore, 'owner'>,
  request: AskedOfAgent,
  reply: FastifyReply,
  what: string,
): Promise<OfOwner> {
  const { viewer } = request;
  reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization');
  refuseParameters(queryText(request), what);
  const agent = agentOf(request.params.encodedUrl);
  const owner = await owners.owner(agent); // asked for the public too, so that it takes everybody as long
  if (owner === undefined || viewer?.kind !== 'member' || viewer.member !== owner.member) throw notYours();
  return { agent, owner, viewer };
}
