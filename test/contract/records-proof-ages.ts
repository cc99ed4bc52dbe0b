import { describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/domain/compliance.ts';
import { HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { own, registered } from './records-owners.ts';

const AGENT = 'https://agent.acme.example/mcp';
const DAY = 24 * HOUR;
const OLD = NOW + 180 * DAY;
const acme = { kind: 'operator', member: 'acme' } as const;
const change = { agent: AGENT, change: { monitoringPaused: true }, actor: acme };

/** A proof that grows old, and what time does to it. */
export function describeProofAges(world: () => RecordsWorld): void {
  describe('an old proof', () => {
    const owned = async () => {
      const { records } = world();
      await registered(records);
      await own(records, 'acme');
      await records.owners.keepCredential({ agent: AGENT, sealed: 'sealed', actor: acme }, NOW);
      const actions = async () =>
        (await records.owners.auditLog({ subject: AGENT, limit: 3 })).map(({ action }) => action);
      return { records, owners: records.owners, actions };
    };

    it('is asked for again after 180 days, and counts for 30 more', async () => {
      const { owners, actions } = await owned();
      expect(await owners.ageProofs(OLD - 1)).toBe(0);
      expect(await owners.ageProofs(OLD)).toBe(1);
      expect(await owners.ageProofs(OLD)).toBe(0);
      expect((await actions())[0]).toBe('agent.proof_asked');
      expect(await owners.owner(AGENT)).toMatchObject({ member: 'acme', provenAt: NOW, askedAgainAt: OLD });
      expect(await owners.registered({ limit: 1 })).toMatchObject([{ askedAgainAt: OLD }]);
      expect(await owners.ageProofs(OLD + 30 * DAY - 1)).toBe(0);
      expect(await owners.credential(AGENT)).toMatchObject({ member: 'acme' });
      expect(await owners.changeSettings(change, OLD + 30 * DAY - 1)).toMatchObject({ ok: true });
    });

    it('that is not proven again ends the ownership with all that it gave', async () => {
      const { records, owners, actions } = await owned();
      await owners.ageProofs(OLD);
      expect(await owners.ageProofs(OLD + 30 * DAY)).toBe(1);
      expect(await owners.ageProofs(OLD + 31 * DAY)).toBe(0);
      expect((await actions())[0]).toBe('agent.proof_ended');
      expect(await owners.owner(AGENT)).toBeUndefined();
      expect(await owners.credential(AGENT)).toBeUndefined();
      expect(await owners.credentials({ limit: 9 })).toEqual([]);
      expect((await records.compliance.state(AGENT))?.owner).toBeUndefined();
      expect(await records.runs.due(9, OLD + 32 * DAY)).toEqual([]);
      expect(await records.runs.toReconsider(9, OLD + 32 * DAY)).toContain(AGENT);
      expect(await owners.registered({ limit: 1 })).toMatchObject([{ agent: AGENT, member: 'acme' }]);
    });

    it('is asked for by whoever changes something, where nobody else has', async () => {
      const { owners } = await owned();
      expect(await owners.changeSettings(change, OLD + 90 * DAY)).toMatchObject({ ok: true });
      expect(await owners.owner(AGENT)).toMatchObject({ askedAgainAt: OLD + 90 * DAY });
      const later = OLD + 120 * DAY;
      const refused = { ok: false, reason: 'not_owner' };
      expect(await owners.changeSettings(change, later)).toEqual(refused);
      expect(await owners.keepCredential({ agent: AGENT, sealed: 'x', actor: acme }, later)).toBe(
        'not_owner',
      );
      const ask = { agent: AGENT, runId: 'r', trigger: 'owner_test', actor: acme } as const;
      expect(await world().records.runs.request(ask, () => 0, later)).toEqual({
        ok: false,
        reason: 'not_owned',
      });
      expect(await owners.settings(AGENT)).toEqual({ ...DEFAULT_SETTINGS, monitoringPaused: true });
    });

    it('is as good as new when it is proven again', async () => {
      const { owners } = await owned();
      await owners.ageProofs(OLD);
      const wanted = { agent: AGENT, member: 'acme', token: 'again', expiresAt: OLD + 2 * DAY };
      const { token } = await owners.challenge(wanted, OLD + DAY);
      expect(await owners.prove({ agent: AGENT, member: 'acme', token, via: 'file' }, OLD + DAY)).toBe(
        'proven',
      );
      expect(await owners.owner(AGENT)).toEqual({ member: 'acme', provenAt: OLD + DAY, via: 'file' });
      expect(await owners.ageProofs(OLD + 60 * DAY)).toBe(0);
      expect(await owners.credential(AGENT)).toMatchObject({ member: 'acme' });
    });

    it('survives a clock that jumps ahead by a year and comes back', async () => {
      const { owners } = await owned();
      const jumped = NOW + 365 * DAY;
      expect(await owners.ageProofs(jumped)).toBe(1);
      expect(await owners.ageProofs(jumped + DAY)).toBe(0);
      expect(await owners.ageProofs(NOW + DAY)).toBe(0);
      expect(await owners.owner(AGENT)).toMatchObject({ member: 'acme' });
      expect(await owners.ageProofs(OLD)).toBe(1); // asked for in what is the future now: it is asked for anew
      expect(await owners.owner(AGENT)).toMatchObject({ askedAgainAt: OLD });
    });

    it('whose domain has gone to another member gives that one everything, and the old one nothing', async () => {
      const { owners } = await owned();
      const wanted = { agent: AGENT, member: 'bolt', token: 'of bolt', expiresAt: NOW + HOUR };
      const { token } = await owners.challenge(wanted, NOW + 1);
      expect(await owners.prove({ agent: AGENT, member: 'bolt', token, via: 'dns' }, NOW + 1)).toBe('proven');
      expect(await owners.owner(AGENT)).toMatchObject({ member: 'bolt' });
      expect(await owners.credentials({ limit: 9 })).toEqual([]);
      expect(await owners.changeSettings(change, NOW + 2)).toEqual({ ok: false, reason: 'not_owner' });
      expect(await owners.keepCredential({ agent: AGENT, sealed: 'x', actor: acme }, NOW + 2)).toBe(
        'not_owner',
      );
    });
  });
}
