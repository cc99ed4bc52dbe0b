import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { composeProofs } from '../../../src/compose/proofs.ts';
import { readConfig } from '../../../src/config.ts';
import type { ProofSearch } from '../../../src/owners/proof.ts';
import { type FreshApiKey, newSecret, secretHash } from '../../../src/owners/secrets.ts';
import type { Records } from '../../../src/ports/records.ts';
import { openNameServer } from '../../owners/support/name-server.ts';
import { PROBED_AT } from './registry.ts';

/** The agent that two claim. */
export const AGENT = 'https://sales.nova.example/mcp';
const MINE = '/api/me/agents';
const ONE = `${MINE}/${encodeURIComponent(AGENT)}`;
const MEMBERS = ['nova', 'orbit'] as const;
type Member = (typeof MEMBERS)[number];

export interface RacedRegistry {
  readonly records: Records;
  /** The servers of one registry: members are spread over them. */
  readonly servers: readonly FastifyInstance[];
  addKey(member: string): Promise<FreshApiKey>;
}

type OpenRaced = (
  findProof: (agent: string, token: string) => Promise<ProofSearch>,
) => Promise<RacedRegistry>;

/** Two members, and the host of the agent, which answers when so many have asked for its file. */
async function world(open: OpenRaced) {
  const site = { body: '', waitsFor: 1 };
  let waiting: (() => void)[] = [];
  const release = () => {
    for (const answer of waiting) answer();
    waiting = [];
  };
  const host = createServer((_request, response) => {
    waiting.push(() => void response.end(site.body));
    if (waiting.length >= site.waitsFor) release();
  }).listen(0, '127.0.0.1');
  await once(host, 'listening');
  onTestFinished(() => void host.close());
  const network = {
    connectTo: [`sales.nova.example=http://127.0.0.1:${(host.address() as AddressInfo).port}`],
  };
  const config = readConfig({});
  const nameServer = await openNameServer({});
  /** Each process has a way out of its own. */
  const proofs = () => {
    const made = composeProofs({ config, network, clock: { now: () => PROBED_AT }, nameServer });
    onTestFinished(() => made.close());
    return made;
  };
  const ways = [proofs(), proofs()];
  let looks = 0;
  const findProof = (agent: string, token: string) => {
    looks += 1;
    return (ways[looks % 2] ?? proofs()).find(agent, token);
  };
  const registry = await open(findProof);
  const { records, servers } = registry;
  const serverOf = (place: number) => servers[place % servers.length] as FastifyInstance;
  const keys = { nova: await registry.addKey('nova'), orbit: await registry.addKey('orbit') };
  const as = async (member: Member, url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${keys[member].key}` };
    const server = serverOf(MEMBERS.indexOf(member));
    const answer = await server.inject({ method: 'POST', url, headers, ...(payload && { payload }) });
    return { member, status: answer.statusCode, body: answer.json(), headers: answer.headers };
  };
  const deeds = async (action: string) =>
    (await records.owners.auditLog({ subject: AGENT, limit: 50 })).filter((one) => one.action === action);
  return { ...registry, serverOf, site, release, as, keys, deeds };
}

/** Both members have asked for the agent, and its host shows both of their texts. */
async function challenged(open: OpenRaced) {
  const made = await world(open);
  for (const member of MEMBERS) {
    await made.as(member, MINE, { url: AGENT });
    made.site.body += `${(await made.as(member, `${ONE}/challenge`)).body.token}\n`;
  }
  return made;
}

/** What comes of two who claim the same at the same moment. */
export function describeRegistrationRaces(name: string, open: OpenRaced): void {
  describe(`a registration race on ${name}`, () => {
    it('has one winner of two members who prove at once; the other is told why, and may prove again', async () => {
      const { site, as, keys, deeds, records } = await challenged(open);
      site.waitsFor = 2;
      const came = await Promise.all(MEMBERS.map((member) => as(member, `${ONE}/prove`)));
      const won = came.filter(({ status }) => status === 200);
      expect(won.map(({ body }) => body)).toMatchObject([{ proven: true, via: 'file' }]);
      const winner = won[0]?.member as Member;
      const lost = came.find(({ member }) => member !== winner);
      expect([lost?.status, lost?.body.detail]).toEqual([
        404,
        expect.stringContaining('another member has verified'),
      ]);
      expect(await records.owners.owner(AGENT)).toMatchObject({ member: winner });
      expect(await records.owners.registered({ limit: 9 })).toMatchObject([{ member: winner }]);
      expect(await deeds('agent.prove')).toMatchObject([
        { actor: keys[winner].id, details: { member: winner, previous_owner: null } },
      ]);
      const loser = lost?.member as Member;
      site.waitsFor = 1;
      site.body = (await as(loser, `${ONE}/challenge`)).body.token;
      expect((await as(loser, `${ONE}/prove`)).body).toMatchObject({ proven: true });
      const [last] = await deeds('agent.prove');
      expect(last?.details).toMatchObject({ member: loser, previous_owner: winner });
    });

    it('proves once for a member who asks twice at once', async () => {
      const { as, deeds } = await challenged(open);
      const asked = await Promise.all([1, 2].map(() => as('nova', `${ONE}/prove`)));
      expect(asked.map(({ status, body }) => [status, body.proven])).toEqual([
        [200, true],
        [200, true],
      ]);
      expect(await deeds('agent.prove')).toHaveLength(1);
    });

    it('tells a member that it is verified when the second request finds the text used by the first', async () => {
      const { as, deeds } = await challenged(open);
      await as('nova', `${ONE}/prove`);
      const { status, body } = await as('nova', `${ONE}/prove`); // the clock stands still: they came at the same moment
      expect([status, body]).toEqual([200, { url: AGENT, proven: true, via: 'file', looked: [] }]);
      expect(await deeds('agent.prove')).toHaveLength(1);
    });

    it('gives a member who asks five times at once one text, and each member another', async () => {
      const { as, deeds, records } = await world(open);
      const times = [1, 2, 3, 4, 5].flatMap(() => MEMBERS);
      const asked = await Promise.all(times.map((member) => as(member, MINE, { url: AGENT })));
      expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([201]));
      const given = await Promise.all(times.map((member) => as(member, `${ONE}/challenge`)));
      const tokens = Map.groupBy(given, ({ body }) => body.token);
      expect([...tokens.values()].map((of) => new Set(of.map(({ member }) => member)))).toEqual(
        MEMBERS.map((member) => new Set([member])),
      );
      expect(await deeds('agent.challenge')).toHaveLength(2);
      expect(await records.owners.registered({ limit: 9 })).toEqual([]);
      for (const member of MEMBERS)
        expect(await records.owners.registered({ member, limit: 9 })).toHaveLength(1);
    });

    it('makes one member by a link that several use at once, and tells the others that it was used', async () => {
      const { records, serverOf } = await world(open);
      const invitation = newSecret();
      const hash = secretHash(invitation) ?? '';
      await records.members.invite({ hash, expiresAt: PROBED_AT + 60_000 }, PROBED_AT);
      const before = await records.keys.list();
      const came = await Promise.all(
        ['alpha', 'beta', 'gamma', 'alpha'].map((slug, place) => {
          const payload = { invitation, slug, display_name: slug };
          return serverOf(place).inject({ method: 'POST', url: '/api/registry/join', payload });
        }),
      );
      const [made, ...others] = came.toSorted((a, b) => a.statusCode - b.statusCode);
      expect([made?.statusCode, others.map(({ statusCode }) => statusCode)]).toEqual([201, [404, 404, 404]]);
      for (const other of others) expect(other.json().detail).toContain('used or expired');
      const { member } = made?.json() ?? {};
      const slugs = (await records.members.list()).map(({ slug }) => slug);
      expect(slugs.filter((slug) => !MEMBERS.includes(slug as Member))).toEqual([member]);
      expect(await records.keys.list()).toHaveLength(before.length + 1);
      const joins = await records.owners.auditLog({ subject: member, limit: 9 });
      expect(joins.filter(({ action }) => action === 'member.join')).toHaveLength(1);
    });
  });
}
