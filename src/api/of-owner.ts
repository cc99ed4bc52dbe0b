import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Owner } from '../domain/ownership.ts';
import type { OwnerStore } from '../ports/owners.ts';
import { agentOf, refuseParameters } from './agent-address.ts';
import { notYours } from './owner-only.ts';
import { queryText } from './query-text.ts';
import type { Viewer } from './viewer.ts';

/** A request about one agent. */
export type AskedOfAgent = FastifyRequest<{ Params: { encodedUrl: string } }>;

export interface OfOwner {
  readonly agent: string;
  readonly owner: Owner;
  readonly viewer: Extract<Viewer, { kind: 'member' }>;
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
