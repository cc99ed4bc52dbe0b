import type { FastifyInstance, FastifyRequest } from 'fastify';
import { agentOf } from '../parameters.ts';
import { answer, jsonBody, linkTo, MEMBER_REFUSALS, problemAnswer, scopedBy } from './description.ts';
import { ORG } from './my-agents.ts';
import { actingKey, agentOfMember, OWN_URL, type OwnAgentParts } from './own-agent.ts';
import { askForAgent, describeAgent, giveUpAgent, MOST_PENDING } from './own-agent-changes.ts';

/** More than a description can have, bytes. */
const MAX_BODY = 32_768;

const NOT_YOURS = problemAnswer('The agent is not an agent of your member.');

const ASK = {
  operationId: 'askForAgent',
  summary: 'Add an agent',
  description: `The agent is pending until you verify that you control its domain: until then it is not tested, and its details are not published. Next, request the verification text. Adding the agent again replaces its details. Limit: ${MOST_PENDING} pending agents. Recorded in the audit log.`,
  parameters: [ORG],
  requestBody: jsonBody('AskedAgent'),
  responses: {
    200: {
      ...answer('The agent is already yours. Nothing was changed.', 'OwnAgent', {}),
      ...linkTo('describeOwnAgent', { url: '$response.body#/url' }),
    },
    201: {
      ...answer('The pending agent.', 'OwnAgent', {}),
      ...linkTo('challengeAgent', { url: '$response.body#/url' }),
    },
    ...MEMBER_REFUSALS,
    409: problemAnswer(`${MOST_PENDING} agents are pending.`),
  },
};
const DESCRIBE = {
  operationId: 'describeOwnAgent',
  summary: 'Change the details of one of your agents',
  description:
    'Fields that are not sent keep their value; null deletes one. The details of a pending agent are published once it is verified. Recorded in the audit log.',
  parameters: [OWN_URL, ORG],
  requestBody: jsonBody('DescribedAgent'),
  responses: {
    200: {
      ...answer('The agent after the change.', 'OwnAgent', {}),
      ...linkTo('giveUpAgent', { url: '$response.body#/url' }),
    },
    ...MEMBER_REFUSALS,
    404: NOT_YOURS,
  },
};
const GIVE_UP = {
  operationId: 'giveUpAgent',
  summary: 'Remove one of your agents',
  description:
    'Ends the registration and the ownership of the agent, and deletes its settings, test credential and badges. An agent that no file declares leaves the list after 24 hours. Recorded in the audit log.',
  parameters: [OWN_URL, ORG],
  responses: {
    200: answer('The agent before its removal.', 'OwnAgent', {}),
    ...MEMBER_REFUSALS,
    404: NOT_YOURS,
  },
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
