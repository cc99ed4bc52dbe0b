import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TierTable } from '../../compliance/badges/conditions.ts';
import { decideChange } from '../../compliance/decide.ts';
import type { KeyActor } from '../../domain/actor.ts';
import type { FindProof } from '../../owners/proof.ts';
import type { Clock } from '../../ports/clock.ts';
import type { UrlFault } from '../../ports/fetcher.ts';
import type { Records } from '../../ports/records.ts';
import { keyActor, requireMemberKey } from '../owner-only.ts';
import { queryText, readParameters } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { type MyAgent, type MyAgentsParts, refuseOtherMember, shownAgents } from './my-agents.ts';

export const OWN_URL = {
  name: 'url',
  in: 'path',
  required: true,
  description: "The agent's URL, percent-encoded as one segment.",
  schema: { type: 'string', maxLength: 2000 },
};
/** The parts that a change of ownership needs. */
export interface OwnershipParts {
  readonly records: Pick<Records, 'owners' | 'compliance'>;
  readonly clock: Clock;
  /** Updates the list after a change. */
  readonly onChanged?: () => Promise<void>;
  readonly tiers?: TierTable;
  /** Absent: this registry does not verify domains. */
  readonly findProof?: FindProof;
}

/** Checks the URLs that a member enters. */
export interface AddressParts {
  /** Absent: private addresses are refused only when they are called. */
  readonly urlFault?: UrlFault;
}

export type OwnAgentParts = MyAgentsParts & OwnershipParts & AddressParts;

/** One agent of a member. Throws an HttpProblem for an agent that is not the member's. */
export async function agentOfMember(parts: MyAgentsParts, agent: string, member: string): Promise<MyAgent> {
  const known = await parts.records.owners.registered({ member, agent, limit: 1 });
  const [one] = await shownAgents(known, parts.records.agents);
  if (one === undefined) throw notYours();
  return one;
}

export function notYours(): HttpProblem {
  return new HttpProblem(
    'not_found',
    'this is not an agent of your member; add it with POST /api/me/agents',
    {
      parameter: 'url',
    },
  );
}

/** The key that acts. Throws HttpProblems for a caller without one, and for another member than its own. */
export function actingKey(request: FastifyRequest, reply: FastifyReply): KeyActor {
  const viewer = requireMemberKey(request, reply);
  refuseOtherMember(readParameters(queryText(request), ['org'], 'this operation').get('org'), viewer.member);
  return keyActor(viewer);
}

/** Updates badges, the next run and the list after a change of ownership. */
export async function reconsidered(parts: OwnershipParts, agent: string): Promise<void> {
  const { records, clock, tiers, onChanged } = parts;
  const now = clock.now();
  await records.compliance.reconsider(agent, decideChange({ now, ...(tiers && { tiers }) }), now);
  await onChanged?.();
}
