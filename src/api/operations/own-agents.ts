import type { FastifyInstance, FastifyRequest } from 'fastify';
import { defined, type JsonObject } from '../../base/json.ts';
import type { Contact } from '../../domain/agent-facts.ts';
import { AGENT_TYPES, type AgentType } from '../../domain/agent-type.ts';
import { isEmail, isWebsite } from '../../domain/member-text.ts';
import { isLoopbackHost } from '../../domain/ownership.ts';
import { cleanText, codePoints } from '../../domain/text.ts';
import type { MemberSaid } from '../../ports/members.ts';
import { readMembers } from '../body.ts';
import { invalidKey } from '../callers.ts';
import { agentOf } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { answer, jsonBody, linkTo, MEMBER_REFUSALS, problemAnswer, scopedBy } from './description.ts';
import { ORG } from './my-agents.ts';
import {
  actingKey,
  agentOfMember,
  notYours,
  OWN_URL,
  type OwnAgentParts,
  reconsidered,
} from './own-agent.ts';

/** Agents of one member that wait for their proof at once. */
const MOST_PENDING = 100;
/** More than a description can have, bytes. */
const MAX_BODY = 32_768;
/** Characters. */
const LONGEST = { name: 200, description: 2_000, contact: 200 } as const;

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
  const { clock } = parts;
  const { members, owners } = parts.records;
  const options = (operation: object) => ({
    ...scopedBy('agents', operation as typeof ASK),
    bodyLimit: MAX_BODY,
  });
  server.post('/api/me/agents', options(ASK), async (request, reply) => {
    const actor = actingKey(request, reply);
    const { url, ...said } = readMembers(request.body, ['url', ...NAMES]);
    const [agent, address] = addressOf(url);
    const registration = { agent, url: address, member: actor.member, ...saidOf(said) };
    const outcome = await members.askForAgent({ registration, actor, most: MOST_PENDING }, clock.now());
    if (outcome === 'key_revoked') throw invalidKey();
    if (outcome === 'too_many')
      throw new HttpProblem(
        'too_many_agents',
        `${MOST_PENDING} agents are pending; prove one or give one up`,
      );
    return reply.code(outcome === 'owned' ? 200 : 201).send(await agentOfMember(parts, agent, actor.member));
  });
  server.patch('/api/me/agents/:url', options(DESCRIBE), async (request: OwnRequest, reply) => {
    const actor = actingKey(request, reply);
    const agent = agentOf(request.params.url, 'url');
    const change = saidOf(readMembers(request.body, NAMES));
    const outcome = await members.changeOwnAgent({ agent, change, actor }, clock.now());
    if (outcome === 'key_revoked') throw invalidKey();
    if (outcome === 'unknown_agent') throw notYours();
    if (outcome === 'owned') await parts.onChanged?.();
    return reply.send(await agentOfMember(parts, agent, actor.member));
  });
  server.delete('/api/me/agents/:url', options(GIVE_UP), async (request: OwnRequest, reply) => {
    const actor = actingKey(request, reply);
    const agent = agentOf(request.params.url, 'url');
    const before = await agentOfMember(parts, agent, actor.member);
    if (!(await owners.unregister(agent, actor.member, clock.now(), actor))) throw notYours();
    if (!before.pending) await reconsidered(parts, agent);
    return reply.send({ ...before, proven: false, pending: false });
  });
}

/** The identity of an agent and the address that is dialled. Throws HttpProblems. */
function addressOf(url: unknown): readonly [agent: string, address: string] {
  if (typeof url !== 'string') throw invalidValue('url', 'the address that a client would dial is needed');
  const agent = agentOf(url, 'url');
  if (isLoopbackHost(new URL(agent).hostname))
    throw invalidValue('url', 'that is a machine itself; registered agents are called from anywhere');
  return [agent, url];
}

const NAMES = ['type', 'name', 'description', 'contact'] as const;
const TYPES: readonly string[] = AGENT_TYPES.filter((type) => type !== 'unknown');

/** What a member says of an agent; null takes back what was said. Throws HttpProblems. */
function saidOf({ type, name, description, contact }: JsonObject): MemberSaid {
  return {
    ...(type !== undefined && { type: type === null ? undefined : typeOf(type) }),
    ...(name !== undefined && { name: textOf('name', name) }),
    ...(description !== undefined && { description: textOf('description', description) }),
    ...(contact !== undefined && { contact: contact === null ? undefined : contactOf(contact) }),
  };
}

function typeOf(value: unknown): AgentType {
  if (typeof value === 'string' && TYPES.includes(value)) return value as AgentType;
  throw invalidValue('type', 'a type of agents is expected', TYPES);
}

function textOf(name: keyof typeof LONGEST, value: unknown): string | undefined {
  if (value === null) return undefined;
  const text = typeof value === 'string' ? cleanText(value) : '';
  if (text !== '' && codePoints(text) <= LONGEST[name]) return text;
  throw invalidValue(name, `a text of 1 to ${LONGEST[name]} characters is expected`);
}

/** Reads a contact. Throws HttpProblems. */
export function contactOf(value: unknown): Contact {
  const { name, email, website } = readMembers(value, ['name', 'email', 'website']);
  if (email !== undefined && !(typeof email === 'string' && isEmail(email)))
    throw invalidValue('contact', 'email: an address like agents@nova.example is expected');
  if (website !== undefined && !(typeof website === 'string' && isWebsite(website)))
    throw invalidValue('contact', 'website: a page like https://nova.example/agents is expected');
  const said = name === undefined ? undefined : textOf('contact', name);
  return defined({ name: said, email, website });
}
