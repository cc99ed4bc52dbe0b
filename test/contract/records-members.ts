import { describe, expect, it } from 'vitest';
import { decideChange } from '../../src/compliance/decide.ts';
import { documentOf, NOW, type RecordsWorld } from './records-fixtures.ts';
import { own } from './records-owners.ts';

const ACME = {
  slug: 'acme',
  displayName: 'Acme',
  tier: 'builder',
  tierLabel: 'Builder',
  foundingMember: true,
  contact: { email: 'ads@acme.example' },
};
const AGENT = 'https://agent.acme.example/mcp';

/** Members and registrations. */
export function describeMembers(world: () => RecordsWorld): void {
  describe('members', () => {
    it('adds, replaces and leaves members by slug', async () => {
      const { members } = world().records;
      const bolt = { slug: 'bolt', displayName: 'Bolt', foundingMember: false };
      expect(await members.import([ACME, bolt], NOW)).toEqual({ added: 2, changed: 0, unchanged: 0 });
      expect(await members.import([ACME, { ...bolt, displayName: 'Bolt Ltd' }], NOW)).toEqual({
        added: 0,
        changed: 1,
        unchanged: 1,
      });
      expect(await members.get('acme')).toEqual(ACME);
      expect((await members.list()).map((member) => member.displayName)).toEqual(['Acme', 'Bolt Ltd']);
    });

    it('takes the last of two members with the same slug in one import', async () => {
      const { members } = world().records;
      const renamed = { ...ACME, displayName: 'Acme Ltd' };
      expect(await members.import([ACME, renamed], NOW)).toEqual({ added: 1, changed: 1, unchanged: 0 });
      expect(await members.get('acme')).toEqual(renamed);
    });

    it('audits an import that changes something, and no other', async () => {
      const { members, owners } = world().records;
      for (const _ of [1, 2]) await members.import([ACME], NOW);
      expect(await owners.auditLog({ limit: 10 })).toMatchObject([
        { action: 'members.import', details: { added: 1 } },
      ]);
    });

    describe('that joined', () => {
      const ID = 'mem_0123456789abcdef';
      const ADOPTED = { ...ACME, slug: 'joined-acme', id: ID };
      const withJoined = async () => {
        const { records } = world();
        await records.members.invite({ hash: 'one', expiresAt: NOW + 9 }, NOW);
        const key = { id: 'ark_0123456789abcdef', hash: 'h' };
        const wanted = { id: ID, slug: 'joined-acme', displayName: 'Somebody' };
        await records.members.join({ hash: 'one', key, wanted }, NOW);
        return records;
      };
      const other = { slug: 'bolt', displayName: 'Bolt', foundingMember: false };

      it.each([
        [
          'has no id',
          { ...ACME, slug: 'joined-acme' },
          /the member joined-acme joined by invitation or domain/,
        ],
        [
          'has the id of another one',
          { ...ADOPTED, id: 'mem_ffffffffffffffff' },
          /is not mem_ffffffffffffffff/,
        ],
        [
          'names its id beside a new slug',
          { ...ACME, id: ID },
          /no member acme with the id mem_0123456789abcdef/,
        ],
        [
          'makes a member of their namespace',
          { ...ACME, slug: 'joined-new' },
          /joined-new is reserved for members that join/,
        ],
      ])('stay as they are when an import %s, and nothing of it is imported', async (_what, entry, why) => {
        const { members, owners } = await withJoined();
        const before = await owners.auditLog({ limit: 10 });
        const imported = members.import([other, entry], NOW + 1);
        await expect(imported).rejects.toMatchObject({ code: 'input_invalid', message: why });
        expect(await members.list()).toEqual([
          { id: ID, slug: 'joined-acme', displayName: 'Somebody', foundingMember: false },
        ]);
        expect(await owners.auditLog({ limit: 10 })).toEqual(before);
      });

      it('are taken over by an import with their id, again and again, and each change leaves a record', async () => {
        const { members, owners } = await withJoined();
        const counts = await members.import([other, ADOPTED], NOW + 1);
        expect(counts).toEqual({ added: 1, changed: 1, unchanged: 0 });
        expect(await members.get('joined-acme')).toEqual(ADOPTED);
        expect(await owners.auditLog({ subject: 'joined-acme', limit: 1 })).toMatchObject([
          { actor: 'operator', action: 'member.adopt', details: { id: ID, tier: 'builder' } },
        ]);
        expect(await members.import([other, ADOPTED], NOW + 2)).toMatchObject({ unchanged: 2 });
        await expect(members.import([{ ...ADOPTED, id: undefined }] as never, NOW + 3)).rejects.toThrow(
          'joined by invitation or domain',
        );
      });

      it('have an id that no imported member has', async () => {
        const { members } = await withJoined();
        await members.import([other], NOW);
        await expect(members.import([{ ...other, id: ID }], NOW)).rejects.toThrow(
          'the member bolt was imported and has no id',
        );
        expect(await members.get('bolt')).toEqual(other);
      });
    });

    it('shows members of whom an agent has a document, with these agents, and says when there are more', async () => {
      const { members, agents } = world().records;
      const slugs = ['acme', 'bolt', 'crow'];
      await members.import(
        slugs.map((slug) => ({ ...ACME, slug })),
        NOW,
      );
      const mine = (slug: string, at: number) => `https://${slug}-${at}.example/mcp`;
      for (const slug of ['acme', 'crow'])
        for (const at of [1, 2]) {
          const agent = mine(slug, at);
          await members.register({ agent, url: agent, member: slug }, NOW);
        }
      await members.register({ agent: mine('bolt', 1), url: mine('bolt', 1), member: 'bolt' }, NOW);
      const listed = [mine('acme', 1), mine('acme', 2), mine('crow', 2)];
      const dirty = await agents.takeDirty(10, NOW);
      await agents.saveStitched(
        dirty.map((one) => ({
          ...one,
          stitched: listed.includes(one.agent) ? { document: documentOf(one.agent) } : {},
        })),
        NOW,
      );
      const shown = await members.shown({ limit: 10, agents: 1 });
      expect(shown).toEqual([
        {
          ...{ slug: 'acme', display_name: 'Acme', membership_tier: 'builder' },
          ...{ membership_tier_label: 'Builder', is_founding_member: true },
          ...{ agents: [{ agent: mine('acme', 1), proven: false }], isCut: true },
        },
        expect.objectContaining({
          ...{ slug: 'crow', agents: [{ agent: mine('crow', 2), proven: false }], isCut: false },
        }),
      ]);
      expect(await members.shown({ after: 'acme', limit: 10, agents: 1 })).toEqual([shown[1]]);
      expect(await members.shown({ limit: 1, agents: 1 })).toEqual([shown[0]]);
      expect(await members.shown({ slug: 'crow', limit: 1, agents: 1 })).toEqual([shown[1]]);
      expect(await members.shown({ slug: 'bolt', limit: 1, agents: 1 })).toEqual([]);
    });

    it('registers an agent to a member, due at once at the URL given', async () => {
      const { members, sources, agents } = world().records;
      await members.import([ACME], NOW);
      const registration = await members.register(
        { agent: AGENT, url: `${AGENT}/`, member: 'acme', type: 'sales', name: 'Seller' },
        NOW,
      );
      expect(registration).toEqual({
        member: {
          slug: 'acme',
          display_name: 'Acme',
          membership_tier: 'builder',
          membership_tier_label: 'Builder',
          is_founding_member: true,
        },
        proven: false,
        addedAt: NOW,
        type: 'sales',
        name: 'Seller',
        contact: { email: 'ads@acme.example' },
      });
      expect(await sources.get({ kind: 'agent', key: AGENT })).toMatchObject({ nextVisitAt: NOW });
      expect(await agents.dialled(AGENT)).toBe(`${AGENT}/`);
      expect(await agents.facts([AGENT])).toMatchObject([{ registration, declared: false }]);
      expect(await agents.takeDirty(10, NOW)).toMatchObject([{ agent: AGENT }]);
    });

    it('keeps the day on which an agent was added when it is registered again', async () => {
      const { members } = world().records;
      await members.import([ACME], NOW);
      await members.register({ agent: AGENT, url: AGENT, member: 'acme' }, NOW);
      expect(
        await members.register({ agent: AGENT, url: AGENT, member: 'acme', name: 'New' }, NOW + 9),
      ).toMatchObject({ addedAt: NOW, name: 'New' });
    });

    it('refuses a registration to nobody', async () => {
      const refused = world().records.members.register({ agent: AGENT, url: AGENT, member: 'nobody' }, NOW);
      await expect(refused).rejects.toMatchObject({ code: 'not_found' });
    });

    it('has the badges of the agents of all changed members looked at, and of no others', async () => {
      const { records } = world();
      const { members, runs, compliance } = records;
      const agentOf = (slug: string) => `https://${slug}.example/mcp`;
      const slugs = ['zeta', 'bolt', 'acme', 'still'];
      const theirs = (tier: string) =>
        slugs.map((slug) => ({ slug, displayName: slug, foundingMember: false, tier }));
      await members.import(theirs('none'), NOW);
      for (const slug of slugs) {
        await members.register({ agent: agentOf(slug), url: agentOf(slug), member: slug }, NOW);
        await own(records, slug, NOW, agentOf(slug));
        await compliance.reconsider(agentOf(slug), decideChange({ now: NOW }), NOW);
      }
      expect(await runs.toReconsider(9, NOW + 1)).toEqual([]);
      await members.import(theirs('builder').slice(0, 3), NOW + 1);
      expect(await runs.toReconsider(9, NOW + 1)).toEqual(['acme', 'bolt', 'zeta'].map(agentOf));
    });

    it('makes the agents of a changed member dirty', async () => {
      const { members, agents } = world().records;
      await members.import([ACME], NOW);
      await members.register({ agent: AGENT, url: AGENT, member: 'acme' }, NOW);
      const dirty = await agents.takeDirty(10, NOW);
      await agents.saveStitched(
        dirty.map((agent) => ({ ...agent, stitched: {} })),
        NOW,
      );
      expect(await agents.takeDirty(10, NOW)).toEqual([]);
      await members.import([{ ...ACME, displayName: 'Acme Inc' }], NOW);
      expect(await agents.takeDirty(10, NOW)).toMatchObject([{ agent: AGENT }]);
    });
  });
}
