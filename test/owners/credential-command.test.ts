import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { tempFolder } from '../cli/support/cli.ts';

const NOW = 1_800_000_000_000;
const AGENT = 'https://a.example/mcp';
const nova = { kind: 'operator', member: 'nova' } as const;

it('sealing keys come from a command, are asked for once a minute, and a rotation there needs no restart', async () => {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  await records.members.import([{ slug: 'nova', displayName: 'nova', foundingMember: false }], NOW);
  await records.members.register({ agent: AGENT, url: AGENT, member: 'nova' }, NOW);
  const wanted = { agent: AGENT, member: 'nova', token: 't', expiresAt: NOW + 1 };
  await records.owners.challenge(wanted, NOW);
  await records.owners.prove({ agent: AGENT, member: 'nova', token: 't', via: 'dns' }, NOW);

  const set = join(tempFolder(), 'set.json');
  const key = (kid: string) => ({ kty: 'oct', kid, k: randomBytes(32).toString('base64url') });
  const [first, second] = [key('first'), key('second')];
  const holds = (...keys: object[]) => writeFileSync(set, JSON.stringify({ keys }));
  holds(first);
  const clock = { value: NOW, now: () => clock.value };
  const config = { credentialKeys: `command:/bin/cat ${set}` };
  const credentials = await composeCredentials(config, records, clock);
  const sealedBy = async () =>
    JSON.parse(
      Buffer.from(
        (await records.owners.credential(AGENT))?.sealed.split('.')[0] ?? '',
        'base64url',
      ).toString(),
    ).kid;

  await credentials.keep({ agent: AGENT, token: 'a-test-token-of-nova', actor: nova });
  expect(await credentials.credentialOf(AGENT)).toEqual({ token: 'a-test-token-of-nova' });
  holds(second, first);
  await credentials.keep({ agent: AGENT, token: 'another-token-of-nova', actor: nova });
  expect(await sealedBy()).toBe('first');
  clock.value += 60_000;
  await credentials.keep({ agent: AGENT, token: 'the-third-token-of-nova', actor: nova });
  expect([await sealedBy(), await credentials.credentialOf(AGENT)]).toEqual([
    'second',
    { token: 'the-third-token-of-nova' },
  ]);
  rmSync(set);
  clock.value += 60_000;
  await expect(credentials.credentialOf(AGENT)).rejects.toMatchObject({ code: 'credential_unreadable' });
});
