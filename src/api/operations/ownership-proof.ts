import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Budgets, type Job, partyOfMember } from '../../budgets/budgets.ts';
import { CHALLENGE_MS, type Challenge } from '../../domain/ownership.ts';
import { RegistryError } from '../../errors.ts';
import { newChallenge, type ProofSearch, shownChallenge } from '../../owners/proof.ts';
import type { KeyActor } from '../../ports/actor.ts';
import { agentOf } from '../parameters.ts';
import { HttpProblem } from '../problem.ts';
import { answer, linkTo, MEMBER_REFUSALS, problemAnswer, scopedBy } from './description.ts';
import { actingKey, notYours, OWN_URL, type OwnershipParts, reconsidered } from './own-agent.ts';
import { createSharedAnswers, LOOK_MS } from './shared-answers.ts';

const DAYS = CHALLENGE_MS / 86_400_000;
/** Neither takes a body with anything in it. */
const MAX_BODY = 1_024;
/** A look at both places of an agent. Callers who ask about one host at once share it. */
export const PROOF_LOOK: Job = { running: 'runningProofs', counted: ['proofs'] };
/** Whoever published the text and had to ask again finds it; what was in vain is looked for anew. */
export const isFound = ({ via }: ProofSearch): boolean => via !== undefined;

const CHALLENGE = {
  operationId: 'challengeAgent',
  summary: 'Get the text that proves an agent yours',
  description: `Publish it as a line of the file, or as a TXT record, within ${DAYS} days. The same text again as long as it is open. It leaves an audit record.`,
  parameters: [OWN_URL],
  responses: {
    200: {
      ...answer('The text, and where it may stand.', 'ProofChallenge', {}),
      ...linkTo('proveAgent', { url: '$response.body#/url' }),
    },
    ...MEMBER_REFUSALS,
    404: problemAnswer('The agent is not registered, and not pending for your member.'),
  },
};
const PROVE = {
  operationId: 'proveAgent',
  summary: 'Look for the text, and own the agent',
  description:
    'The registry looks in both places now. When the text is there, the agent is yours, whoever owned it before; a test is due at once. It leaves an audit record.',
  parameters: [OWN_URL],
  responses: {
    200: {
      ...answer('Where it looked, and what was there.', 'ProofSearch', {}),
      ...linkTo('describeOwnAgent', { url: '$response.body#/url' }),
    },
    ...MEMBER_REFUSALS,
    404: problemAnswer('Your member has no open challenge for the agent.'),
    501: problemAnswer('This registry looks for no proofs; its operator does it.'),
  },
};

type OwnRequest = FastifyRequest<{ Params: { url: string } }>;

/** How agents become their members' own: by operations and by pages, within the same bounds. */
export interface Proving {
  /** The open challenge of a member for an agent that is registered or pending for it. Throws HttpProblems. */
  challenge(agent: string, actor: KeyActor): Promise<Challenge>;
  /** Looks for its text now; where it is there, the agent is the member's. Throws HttpProblems. */
  prove(agent: string, actor: KeyActor): Promise<ProofSearch>;
}

export function createProving(parts: OwnershipParts & { readonly budgets: Budgets }): Proving {
  const { records, clock, findProof, budgets } = parts;
  const answerOf = createSharedAnswers<ProofSearch>(clock, 'the proof is still being looked for');
  return {
    async challenge(agent, actor) {
      const now = clock.now();
      const wanted = newChallenge(agent, actor.member, now);
      return records.owners.challenge(wanted, now, actor).catch((error: unknown) => {
        throw error instanceof RegistryError && error.code === 'not_found' ? notYours() : error;
      });
    },
    async prove(agent, actor) {
      if (findProof === undefined)
        throw new HttpProblem('not_offered', 'this registry looks for no proofs; ask its operator');
      const { member } = actor;
      const begun = clock.now();
      const open = await records.owners.challengeOf(agent, member);
      if (open === undefined || open.expiresAt <= begun) throw noChallenge();
      const { token } = open;
      const party = partyOfMember(member);
      const { value: found } = await answerOf({
        ...{ key: token, isKept: isFound },
        answer: () => findProof(agent, token, (look) => budgets.run(PROOF_LOOK, { party }, look)),
      });
      const { via } = found;
      if (via === undefined) return found;
      if (!(await records.owners.prove({ agent, member, token, via, actor }, clock.now()))) {
        const owner = await records.owners.owner(agent);
        if (owner === undefined || owner.provenAt < begun) throw noChallenge();
        if (owner.member !== member) throw provenByOther(); // else by another request of the same member
      }
      await reconsidered(parts, agent);
      return found;
    },
  };
}

/** POST /api/me/agents/{url}/challenge and …/prove: how a member's agent becomes its own, by one of its keys. */
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
    'your member has no open challenge for this agent; POST …/challenge gives one',
    {
      parameter: 'url',
    },
  );
}

function provenByOther(): HttpProblem {
  return new HttpProblem(
    'not_found',
    'another member has proven this agent meanwhile, which ended your challenge; POST …/challenge gives another one',
    { parameter: 'url' },
  );
}
