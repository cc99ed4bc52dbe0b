import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComplianceState, ComplianceStore } from '../../ports/compliance.ts';
import { entityTag, sendTagged } from '../answers.ts';
import { hasScope } from '../callers.ts';
import { type AgentRequest, agentOf } from '../parameters.ts';
import { unknownAgent } from '../problem.ts';

export const COMPLIANCE_PATH = '/api/registry/agents/:encodedUrl/compliance';

/** An agent's compliance, and whether its proven owner reads it. A key of its that may not read is anybody's. */
export interface AgentCompliance {
  readonly agent: string;
  readonly state: ComplianceState;
  readonly isOwner: boolean;
}

/** Reads the compliance of the request's agent; throws `unknown_agent` for one that the registry does not know. */
export async function readCompliance(
  compliance: Pick<ComplianceStore, 'state'>,
  { params, viewer }: AgentRequest,
): Promise<AgentCompliance> {
  const agent = agentOf(params.encodedUrl);
  const state = await compliance.state(agent);
  if (state === undefined) throw unknownAgent('encodedUrl');
  const isMember = viewer?.kind === 'member' && viewer.member === state.owner?.member;
  const isOwner = isMember && hasScope(viewer, 'read');
  return { agent, state, isOwner };
}

/** The same for everyone, so that the headers do not reveal who owns the agent. */
export function beginCompliance(reply: FastifyReply): void {
  reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization');
}

const OWNERS_TAG = Buffer.from('\nowner');

/**
 * An owner's answer has a tag of its own even where it says what everybody else's does, so that a tag that was given
 * away makes no 304 for a stranger.
 */
export function sendCompliance(
  request: FastifyRequest,
  reply: FastifyReply,
  { isOwner }: AgentCompliance,
  answer: object,
): FastifyReply {
  const body = Buffer.from(JSON.stringify(answer));
  const etag = entityTag(isOwner ? Buffer.concat([body, OWNERS_TAG]) : body);
  return sendTagged(request, reply, { body, etag });
}
