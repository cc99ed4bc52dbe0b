import type { FastifyInstance, FastifyRequest } from 'fastify';
import { agentOf } from '../parameters.ts';
import { answer, jsonBody, linkTo, MEMBER_REFUSALS, problemAnswer, scopedBy } from './description.ts';
import { ORG } from './my-agents.ts';
import { actingKey, agentOfMember, OWN_URL, type OwnAgentParts } from './own-agent.ts';
import { askForAgent, describeAgent, giveUpAgent, MOST_PENDING } from './own-agent-deeds.ts';

/** More than a description can have, bytes. */
const MAX_BODY = 32_768;

const NOT_YOURS = problemAnswer('The agent is not registered to your member, and not pending for it.');

const ASK = {
  operationId: 'askForAgent',
  summary: 'Ask for an agent to be yours',
  description: `It is pending until you prove that you control its domain: nothing of it counts before, and no record changes. Ask for the text to publish next. Asking again replaces the details. ${MOST_PENDING} can be pending at once. It leaves an audit record.`,
  parameters: [ORG],
  requestBody: jsonBody('AskedAgent'),
  responses: {
    200: {
      ...answer('It is yours already; nothing changed.', 'OwnAgent', {}),
      ...linkTo('describeOwnAgent', { url: '$response.body#/url' }),
    },
    201: {
      ...answer('It is pending.', 'OwnAgent', {}),
      ...linkTo('challengeAgent', { url: '$response.body#/url' }),
    },
    ...MEMBER_REFUSALS,
    409: problemAnswer(`${MOST_PENDING} agents are pending.`),
  },
};
const DESCRIBE = {
  operationId: 'describeOwnAgent',
  summary: 'Say anew what an agent of yours is',
  description:
    'What is not named stays; null takes it back. Of an agent that is pending it counts from its proof on. It leaves an audit record.',
  parameters: [OWN_URL, ORG],
  requestBody: jsonBody('DescribedAgent'),
  responses: {
    200: {
      ...answer('As it is now.', 'OwnAgent', {}),
      ...linkTo('giveUpAgent', { url: '$response.body#/url' }),
    },
    ...MEMBER_REFUSALS,
    404: NOT_YOURS,
  },
};
const GIVE_UP = {
  operationId: 'giveUpAgent',
  summary: 'Give an agent up',
  description:
    'Ends its registration, its ownership and what came with them: settings, the test credential and badges. An agent that nobody declares leaves the list after 24 hours. It leaves an audit record.',
  parameters: [OWN_URL, ORG],
  responses: { 200: answer('As it was.', 'OwnAgent', {}), ...MEMBER_REFUSALS, 404: NOT_YOURS },
};

type OwnRequest = FastifyRequest<{ Params: { url: string } }>;

/** POST /api/me/agents, PATCH and DELETE …/{url}: a member's agents, by one of its keys. */
export function ownAgentOperations(server: FastifyInstance, parts: OwnAgentParts): void {
  const options = (operation: object) => ({
    ...scopedBy('agents', operation as typeof ASK),
    bodyLimit: MAX_BODY,
  });
  server.post('/api/me/agents', options(ASK), async (request, reply) => {
    const actor = actingKey(request, reply);
    const { agent, isOwned } = await askForAgent(parts, actor, request.body);
    return reply.code(isOwned ? 200 : 201).send(await agentOfMember(parts, agent, actor.member));
  });
  server.patch('/api/me/agents/:url', options(DESCRIBE), async (request: OwnRequest, reply) => {
    const actor = actingKey(request, reply);
    const agent = agentOf(request.params.url, 'url');
    await describeAgent(parts, actor, agent, request.body);
    return reply.send(await agentOfMember(parts, agent, actor.member));
  });
  server.delete('/api/me/agents/:url', options(GIVE_UP), async (request: OwnRequest, reply) => {
    const actor = actingKey(request, reply);
    const before = await giveUpAgent(parts, actor, agentOf(request.params.url, 'url'));
    return reply.send({ ...before, proven: false, pending: false });
  });
}
