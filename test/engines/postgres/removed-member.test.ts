import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { Records } from '../../../src/ports/records.ts';
import { openPostgresRecords } from '../../../src/records/postgres/postgres-records.ts';
import { during } from '../support/during.ts';
import { freshDatabase } from '../support/engines.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const SLUG = 'joined-acme';
const STRANGER = { slug: SLUG, id: 'mem_0123456789abcdef', displayName: 'Stranger' };

/** A registry with a member of before, whom another process removes while `deed` is done; then a stranger joins. */
async function removedDuring(deed: (records: Records) => Promise<unknown>) {
  const url = await freshDatabase();
  const records = await openPostgresRecords({ url });
  const other = new Client(url);
  await other.connect();
  onTestFinished(async () => {
    await other.end();
    await records.close();
  });
  await other.query(
    `INSERT INTO member (slug, display_name, founding_member) VALUES ('${SLUG}', 'Before', 0)`,
  );
  // as `members.remove` does
  await other.query('BEGIN');
  await other.query(`SELECT slug FROM member WHERE slug = '${SLUG}' FOR UPDATE`);
  for (const table of ['api_key', 'invitation'])
    await other.query(`DELETE FROM ${table} WHERE member = '${SLUG}'`);
  const stranger = [
    `DELETE FROM member WHERE slug = '${SLUG}'`,
    `INSERT INTO member (slug, display_name, founding_member, joined_id)
     VALUES ('${SLUG}', '${STRANGER.displayName}', 0, '${STRANGER.id}')`,
    'COMMIT',
  ];
  const outcome = during(
    other,
    stranger,
    deed(records).then(
      () => 'done',
      (error: Error) => error.message,
    ),
  );
  return { records, outcome: await outcome };
}

it.each<[string, (records: Records) => Promise<unknown>, string]>([
  [
    'an invitation',
    ({ members }) => members.invite({ hash: 'h', member: SLUG, expiresAt: NOW + 9 }, NOW),
    `no member ${SLUG}`,
  ],
  [
    'an API key',
    ({ keys }) => keys.create({ id: 'ark_0123456789abcdef', hash: 'h', member: SLUG }, NOW),
    `no member ${SLUG}`,
  ],
  [
    'a tier by an import',
    ({ members }) =>
      members.import([{ slug: SLUG, displayName: 'Before', foundingMember: true, tier: 'gold' }], NOW),
    `nothing was imported: the member ${SLUG} joined by invitation or domain`,
  ],
])(
  'a member that is being removed is not given %s, which the next one of its slug would have',
  async (_what, deed, message) => {
    const { records, outcome } = await removedDuring(deed);
    expect(outcome).toBe(message);
    expect(await records.members.get(SLUG)).toEqual({ ...STRANGER, foundingMember: false });
    expect(await records.keys.list(SLUG)).toEqual([]);
    const key = { id: 'ark_ffffffffffffffff', hash: 'k' };
    expect(await records.members.join({ hash: 'h', key, wanted: undefined }, NOW)).toBe('no_invitation');
  },
);
