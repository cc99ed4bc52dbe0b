import { describe, expect, it } from 'vitest';
import type { Records } from '../../src/ports/records.ts';
import { HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';

const ACME = { slug: 'acme', displayName: 'Acme', foundingMember: false };
const BOLT = { slug: 'bolt', displayName: 'Bolt', foundingMember: false };
const AGENT = 'https://agent.acme.example/mcp';
const NEXT = 'https://next.acme.example/mcp';

const challengeOf = (member: string, token: string, agent = AGENT) => ({
  agent,
  member,
  token,
  expiresAt: NOW + HOUR,
});

/** Makes a member the proven owner of the agent, as both commands do. */
export async function own({ owners }: Records, member: string, at = NOW, agent = AGENT): Promise<void> {
  const { token } = await owners.challenge(challengeOf(member, `token of ${member} ${at}`, agent), at);
  expect(await owners.prove({ agent, member, token, via: 'dns' }, at)).toBe('proven');
}

/** Two members, and an agent that is registered to the first. */
export async function registered(records: Records): Promise<void> {
  await records.members.import([ACME, BOLT], NOW);
  await records.members.register({ agent: AGENT, url: AGENT, member: 'acme', name: 'Seller' }, NOW);
}

/** Takes the dirty marks away, as a stitch does. */
export async function clean({ agents }: Records): Promise<void> {
  const dirty = await agents.takeDirty(10, NOW);
  await agents.saveStitched(
    dirty.map((agent) => ({ ...agent, stitched: {} })),
    NOW,
  );
}

/** Whose an agent is. */
export function describeOwners(world: () => RecordsWorld): void {
  describe('ownership', () => {
    it('counts once it is proven', async () => {
      const { records } = world();
      await registered(records);
      expect(await records.owners.owner(AGENT)).toBeUndefined();
      await clean(records);
      await own(records, 'acme', NOW + 1);
      expect(await records.owners.owner(AGENT)).toEqual({ member: 'acme', provenAt: NOW + 1, via: 'dns' });
      expect(await records.agents.facts([AGENT])).toMatchObject([{ registration: { proven: true } }]);
      expect(await records.agents.takeDirty(10, NOW)).toMatchObject([{ agent: AGENT }]);
    });

    it('needs a registered agent and a member', async () => {
      const { members, owners } = world().records;
      await members.import([ACME], NOW);
      const refused = { code: 'not_found', hint: expect.any(String) };
      await expect(owners.challenge(challengeOf('acme', 't'), NOW)).rejects.toMatchObject(refused);
      await expect(owners.challenge(challengeOf('nobody', 't'), NOW)).rejects.toMatchObject(refused);
    });

    it('gives the same challenge again until it expires, and another one to another member', async () => {
      const { records } = world();
      await registered(records);
      const { owners } = records;
      const first = await owners.challenge(challengeOf('acme', 'one'), NOW);
      expect(await owners.challenge(challengeOf('acme', 'two'), NOW + 1)).toEqual(first);
      expect(await owners.challenge(challengeOf('bolt', 'three'), NOW)).toMatchObject({ token: 'three' });
      const later = { ...challengeOf('acme', 'four'), expiresAt: NOW + 2 * HOUR };
      expect(await owners.challenge(later, NOW + HOUR)).toEqual(later);
      expect(await owners.challengeOf(AGENT, 'acme')).toEqual(later);
    });

    it.each([
      ['another text', { token: 'other' }, NOW],
      ["another member's text", { member: 'bolt' }, NOW],
      ['the text of another agent', { agent: NEXT }, NOW],
      ['a text that has expired', {}, NOW + HOUR],
    ])('is not given for %s', async (_what, over, at) => {
      const { records } = world();
      await registered(records);
      await records.members.register({ agent: NEXT, url: NEXT, member: 'bolt' }, NOW);
      await records.owners.challenge(challengeOf('acme', 'one'), NOW);
      const proof = { agent: AGENT, member: 'acme', token: 'one', via: 'file', ...over } as const;
      expect(await records.owners.prove(proof, at)).toBe('no_challenge');
      expect(await records.owners.owner(proof.agent)).toBeUndefined();
    });

    it('goes to whoever proves it last, with the registration and without the words of the one before', async () => {
      const { records } = world();
      await registered(records);
      await own(records, 'acme');
      await own(records, 'bolt', NOW + 1);
      expect(await records.owners.owner(AGENT)).toMatchObject({ member: 'bolt' });
      const [facts] = await records.agents.facts([AGENT]);
      expect(facts?.registration).toMatchObject({ member: { slug: 'bolt' }, proven: true, addedAt: NOW });
      expect(facts?.registration).not.toHaveProperty('name');
      expect(await records.owners.auditLog({ subject: AGENT, limit: 1 })).toMatchObject([
        { action: 'agent.prove', details: { member: 'bolt', previous_owner: 'acme', registered_to: 'acme' } },
      ]);
    });

    it('is the same when the very proof is written again, as after a commit whose answer was lost', async () => {
      const { records } = world();
      await registered(records);
      const { token } = await records.owners.challenge(challengeOf('acme', 'one'), NOW);
      const proof = { agent: AGENT, member: 'acme', token, via: 'dns' } as const;
      expect(await records.owners.prove(proof, NOW)).toBe('proven');
      expect(await records.owners.prove(proof, NOW)).toBe('proven');
      expect(await records.owners.auditLog({ subject: AGENT, limit: 9 })).toHaveLength(3);
      expect(await records.owners.prove(proof, NOW + 1)).toBe('no_challenge');
    });

    it('ends once when a commit is repeated because its answer was lost', async () => {
      const { records } = world();
      await registered(records);
      await own(records, 'acme');
      const { owners, members } = records;
      for (const end of [
        () => owners.disown(AGENT, 'acme', NOW + 1),
        () => owners.unregister(AGENT, 'acme', NOW + 2),
        () => members.remove('acme', NOW + 3),
      ])
        expect(await end()).toEqual(await end());
      const actions = (await owners.auditLog({ limit: 3 })).map(({ action }) => action);
      expect(actions).toEqual(['member.remove', 'agent.unregister', 'agent.disown']);
      await expect(members.remove('acme', NOW + 4)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('cannot be won back with a text that was left on the domain', async () => {
      const { records } = world();
      await registered(records);
      const { owners } = records;
      await owners.challenge(challengeOf('acme', 'left over'), NOW);
      await own(records, 'bolt', NOW + 1);
      const proof = { agent: AGENT, member: 'acme', token: 'left over', via: 'dns' } as const;
      expect(await owners.prove(proof, NOW + 2)).toBe('no_challenge');
      expect(await owners.owner(AGENT)).toMatchObject({ member: 'bolt' });
    });

    it('has one winner when two prove at the same time', async () => {
      const { records, harness } = world();
      await registered(records);
      const other = await harness.open();
      const [a, b] = await Promise.all([
        records.owners.challenge(challengeOf('acme', 'a'), NOW),
        records.owners.challenge(challengeOf('bolt', 'b'), NOW),
      ]);
      const won = await Promise.all([
        records.owners.prove({ agent: AGENT, member: 'acme', token: a.token, via: 'dns' }, NOW + 1),
        other.owners.prove({ agent: AGENT, member: 'bolt', token: b.token, via: 'dns' }, NOW + 1),
      ]);
      expect(won.toSorted()).toEqual(['no_challenge', 'proven']);
      const winner = won[0] === 'proven' ? 'acme' : 'bolt';
      expect(await records.owners.owner(AGENT)).toMatchObject({ member: winner });
      expect(await records.owners.registered({ limit: 9 })).toMatchObject([{ member: winner }]);
      await other.close();
    });

    it('is not taken away by a registration to another member', async () => {
      const { records } = world();
      await registered(records);
      await own(records, 'acme');
      const wanted = { agent: AGENT, url: AGENT, member: 'bolt' };
      await expect(records.members.register(wanted, NOW)).rejects.toMatchObject({ code: 'input_invalid' });
      await records.members.register({ ...wanted, member: 'acme', name: 'New' }, NOW + 1);
      expect(await records.owners.owner(AGENT)).toMatchObject({ member: 'acme' });
    });

    it('is given up, and the registration stays', async () => {
      const { records } = world();
      await registered(records);
      await own(records, 'acme');
      expect(await records.owners.disown(AGENT, 'bolt', NOW + 1)).toBe(false);
      expect(await records.owners.disown(AGENT, 'acme', NOW + 1)).toBe(true);
      expect(await records.owners.disown(AGENT, 'acme', NOW + 2)).toBe(false);
      expect(await records.owners.owner(AGENT)).toBeUndefined();
      expect(await records.owners.registered({ member: 'acme', limit: 9 })).toEqual([
        { agent: AGENT, url: AGENT, member: 'acme', addedAt: NOW, details: { name: 'Seller' } },
      ]);
    });

    it('ends with the registration, and an agent that nobody declares has its grace from then', async () => {
      const { records } = world();
      await registered(records);
      await own(records, 'acme');
      await expect(records.members.remove('acme', NOW)).rejects.toMatchObject({ code: 'input_invalid' });
      expect(await records.owners.unregister(AGENT, 'bolt', NOW + HOUR)).toBe('not_registered');
      expect(await records.owners.unregister(AGENT, 'acme', NOW + HOUR)).toBe('unregistered');
      const [facts] = await records.agents.facts([AGENT]);
      expect(facts).toMatchObject({ declared: false, declarationEndedAt: NOW + HOUR });
      expect(facts).not.toHaveProperty('registration');
      await records.members.remove('acme', NOW + HOUR);
    });

    it('is listed page by page', async () => {
      const { records } = world();
      await registered(records);
      await records.members.register({ agent: NEXT, url: NEXT, member: 'bolt' }, NOW);
      await own(records, 'bolt', NOW, NEXT);
      const [first] = await records.owners.registered({ limit: 1 });
      expect(first?.agent).toBe(AGENT);
      expect(await records.owners.registered({ after: AGENT, limit: 1 })).toEqual([
        { agent: NEXT, url: NEXT, member: 'bolt', addedAt: NOW, provenAt: NOW, via: 'dns', details: {} },
      ]);
      expect(await records.owners.registered({ member: 'bolt', limit: 9 })).toHaveLength(1);
    });
  });
}
