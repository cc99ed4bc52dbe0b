import { describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/owners/secrets.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const PATH = '/api/me/settings';
const AGENT = 'https://one.example/mcp';

async function opened() {
  const registry = await openRegistry([bareDocument(AGENT)]);
  await registry.addOwner(AGENT, 'nova');
  const headers = { authorization: `Bearer ${(await registry.addKey('nova')).key}` };
  const document = (await registry.get('/openapi.json')).json() as OpenApi;
  const asked = async (payload?: object, as: Record<string, string> = headers, query = '') => {
    const method = payload === undefined ? 'GET' : 'PATCH';
    const answer = await registry.server.inject({
      ...{ method, url: `${PATH}${query}`, headers: as },
      ...(payload && { payload }),
    });
    expect(breaches(document, PATH, answer, method === 'GET' ? 'get' : 'patch')).toEqual([]);
    return { status: answer.statusCode, body: answer.json() };
  };
  const deeds = async () =>
    (await registry.records.owners.auditLog({ subject: 'nova', limit: 9 })).filter(
      ({ action }) => action === 'member.describe',
    );
  return { ...registry, headers, asked, deeds };
}

describe('the settings of a member', () => {
  it('are what it says of itself: a part is changed, the contact taken back, each change with a record', async () => {
    const { asked, deeds, records } = await opened();
    const { body: before } = await asked();
    expect(before).toMatchObject({ slug: 'nova', contact: null });
    const contact = { name: 'Desk', email: 'desk@nova.example', website: 'https://nova.example/' };
    const changed = await asked({ display_name: ' Nova\u0000  Media ', contact });
    expect(changed).toMatchObject({ status: 200, body: { ...before, display_name: 'Nova Media', contact } });
    expect((await asked({ display_name: 'Nova Media' })).body).toEqual(changed.body);
    expect((await asked({ contact: null })).body).toEqual({ ...changed.body, contact: null });
    expect((await asked()).body).toMatchObject({ display_name: 'Nova Media', contact: null });
    const [second, first, ...more] = await deeds();
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      actor: expect.any(String),
      details: { display_name: 'Nova Media', contact },
    });
    expect(second).toMatchObject({ details: { contact: null } });
    const dirty = await records.agents.takeDirty(9, PROBED_AT);
    expect(dirty.map(({ agent }) => agent)).toContain(AGENT);
  });

  it('leave what the operator decides as it is', async () => {
    const { asked, records } = await opened();
    const before = await records.members.get('nova');
    await asked({ display_name: 'N' });
    expect(await records.members.get('nova')).toEqual({ ...before, displayName: 'N' });
  });

  it.each([
    [{}, 'bad_request'],
    [{ display_name: '' }, 'invalid_value'],
    [{ display_name: '\u202e\u0000' }, 'invalid_value'],
    [{ display_name: 'x'.repeat(201) }, 'invalid_value'],
    [{ display_name: null }, 'invalid_value'],
    [{ contact: 'me' }, 'bad_request'],
    [{ contact: { email: 'Desk <desk@nova.example>' } }, 'invalid_value'],
    [{ contact: { website: 'javascript:alert(1)' } }, 'invalid_value'],
    [{ contact: { phone: '1' } }, 'unknown_parameter'],
    [{ membership_tier: 'builder' }, 'unknown_parameter'],
    [{ slug: 'other' }, 'unknown_parameter'],
  ])('are not changed by %j', async (payload, code) => {
    const { asked, deeds } = await opened();
    expect(await asked(payload)).toMatchObject({ status: 400, body: { code } });
    expect(await deeds()).toEqual([]);
  });

  it('are those of its own keys, with the scope settings for a change', async () => {
    const { asked, addKey, records } = await opened();
    const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
    const other = bearer((await addKey('other')).key);
    expect((await asked({ display_name: 'Mine' }, other)).body).toMatchObject({ slug: 'other' });
    expect((await asked()).body.display_name).not.toBe('Mine');
    const { id, key, hash } = newApiKey();
    await records.keys.create({ id, hash, member: 'nova', scopes: ['read'] }, PROBED_AT);
    expect((await asked(undefined, bearer(key))).status).toBe(200);
    expect([401, 403]).toContain((await asked({ display_name: 'Nova' }, bearer(key))).status);
    expect((await asked(undefined, {})).status).toBe(401);
    expect((await asked(undefined, other, '?org=nova')).status).toBeGreaterThanOrEqual(400);
  });
});
