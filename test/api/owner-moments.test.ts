import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { composeCredentials } from '../../src/compose/credentials.ts';
import { makeSealingKeys } from '../../src/signing/sealing-keys.ts';
import { tempFolder } from '../cli/support/cli.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT, type TestRegistry } from './support/registry.ts';

const AGENT = 'https://a.example/mcp';
const TOKEN = 'canary-0123456789-ABCDEFGHIJ';
const path = `/api/registry/agents/${encodeURIComponent(AGENT)}`;

type Deed = Readonly<{ method: 'PUT' | 'DELETE' | 'PATCH' | 'POST'; at: string; payload?: object }>;

const DEEDS: readonly (readonly [string, Deed])[] = [
  ['storing a credential', { method: 'PUT', at: '/credential', payload: { token: TOKEN } }],
  ['forgetting one', { method: 'DELETE', at: '/credential' }],
  ['opting out', { method: 'PATCH', at: '/settings', payload: { compliance_opt_out: true } }],
  ['asking for a run', { method: 'POST', at: '/compliance/runs', payload: {} }],
];

/** What happens between the look at the key and the deed. */
const MEANWHILE: readonly (readonly [
  string,
  number,
  (registry: TestRegistry, keyId: string) => Promise<unknown>,
])[] = [
  ['the key is revoked', 401, ({ records }, id) => records.keys.revoke(id, PROBED_AT)],
  ['another member proves to own the agent', 404, proveAnother],
  ['the owner gives it up', 404, ({ records }) => records.owners.disown(AGENT, 'nova', PROBED_AT)],
];

async function proveAnother({ records }: TestRegistry): Promise<void> {
  const challenge = { agent: AGENT, member: 'other', token: 'fresh', expiresAt: PROBED_AT + 1 };
  await records.owners.challenge(challenge, PROBED_AT);
  expect(
    await records.owners.prove({ agent: AGENT, member: 'other', token: 'fresh', via: 'dns' }, PROBED_AT),
  ).toBe('proven');
}

async function owned() {
  const credentialKeys = join(tempFolder(), 'keys.json');
  await makeSealingKeys(credentialKeys, PROBED_AT);
  const registry = await openRegistry(
    [bareDocument(AGENT)],
    {},
    {
      credentialsOf: (records) => composeCredentials({ credentialKeys }, records, { now: () => PROBED_AT }),
    },
  );
  await registry.addOwner(AGENT, 'nova');
  await registry.addKey('other');
  return { registry, ...(await registry.addKey('nova')) };
}

describe.each(DEEDS)('%s changes nothing', (_deed, { method, at, payload }) => {
  it.each(MEANWHILE)('when meanwhile %s', async (_what, status, meanwhile) => {
    const { registry, id, key } = await owned();
    const { records, server } = registry;
    const { owner } = records.owners;
    Object.assign(records.owners, {
      async owner(agent: string) {
        const found = await owner(agent);
        records.owners.owner = owner;
        await meanwhile(registry, id);
        return found;
      },
    });
    const before = (await records.owners.auditLog({ subject: AGENT, limit: 9 })).length;
    const answer = await server.inject({
      ...{ method, url: path + at },
      headers: { authorization: `Bearer ${key}`, ...(payload && { 'content-type': 'application/json' }) },
      ...(payload && { payload: JSON.stringify(payload) }),
    });
    expect(answer.statusCode, answer.body).toBe(status);
    expect(answer.json()).toMatchObject({
      status,
      code: status === 401 ? 'invalid_key' : 'not_found',
      detail: expect.any(String),
    });
    expect(await records.owners.settings(AGENT)).toMatchObject({ optedOut: false });
    expect(await records.owners.credential(AGENT)).toBeUndefined();
    expect(await records.runs.requested(AGENT)).toBeUndefined();
    const actions = (await records.owners.auditLog({ subject: AGENT, limit: 9 }))
      .slice(0, -before || undefined)
      .map(({ action }) => action);
    expect(actions.filter((action) => !/^agent\.(prove|disown|challenge)$/.test(action))).toEqual([]);
  });
});
