import { describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/owners/secrets.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const PATH = '/api/me/agents';
const [ONE, TWO, THREE, OTHERS] = ['one', 'two', 'three', 'others'].map(
  (name) => `https://${name}.example/mcp`,
);

/** Three agents of nova, one of which it has not proven, and one of somebody else. */
async function members() {
  const registry = await openRegistry([ONE, TWO, OTHERS].map((url = '') => bareDocument(url)));
  for (const url of [ONE, TWO]) await registry.addOwner(url ?? '', 'nova');
  await registry.addOwner(OTHERS ?? '', 'other');
  await registry.records.members.register(
    { agent: THREE ?? '', url: THREE ?? '', member: 'nova' },
    PROBED_AT,
  );
  const bearer = { authorization: `Bearer ${(await registry.addKey('nova')).key}` };
  const document = (await registry.get('/openapi.json')).json() as OpenApi;
  const told = async (query = '', headers: Record<string, string> = bearer) => {
    const answer = await registry.get(`${PATH}${query}`, headers);
    expect(breaches(document, PATH, answer)).toEqual([]);
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  };
  return { ...registry, told };
}

describe('GET /api/me/agents', () => {
  it('has the agents that are registered to the member of the key, proven or not, page by page', async () => {
    const { told } = await members();
    const { body, headers } = await told();
    expect(body).toMatchObject({
      agents: [
        { url: ONE, visibility: 'public', proven: true, pending: false, name: expect.any(String) },
        { url: THREE, visibility: 'private', type: 'unknown', proven: false },
        { url: TWO, visibility: 'public', proven: true },
      ],
      ...{ count: 3, next_cursor: null },
    });
    expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
    expect((await told('?org=nova')).body).toEqual(body);
    const first = (await told('?limit=2')).body;
    const second = (await told(`?limit=2&cursor=${encodeURIComponent(first.next_cursor)}`)).body;
    expect([...first.agents, ...second.agents]).toEqual(body.agents);
    expect(second.next_cursor).toBeNull();
  });

  it('is for members only, each for itself, with a key that may read', async () => {
    const { told, addKey, records } = await members();
    const { id, key, hash } = newApiKey();
    await records.keys.create({ id, hash, member: 'nova', scopes: ['runs'] }, PROBED_AT);
    const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
    const other = bearer((await addKey('other')).key);
    expect((await told('', other)).body.agents.map(({ url }: { url: string }) => url)).toEqual([OTHERS]);
    const cursor = encodeURIComponent((await told('?limit=1')).body.next_cursor);
    expect((await told(`?cursor=${cursor}`, other)).status).toBe(400); // it is of another list
    expect([(await told('', {})).status, (await told('', bearer('wrong'))).status]).toEqual([401, 401]);
    expect((await told('', bearer(key))).status).toBe(403);
    for (const wrong of ['?org=other', '?org=', '?limit=101', '?limit=0', '?cursor=x', '?url=a'])
      expect([wrong, (await told(wrong)).status]).toEqual([wrong, 400]);
  });
});
