import type { FastifyInstance } from 'fastify';
import { present } from '../../base/json.ts';
import { MAX_MEMBER_NAME, memberName } from '../../domain/member-text.ts';
import type { Member, SelfDescription } from '../../records/owners/members.ts';
import { readMembers } from '../body.ts';
import { invalidKey } from '../callers.ts';
import { HttpProblem, invalidValue } from '../problem.ts';
import { answer, jsonBody, MEMBER_REFUSALS, scopedBy } from './description.ts';
import { ORG } from './my-agents.ts';
import { actingKey, type OwnAgentParts } from './own-agent.ts';
import { contactOf } from './own-agent-changes.ts';

const PATH = '/api/me/settings';
const MAX_BODY = 8_192;
const NAMES = ['display_name', 'contact'] as const;

const READ = {
  operationId: 'getMemberSettings',
  summary: 'Get the settings of your member',
  parameters: [ORG],
  responses: { 200: answer('The settings.', 'OwnMember', {}), ...MEMBER_REFUSALS },
};
const CHANGE = {
  operationId: 'changeMemberSettings',
  summary: 'Change the settings of your member',
  description:
    'Fields that are not sent keep their value; null deletes the contact. The records of your agents show these values. An import by the operator replaces them. Recorded in the audit log.',
  parameters: [ORG],
  requestBody: jsonBody('OwnMemberChange'),
  responses: {
    200: answer('The settings after the change.', 'OwnMember', {}),
    ...MEMBER_REFUSALS,
  },
};

/** GET and PATCH /api/me/settings: the name and contact of a member, by one of its keys. */
export function ownMemberOperations(
  server: FastifyInstance,
  { records, clock, onChanged }: Pick<OwnAgentParts, 'records' | 'clock' | 'onChanged'>,
): void {
  const { members } = records;
  server.get(PATH, scopedBy('read', READ), async (request, reply) => {
    const { member } = actingKey(request, reply);
    const known = await members.get(member);
    if (known === undefined) throw invalidKey();
    return reply.send(shownSettings(known));
  });
  const options = { ...scopedBy('settings', CHANGE), bodyLimit: MAX_BODY };
  server.patch(PATH, options, async (request, reply) => {
    const actor = actingKey(request, reply);
    const change = readChange(request.body);
    const changed = await members.describe(change, actor, clock.now());
    if (changed === 'key_revoked') throw invalidKey();
    await onChanged?.();
    return reply.send(shownSettings(changed));
  });
}

/** Throws HttpProblems. */
function readChange(body: unknown): SelfDescription {
  const { display_name: name, contact } = readMembers(body, NAMES);
  if (name === undefined && contact === undefined)
    throw new HttpProblem('bad_request', `send a JSON object with one or more of ${NAMES.join(', ')}`);
  return {
    ...(name !== undefined && { displayName: nameOf(name) }),
    ...(contact !== undefined && { contact: contact === null ? undefined : contactOf(contact) }),
  };
}

function nameOf(value: unknown): string {
  const name = typeof value === 'string' ? memberName(value) : undefined;
  if (name !== undefined) return name;
  throw invalidValue('display_name', `a string of 1 to ${MAX_MEMBER_NAME} characters is expected`);
}

/** With the tier that the operator assigned. */
function shownSettings({ slug, id, displayName, tier, tierLabel, contact }: Member): object {
  return {
    ...{ slug, id: id ?? null, display_name: displayName, contact: contact ?? null },
    ...present({ membership_tier: tier, membership_tier_label: tierLabel }),
  };
}
