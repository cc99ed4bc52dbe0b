import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { KeyActor } from '../../../src/domain/actor.ts';
import type { Records } from '../../../src/ports/records.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { during } from '../support/during.ts';
import { freshDatabase } from '../support/engines.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const ACME = { slug: 'acme', displayName: 'Acme', foundingMember: false };
const OWNED = 'https://sales.acme.example/mcp';
const PENDING = 'https://new.acme.example/mcp';
const ACTOR: KeyActor = { kind: 'key', keyId: 'ark_0123456789abcdef', member: 'acme' };
const challengeOf = (agent: string) => ({ agent, member: 'acme', token: 'text', expiresAt: NOW + 1_000 });
const proofOf = (agent: string) => ({ agent, member: 'acme', token: 'text', via: 'dns' }) as const;
const pending = (agent: string) => ({ agent, url: agent, member: 'acme' });

/** A member with a key, an agent that it owns, and a pending one with an open challenge. */
async function openWorld() {
  const url = await freshDatabase();
  const records = await openPostgresRecords({ url });
  const other = new Client(url);
  await other.connect();
  onTestFinished(async () => {
    await other.end();
    await records.close();
  });
  await records.members.import([ACME], NOW);
  await records.keys.create({ id: ACTOR.keyId, hash: 'h', member: 'acme' }, NOW);
  await records.members.register({ ...pending(OWNED), name: 'Seller' }, NOW);
  await records.owners.challenge(challengeOf(OWNED), NOW);
  await records.owners.prove(proofOf(OWNED), NOW);
  await records.members.askForAgent({ registration: pending(PENDING), actor: ACTOR, most: 2 }, NOW);
  await records.owners.challengeByKey(challengeOf(PENDING), ACTOR, NOW);
  return { records, other };
}

const at = NOW + 1;
const DEEDS: readonly [string, (records: Records) => Promise<unknown>][] = [
  [
    'adds an agent',
    ({ members }) => members.askForAgent({ registration: pending(`${OWNED}/2`), actor: ACTOR, most: 9 }, at),
  ],
  [
    'describes its agent',
    ({ members }) => members.changeOwnAgent({ agent: OWNED, change: { name: 'Other' }, actor: ACTOR }, at),
  ],
  [
    'describes a pending agent',
    ({ members }) => members.changeOwnAgent({ agent: PENDING, change: { name: 'Other' }, actor: ACTOR }, at),
  ],
  [
    'asks for a text',
    ({ owners }) => owners.challengeByKey({ ...challengeOf(OWNED), expiresAt: NOW + 9_000 }, ACTOR, at),
  ],
  ['proves', ({ owners }) => owners.prove({ ...proofOf(PENDING), actor: ACTOR }, at)],
  ['removes its agent', ({ owners }) => owners.unregister(OWNED, 'acme', at, ACTOR)],
  [
    'stores a statement',
    ({ owners }) => owners.keepStatement({ agent: OWNED, text: 'Hi', actor: ACTOR }, at),
  ],
  [
    'stores a credential',
    ({ owners }) => owners.keepCredential({ agent: OWNED, sealed: 'e30', actor: ACTOR }, at),
  ],
];

it.each(DEEDS)('a key that is being revoked changes nothing when it %s', async (_what, deed) => {
  const { records, other } = await openWorld();
  const logged = await records.owners.auditLog({ limit: 1 });
  await other.query('BEGIN');
  await other.query("SELECT slug FROM member WHERE slug = 'acme' FOR UPDATE"); // as `keys.revoke` does
  await other.query(`UPDATE api_key SET revoked_at = ${NOW} WHERE id = '${ACTOR.keyId}'`);
  expect(await during(other, ['COMMIT'], deed(records))).toBe('key_revoked');
  expect(await records.owners.auditLog({ limit: 1 })).toEqual(logged);
});

it.each(DEEDS)('a member that is being removed changes nothing when it %s', async (_what, deed) => {
  const { records, other } = await openWorld();
  await other.query('BEGIN');
  await other.query("SELECT slug FROM member WHERE slug = 'acme' FOR UPDATE"); // as `members.remove` does
  const removal = [
    'DELETE FROM api_key',
    'DELETE FROM ownership_challenge',
    'DELETE FROM pending_registration',
    'DELETE FROM registration',
    'DELETE FROM member',
    'COMMIT',
  ];
  expect(await during(other, removal, deed(records))).toBe('key_revoked');
});

it('two changes of a pending agent at once do not overwrite each other', async () => {
  const { records, other } = await openWorld();
  await other.query('BEGIN');
  await other.query("SELECT slug FROM member WHERE slug = 'acme' FOR UPDATE");
  await other.query(`UPDATE pending_registration SET description = 'Sells'`);
  const change = { agent: PENDING, change: { name: 'New' }, actor: ACTOR };
  expect(await during(other, ['COMMIT'], records.members.changeOwnAgent(change, at))).toBe('pending');
  const [found] = await records.owners.registered({ member: 'acme', agent: PENDING, limit: 1 });
  expect(found?.details).toEqual({ name: 'New', description: 'Sells' });
});

it('the limit of pending agents holds for two requests at once', async () => {
  const { records } = await openWorld();
  const ask = (n: number) => {
    const registration = pending(`https://agent-${n}.acme.example/mcp`);
    return records.members.askForAgent({ registration, actor: ACTOR, most: 3 }, at);
  };
  const outcomes = await Promise.all([1, 2, 3, 4, 5].map(ask));
  expect(outcomes.toSorted()).toEqual(['pending', 'pending', 'too_many', 'too_many', 'too_many']);
});

it('an operator does not register an agent that another member proves at that moment', async () => {
  const { records, other } = await openWorld();
  const agent = 'https://unknown.example/mcp';
  await records.members.import([{ ...ACME, slug: 'bolt' }], NOW);
  // as `prove` does for the first member that proves an agent nobody else has named
  await other.query('BEGIN');
  await other.query(`INSERT INTO agent (agent, first_seen_at, revision) VALUES ('${agent}', ${NOW}, 1)`);
  const proof = [
    `INSERT INTO registration (agent, url, member, added_at, proven_at, via)
     VALUES ('${agent}', '${agent}', 'acme', ${NOW}, ${NOW}, 'dns')`,
    'COMMIT',
  ];
  const registration = { agent, url: agent, member: 'bolt' };
  await expect(during(other, proof, records.members.register(registration, at))).rejects.toMatchObject({
    code: 'input_invalid',
  });
  expect(await records.owners.owner(agent)).toMatchObject({ member: 'acme' });
});
