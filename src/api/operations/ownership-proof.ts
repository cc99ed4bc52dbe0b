import type { FastifyInstance, FastifyRequest } from 'fastify';
import { present } from '../../base/json.ts';
import { type Budgets, type Job, partyOfMember } from '../../budgets/budgets.ts';
import type { KeyActor } from '../../domain/actor.ts';
import { CHALLENGE_MS, type Challenge, type Owner } from '../../domain/ownership.ts';
import { RegistryError } from '../../errors.ts';
import { newChallenge, type ProofSearch, shownChallenge } from '../../owners/proof.ts';
import { invalidKey } from '../callers.ts';
import { agentOf } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { answer, linkTo, MEMBER_REFUSALS, problemAnswer, scopedBy } from './description.ts';
import { actingKey, notYours, OWN_URL, type OwnershipParts, reconsidered } from './own-agent.ts';
import { createSharedAnswers, FRESH_MS, LOOK_MS } from './shared-answers.ts';

const DAYS = CHALLENGE_MS / 86_400_000;
/** Both take an empty body. */
const MAX_BODY = 1_024;
/** One check of both places of an agent. Concurrent callers for one host share it. */
export const PROOF_LOOK: Job = { running: 'runningProofs', counted: ['proofs'] };
/** A text that was found is remembered for a repeated request; one that was not is checked again. */
export const isFound = ({ via }: ProofSearch): boolean => via !== undefined;

const CHALLENGE = {
  operationId: 'challengeAgent',
  summary: 'Get the verification text of an agent',
  description: `Publish it as a line of the file, or as a TXT record, within ${DAYS} days. Until it expires, the same text is returned again. Recorded in the audit log.`,
  parameters: [OWN_URL],
  responses: {
    200: {
      ...answer('The text, and where to publish it.', 'ProofChallenge', {}),
      ...linkTo('proveAgent', { url: '$response.body#/url' }),
    },
    ...MEMBER_REFUSALS,
    404: problemAnswer('The agent is not an agent of your member.'),
  },
};
const PROVE = {
  operationId: 'proveAgent',
  summary: 'Verify an agent',
  description:
    'The registry checks both places now. If the text is there, the agent is yours, even if another member owned it before. The first scheduled test starts one hour later; start one sooner with `POST …/compliance/runs`. Recorded in the audit log.',
  parameters: [OWN_URL],
  responses: {
    200: {
      ...answer('Where the registry looked, and what it found.', 'ProofSearch', {}),
      ...linkTo('describeOwnAgent', { url: '$response.body#/url' }),
    },
    ...MEMBER_REFUSALS,
    404: problemAnswer('Your member has no valid verification text for the agent.'),
    501: problemAnswer('This registry does not verify domains automatically; its operator does.'),
  },
};

type OwnRequest = FastifyRequest<{ Params: { url: string } }>;

/** Verification of owners, by operations and by pages, within the same limits. */
export interface Proving {
  /** The verification text of a member for an agent that is registered or pending for it. Throws HttpProblems. */
  challenge(agent: string, actor: KeyActor): Promise<Challenge>;
  /** Checks for its text now; if it is there, the agent is the member's. Throws HttpProblems. */
  prove(agent: string, actor: KeyActor): Promise<ProofSearch>;
}

export function createProving(parts: OwnershipParts & { readonly budgets: Budgets }): Proving {
  const { records, clock, findProof, budgets } = parts;
  const answerOf = createSharedAnswers<ProofSearch>(clock, 'the verification is still running');

  /**
   * The verification by another request of the same member, at the same time or just before: a repeated request gets the
   * same answer, as in `createSharedAnswers`. Throws an HttpProblem if there is none.
   */
  async function provenJustNow(agent: string, member: string, begun: number): Promise<Owner> {
    const owner = await records.owners.owner(agent);
    if (owner === undefined || owner.provenAt < begun - FRESH_MS) throw noChallenge();
    if (owner.member !== member) throw provenByOther();
    return owner;
  }

  return {
    async challenge(agent, actor) {
      const now = clock.now();
      const wanted = newChallenge(agent, actor.member, now);
      const given = await records.owners.challengeByKey(wanted, actor, now).catch((error: unknown) => {
        throw error instanceof RegistryError && error.code === 'not_found' ? notYours() : error;
      });
      if (given === 'key_revoked') throw invalidKey();
      return given;
    },
    async prove(agent, actor) {
      if (findProof === undefined)
        throw new HttpProblem(
          'not_offered',
          'this registry does not verify domains automatically; ask its operator',
        );
      const { member } = actor;
      const begun = clock.now();
      const open = await records.owners.challengeOf(agent, member);
      if (open === undefined || open.expiresAt <= begun) {
        const { via } = await provenJustNow(agent, member, begun);
        return { ...present({ via }), looked: [] };
      }
      const { token } = open;
      const party = partyOfMember(member);
      const { value: found } = await answerOf({
        ...{ key: token, isKept: isFound },
        answer: () => findProof(agent, token, (look) => budgets.run(PROOF_LOOK, { party }, look)),
      });
      const { via } = found;
      if (via === undefined) return found;
      const outcome = await records.owners.prove({ agent, member, token, via, actor }, clock.now());
      if (outcome === 'key_revoked') throw invalidKey();
      if (outcome === 'no_challenge') await provenJustNow(agent, member, begun);
      await reconsidered(parts, agent);
      return found;
    },
  };
}

/** POST /api/me/agents/{url}/challenge and …/prove: verifies the owner of an agent, by one of its keys. */
export function proofOperations(server: FastifyInstance, proving: Proving): void {
  const challenge = { ...scopedBy('agents', CHALLENGE), bodyLimit: MAX_BODY };
  server.post('/api/me/agents/:url/challenge', challenge, async (request: OwnRequest, reply) => {
    const actor = actingKey(request, reply);
    const agent = agentOf(request.params.url, 'url');
    const given = await proving.challenge(agent, actor);
    return reply.header('cache-control', 'no-store').send({ url: agent, ...shownChallenge(given) });
  });
  const prove = { ...scopedBy('agents', PROVE), bodyLimit: MAX_BODY, handlerTimeout: LOOK_MS };
  server.post('/api/me/agents/:url/prove', prove, async (request: OwnRequest, reply) => {
    const actor = actingKey(request, reply);
    const agent = agentOf(request.params.url, 'url');
    const { via, looked } = await proving.prove(agent, actor);
    const shown = { url: agent, proven: via !== undefined, via: via ?? null, looked };
    return reply.header('cache-control', 'no-store').send(shown);
  });
}

function noChallenge(): HttpProblem {
  return new HttpProblem(
    'not_found',
    'your member has no valid verification text for this agent; get one with POST …/challenge',
    {
      parameter: 'url',
    },
  );
}

function provenByOther(): HttpProblem {
  return new HttpProblem(
    'not_found',
    'another member has verified this agent in the meantime, which invalidated your verification text; get a new one with POST …/challenge',
    { parameter: 'url' },
  );
}
