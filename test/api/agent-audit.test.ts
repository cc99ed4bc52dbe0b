import { describe, expect, it } from 'vitest';
import { breaches, type OpenApi } from './support/contract.ts';
import { PROBED_AT } from './support/registry.ts';
import { AGENT, bearer, SELLER, tested } from './support/tested-agent.ts';

const PATH = `/api/registry/agents/${encodeURIComponent(AGENT)}/audit`;
const DESCRIBED = '/api/registry/agents/{encodedUrl}/audit';

/** An agent of nova that belonged to another member before; each has changed a setting. */
async function handedOver() {
  const registry = await tested(SELLER);
  const { records, addOwner } = registry;
  const change = (checkIntervalHours: number, member: string, at: number) =>
    records.owners.changeSettings(
      { agent: AGENT, change: { checkIntervalHours }, actor: { kind: 'operator', member } },
      at,
    );
  await change(24, 'nova', PROBED_AT + 1);
  await records.owners.disown(AGENT, 'nova', PROBED_AT + 1);
  await addOwner(AGENT, 'other');
  await change(48, 'other', PROBED_AT + 2);
  return registry;
}

describe('the audit log of an agent', () => {
  it('tells its owner who changed what, newest first, as described', async () => {
    const { get, owner, records } = await tested(SELLER);
    const actor = { kind: 'operator', member: 'nova' } as const;
    await records.owners.changeSettings(
      { agent: AGENT, change: { monitoringPaused: true }, actor },
      PROBED_AT,
    );
    const answer = await get(PATH, owner);
    expect(answer.json()).toMatchObject({
      agent_url: AGENT,
      records: [
        {
          ...{ actor: 'operator', action: 'agent.settings', at: new Date(PROBED_AT).toISOString() },
          changes: { before: { monitoringPaused: false }, after: { monitoringPaused: true } },
        },
        ...answer.json().records.slice(1),
      ],
      next_cursor: null,
    });
    expect(breaches((await get('/openapi.json')).json<OpenApi>(), DESCRIBED, answer)).toEqual([]);
    expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
  });

  it('comes in pages that give each record once', async () => {
    const { get, owner } = await tested(SELLER);
    const all = (await get(PATH, owner)).json().records;
    expect(all.length).toBeGreaterThan(1);
    const found: object[] = [];
    for (let cursor = ''; ; ) {
      const page = (await get(`${PATH}?limit=1${cursor}`, owner)).json();
      found.push(...page.records);
      if (page.next_cursor === null) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(found).toEqual(all);
  });

  it('tells nothing of another member, and nothing to one that owns it no more', async () => {
    const { get, owner, stranger } = await handedOver();
    expect((await get(PATH, owner)).statusCode).toBe(404);
    const text = (await get(PATH, stranger)).body;
    expect(text).toContain('"checkIntervalHours":48');
    expect(text).not.toMatch(/nova|"after":\{"checkIntervalHours":24\}/);
  });

  it.each(['?cursor=x', '?limit=0', '?limit=101', '?what=1'])('refuses %s', async (query) => {
    const { get, owner } = await tested();
    expect((await get(`${PATH}${query}`, owner)).statusCode).toBe(400);
  });

  it.each([{}, bearer('wrong')])('is for nobody else: %j', async (headers) => {
    const { get } = await tested();
    expect((await get(PATH, headers)).statusCode).toBeGreaterThan(400);
  });
});
