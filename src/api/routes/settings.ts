import type { FastifyInstance } from 'fastify';
import type { TierTable } from '../../compliance/badges/tiers.ts';
import { decideChange } from '../../compliance/decide.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Records } from '../../ports/records.ts';
import { entityTag, sendTagged } from '../conditional.ts';
import { type AskedOfAgent, ofOwner } from '../of-owner.ts';
import { notYours } from '../owner-only.ts';
import { readSettings } from '../read-settings.ts';
import { agentSettings } from '../render/agent-settings.ts';
import { invalidKey } from '../viewer.ts';

export const SETTINGS_PATH = '/api/registry/agents/:encodedUrl/settings';

export interface SettingsParts {
  readonly records: Pick<Records, 'owners' | 'compliance'>;
  readonly clock: Clock;
  /** Brings a change into the list; resolves when it is there, or when that takes longer than a caller should wait. */
  readonly onChanged?: () => Promise<void>;
  /** Which memberships grant badges; absent: the usual ones. */
  readonly tiers?: TierTable;
}

const OPERATION = 'the settings operation';

/** More than any change can have, bytes. */
const MAX_BODY = 4_096;

/**
 * GET and PATCH /api/registry/agents/{encodedUrl}/settings, for the key of the agent's proven owner. Everybody else gets
 * one and the same 404, also for an agent that nobody owns or has heard of: whose an agent is, is nobody's business.
 */
export function settingsRoutes(
  server: FastifyInstance,
  { records, clock, onChanged, tiers }: SettingsParts,
): void {
  const { owners } = records;
  server.get(SETTINGS_PATH, async (request: AskedOfAgent, reply) => {
    const { agent, owner } = await ofOwner(owners, request, reply, OPERATION);
    const settings = await owners.settings(agent);
    if (settings === undefined) throw notYours();
    const body = Buffer.from(JSON.stringify(agentSettings(agent, owner, settings)));
    return sendTagged(request, reply, { body, etag: entityTag(body) });
  });
  server.patch(SETTINGS_PATH, { bodyLimit: MAX_BODY }, async (request: AskedOfAgent, reply) => {
    const { agent, owner, viewer } = await ofOwner(owners, request, reply, OPERATION);
    const actor = { kind: 'key', keyId: viewer.keyId, member: viewer.member } as const;
    const change = readSettings(request.body);
    const outcome = await owners.changeSettings({ agent, change, actor }, clock.now());
    if (!outcome.ok) throw outcome.reason === 'key_revoked' ? invalidKey() : notYours();
    if (outcome.changed) {
      const now = clock.now();
      await records.compliance.reconsider(agent, decideChange({ now, ...(tiers && { tiers }) }), now);
      await onChanged?.();
    }
    return reply.type('application/json; charset=utf-8').send(agentSettings(agent, owner, outcome.settings));
  });
}
