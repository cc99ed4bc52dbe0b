import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  checkStoredCredentials,
  composeCredentials,
  resealCredentials,
} from '../../src/compose/credentials.ts';
import { tokenFault } from '../../src/owners/bearer-token.ts';
import { openSqliteRecords } from '../../src/records/sqlite/sqlite-records.ts';
import { addSealingKey, makeSealingKeys, readSealingKeys } from '../../src/signing/sealing-keys.ts';
import { tempFolder } from '../cli/support/cli.ts';

const NOW = Date.UTC(2026, 0, 6);
const A = 'https://a.example/mcp';
const B = 'https://b.example/mcp';
const TOKEN = 'a-token-of-nova';
const nova = { kind: 'operator', member: 'nova' } as const;
const other = { kind: 'operator', member: 'other' } as const;

/** Records with agents of nova, and a file with one key. */
async function owned(...agents: readonly string[]) {
  const records = await openSqliteRecords({ path: ':memory:' });
  onTestFinished(() => records.close());
  for (const slug of ['nova', 'other'])
    await records.members.import([{ slug, displayName: slug, foundingMember: false }], NOW);
  const prove = async (agent: string, member: string) => {
    await records.members.register({ agent, url: agent, member }, NOW);
    await claim(agent, member);
  };
  const claim = async (agent: string, member: string) => {
    const wanted = { agent, member, token: `t-${agent}-${member}`, expiresAt: NOW + 1 };
    const { token } = await records.owners.challenge(wanted, NOW);
    expect(await records.owners.prove({ agent, member, token, via: 'dns' }, NOW)).toBe('proven');
  };
  for (const agent of agents) await prove(agent, 'nova');
  const credentialKeys = join(tempFolder(), 'credential-keys.json');
  await makeSealingKeys(credentialKeys, NOW, 'first');
  const config = { credentialKeys };
  const credentials = await composeCredentials(config, records, { now: () => NOW });
  return { records, config, credentials, claim };
}

describe('the test credential of an agent', () => {
  it('is kept sealed, given to a run, and forgotten', async () => {
    const { records, credentials } = await owned(A);
    expect(await credentials.credentialOf(A)).toBeUndefined();
    expect(await credentials.keep({ agent: A, token: TOKEN, actor: nova })).toBe('stored');
    expect(await credentials.credentialOf(A)).toEqual({ token: TOKEN });
    expect(await credentials.stored(A)).toEqual({ kind: 'bearer', setAt: NOW });
    expect(JSON.stringify(await records.owners.credential(A))).not.toContain(TOKEN);
    const log = await records.owners.auditLog({ subject: A, limit: 10 });
    expect(log[0]).toMatchObject({ action: 'agent.credential' });
    expect(JSON.stringify(log)).not.toContain(TOKEN);
    expect(await credentials.forget({ agent: A, actor: nova })).toBe('deleted');
    expect(await credentials.credentialOf(A)).toBeUndefined();
  });

  it('is for its proven owner only, and goes with the ownership', async () => {
    const { credentials, claim } = await owned(A);
    expect(await credentials.keep({ agent: A, token: TOKEN, actor: other })).toBe('not_owner');
    expect(await credentials.keep({ agent: B, token: TOKEN, actor: nova })).toBe('not_owner');
    await credentials.keep({ agent: A, token: TOKEN, actor: nova });
    expect(await credentials.forget({ agent: A, actor: other })).toBe('not_owner');
    await claim(A, 'other');
    expect(await credentials.credentialOf(A)).toBeUndefined();
    await claim(A, 'nova');
    expect(await credentials.credentialOf(A)).toBeUndefined();
  });

  it('is neither kept for an http agent nor given to its runs, whoever stored it before', async () => {
    const http = 'http://a.example/mcp';
    const { records, config, credentials } = await owned(http);
    expect(await credentials.keep({ agent: http, token: TOKEN, actor: other })).toBe('not_owner');
    expect(await credentials.keep({ agent: http, token: TOKEN, actor: nova })).toBe('not_https');
    expect(await records.owners.credential(http)).toBeUndefined();
    await records.owners.keepCredential({ agent: http, sealed: 'of an earlier version', actor: nova }, NOW);
    expect(await credentials.credentialOf(http)).toBeUndefined();
    expect(await credentials.stored(http)).toEqual({ kind: 'bearer', setAt: NOW });
    expect(await checkStoredCredentials(config, records)).toMatchObject({ stored: 1, unsent: [http] });
    expect(await credentials.forget({ agent: http, actor: nova })).toBe('deleted');
  });

  it.each<[string, string | undefined]>([
    ['abcdefgh', undefined],
    ['aB1-._~+/==', undefined],
    ['x'.repeat(4_096), undefined],
    ['', '8 to 4096'],
    ['1234567', '8 to 4096'],
    ['x'.repeat(4_097), '8 to 4096'],
    ['two words', 'bearer token'],
    ['line\nbreak', 'bearer token'],
    ['a=b=cdefg', 'bearer token'],
    ['tökentöken', 'bearer token'],
    ['======== ', 'bearer token'],
  ])('%j can be one, or is told why not', (token, reason) => {
    if (reason === undefined) expect(tokenFault(token)).toBeUndefined();
    else expect(tokenFault(token)).toContain(reason);
  });

  it('opens after a rotation with no restart, and is sealed anew on demand', async () => {
    const { records, config, credentials } = await owned(A, B);
    await credentials.keep({ agent: A, token: TOKEN, actor: nova });
    await addSealingKey(config.credentialKeys, NOW, 'second');
    expect(await credentials.credentialOf(A)).toEqual({ token: TOKEN });
    await credentials.keep({ agent: B, token: `${TOKEN}-b`, actor: nova });
    const before = await records.owners.auditLog({ subject: A, limit: 10 });
    expect(await resealCredentials(config, records)).toEqual({ resealed: 1, current: 1, unreadable: [] });
    expect(await resealCredentials(config, records)).toEqual({ resealed: 0, current: 2, unreadable: [] });
    expect(await records.owners.auditLog({ subject: A, limit: 10 })).toEqual(before);
    const [second] = await readSealingKeys(config.credentialKeys);
    const k = Buffer.from(second?.bytes ?? []).toString('base64url');
    writeFileSync(config.credentialKeys, JSON.stringify({ keys: [{ kty: 'oct', kid: 'second', k }] }));
    expect([await credentials.credentialOf(A), await credentials.credentialOf(B)]).toEqual([
      { token: TOKEN },
      { token: `${TOKEN}-b` },
    ]);
  });

  it('that is changed while all are sealed anew stays as it was changed', async () => {
    const { records, credentials } = await owned(A);
    await credentials.keep({ agent: A, token: TOKEN, actor: nova });
    const stale = await records.owners.credential(A);
    await credentials.keep({ agent: A, token: `${TOKEN}-new`, actor: nova });
    const change = { agent: A, from: stale?.sealed ?? '', to: 'something else' };
    expect(await records.owners.resealCredential(change)).toBe(false);
    expect(await credentials.credentialOf(A)).toEqual({ token: `${TOKEN}-new` });
  });

  it('whose key is lost is our fault, and is said to be', async () => {
    const { records, config, credentials } = await owned(A, B);
    await credentials.keep({ agent: A, token: TOKEN, actor: nova });
    const { credentialKeys } = config;
    rmSync(credentialKeys);
    await expect(credentials.credentialOf(A)).rejects.toMatchObject({ code: 'credential_unreadable' });
    expect(await credentials.credentialOf(B)).toBeUndefined();
    expect(await credentials.stored(A)).toEqual({ kind: 'bearer', setAt: NOW });
    await makeSealingKeys(credentialKeys, NOW, 'another');
    await expect(credentials.credentialOf(A)).rejects.toMatchObject({ code: 'credential_unreadable' });
    expect(await checkStoredCredentials(config, records)).toEqual({ stored: 1, unreadable: [A], unsent: [] });
    expect(await resealCredentials(config, records)).toEqual({ resealed: 0, current: 0, unreadable: [A] });
    expect(await credentials.forget({ agent: A, actor: nova })).toBe('deleted');
    expect(await checkStoredCredentials(config, records)).toEqual({ stored: 0, unreadable: [], unsent: [] });
  });

  it('cannot be stored where no keys are set, and what is stored is not passed over', async () => {
    const { records, credentials } = await owned(A, B);
    const without = await composeCredentials({ credentialKeys: '' }, records, { now: () => NOW });
    const hint = expect.stringContaining('agent-registry keys generate --kind credential');
    await expect(without.keep({ agent: A, token: TOKEN, actor: nova })).rejects.toMatchObject({
      code: 'usage',
      hint,
    });
    await expect(resealCredentials({ credentialKeys: '' }, records)).rejects.toMatchObject({ code: 'usage' });
    await credentials.keep({ agent: A, token: TOKEN, actor: nova });
    await expect(without.credentialOf(A)).rejects.toMatchObject({ code: 'credential_unreadable' });
    expect(await without.credentialOf(B)).toBeUndefined();
  });

  it('is not begun with under keys that cannot be used', async () => {
    const { records, config } = await owned();
    chmodSync(config.credentialKeys, 0o644);
    await expect(composeCredentials(config, records, { now: () => NOW })).rejects.toMatchObject({
      code: 'input_invalid',
      hint: expect.stringContaining('chmod 600'),
    });
  });
});
