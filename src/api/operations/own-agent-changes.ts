import { defined, type JsonObject } from '../../base/json.ts';
import type { KeyActor } from '../../domain/actor.ts';
import type { Contact } from '../../domain/agent-facts.ts';
import { AGENT_TYPES, type AgentType } from '../../domain/agent-type.ts';
import { isEmail, isWebsite } from '../../domain/member-text.ts';
import { cleanText, codePoints } from '../../domain/text.ts';
import type { AgentDetails } from '../../records/owners/registrations.ts';
import { readMembers } from '../body.ts';
import { invalidKey } from '../callers.ts';
import { agentOf } from '../parameters.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { agentOfMember, notYours, type OwnAgentParts, reconsidered } from './own-agent.ts';

/** Pending agents of one member. */
export const MOST_PENDING = 100;
/** Characters. */
const LONGEST = { name: 200, description: 2_000, contact: 200 } as const;
const NAMES = ['type', 'name', 'description', 'contact'] as const;
const TYPES: readonly string[] = AGENT_TYPES.filter((type) => type !== 'unknown');

/**
 * Adds an agent for the member that acts, from the body of the operation: its `url` and details. It is pending until
 * verified; `owned` if the member owns it already. Throws HttpProblems.
 */
export async function askForAgent(
  { records, clock, urlFault }: OwnAgentParts,
  actor: KeyActor,
  body: unknown,
): Promise<{ readonly agent: string; readonly isOwned: boolean }> {
  const { url, ...details } = readMembers(body, ['url', ...NAMES]);
  const [agent, address] = addressOf(url, urlFault);
  const registration = { agent, url: address, member: actor.member, ...detailsOf(details) };
  const outcome = await records.members.askForAgent({ registration, actor, most: MOST_PENDING }, clock.now());
  if (outcome === 'key_revoked') throw invalidKey();
  if (outcome === 'too_many')
    throw new HttpProblem(
      'too_many_agents',
      `${MOST_PENDING} agents are pending, which is the limit; verify or remove one first`,
    );
  return { agent, isOwned: outcome === 'owned' };
}

/** Changes the details of an agent of the member, from the body of the operation. Throws HttpProblems. */
export async function describeAgent(
  { records, clock, onChanged }: OwnAgentParts,
  actor: KeyActor,
  agent: string,
  body: unknown,
): Promise<void> {
  const change = detailsOf(readMembers(body, NAMES));
  const outcome = await records.members.changeOwnAgent({ agent, change, actor }, clock.now());
  if (outcome === 'key_revoked') throw invalidKey();
  if (outcome === 'unknown_agent') throw notYours();
  if (outcome === 'owned') await onChanged?.();
}

/** Removes an agent of the member, pending or owned; returns its last state. Throws HttpProblems. */
export async function giveUpAgent(parts: OwnAgentParts, actor: KeyActor, agent: string) {
  const { records, clock } = parts;
  const before = await agentOfMember(parts, agent, actor.member);
  const outcome = await records.owners.unregister(agent, actor.member, clock.now(), actor);
  if (outcome === 'key_revoked') throw invalidKey();
  // `not_registered`: the same request came twice, and the other one has removed it since it was read
  if (!before.pending) await reconsidered(parts, agent);
  return before;
}

/** The identity of an agent and the URL that is called. Throws HttpProblems. */
function addressOf(
  url: unknown,
  urlFault: OwnAgentParts['urlFault'],
): readonly [agent: string, address: string] {
  if (typeof url !== 'string') throw invalidValue('url', 'enter the URL that clients call');
  const agent = agentOf(url, 'url');
  const fault = urlFault?.(url, 'http_or_https');
  if (fault !== undefined) throw invalidValue('url', fault);
  return [agent, url];
}

/** The details of an agent; null deletes a detail. Throws HttpProblems. */
function detailsOf({ type, name, description, contact }: JsonObject): AgentDetails {
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
  throw invalidValue(name, `a string of 1 to ${LONGEST[name]} characters is expected`);
}

/** Reads a contact. Throws HttpProblems. */
export function contactOf(value: unknown): Contact {
  const { name, email, website } = readMembers(value, ['name', 'email', 'website']);
  if (email !== undefined && !(typeof email === 'string' && isEmail(email)))
    throw invalidValue('contact', 'email: an e-mail address such as agents@nova.example is expected');
  if (website !== undefined && !(typeof website === 'string' && isWebsite(website)))
    throw invalidValue('contact', 'website: a URL such as https://nova.example/agents is expected');
  const said = name === undefined ? undefined : textOf('contact', name);
  return defined({ name: said, email, website });
}
