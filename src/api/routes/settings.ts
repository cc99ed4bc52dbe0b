import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decideChange } from '../../compliance/decide.ts';
import type { Owner } from '../../domain/ownership.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OwnerStore } from '../../ports/owners.ts';
import type { Records } from '../../ports/records.ts';
import { agentOf, refuseParameters } from '../agent-address.ts';
import { entityTag, sendTagged } from '../conditional.ts';
import { HttpProblem } from '../problem.ts';
import { queryText } from '../query-text.ts';
import { readSettings } from '../read-settings.ts';
import { agentSettings } from '../render/agent-settings.ts';
import { invalidKey, type Viewer } from '../viewer.ts';

export const SETTINGS_PATH = '/api/registry/agents/:encodedUrl/settings';

export interface SettingsParts {
  readonly records: Pick<Records, 'owners' | 'compliance'>;
  readonly clock: Clock;
  /** Brings a change into the list; resolves when it is there, or when that takes longer than a caller should wait. */
  readonly onChanged?: () => Promise<void>;
}

type Asked = FastifyRequest<{ Params: { encodedUrl: string } }>;

/** More than any change can have, bytes. */
const MAX_BODY = 4_096;

/**
 * GET and PATCH /api/registry/agents/{encodedUrl}/settings, for the key of the agent's proven owner. Everybody else gets
 * one and the same 404, also for an agent that nobody owns or has heard of: whose an agent is, is nobody's business.
 */
export function settingsRoutes(server: FastifyInstance, { records, clock, onChanged }: SettingsParts): void {
  const { owners } = records;
  server.get(SETTINGS_PATH, async (request: Asked, reply) => {
    const { agent, owner } = await ofOwner(owners, request, reply);
    const settings = await owners.settings(agent);
    if (settings === undefined) throw notYours();
    const body = Buffer.from(JSON.stringify(agentSettings(agent, owner, settings)));
    return sendTagged(request, reply, { body, etag: entityTag(body) });
  });
  server.patch(SETTINGS_PATH, { bodyLimit: MAX_BODY }, async (request: Asked, reply) => {
    const { agent, owner, viewer } = await ofOwner(owners, request, reply);
    const actor = { kind: 'key', keyId: viewer.keyId, member: viewer.member } as const;
    const change = readSettings(request.body);
    const outcome = await owners.changeSettings({ agent, change, actor }, clock.now());
    if (!outcome.ok) throw outcome.reason === 'key_revoked' ? invalidKey() : notYours();
    if (outcome.changed) {
      const now = clock.now();
      await records.compliance.reconsider(agent, decideChange({ now }), now);
      await onChanged?.();
    }
    return reply.type('application/json; charset=utf-8').send(agentSettings(agent, owner, outcome.settings));
  });
}

interface OfOwner {
  readonly agent: string;
  readonly owner: Owner;
  readonly viewer: Extract<Viewer, { kind: 'member' }>;
}

/** The agent of the request, if its caller is the proven owner. */
async function ofOwner(
  owners: Pick<OwnerStore, 'owner'>,
  request: Asked,
  reply: FastifyReply,
): Promise<OfOwner> {
  const { viewer } = request;
  reply.header('cache-control', 'private, no-cache').header('vary', 'Authorization');
  refuseParameters(queryText(request), 'the settings operation');
  const agent = agentOf(request.params.encodedUrl);
  const owner = await owners.owner(agent); // asked for the public too, so that it takes everybody as long
  if (owner === undefined || viewer?.kind !== 'member' || viewer.member !== owner.member) throw notYours();
  return { agent, owner, viewer };
}

function notYours(): HttpProblem {
  return new HttpProblem(
    'not_found',
    'there are no settings of this agent for you; only the member that has proven to own it sees them, with its API key',
  );
}
