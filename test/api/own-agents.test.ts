import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { composeProofs } from '../../src/compose/proofs.ts';
import { readConfig } from '../../src/config.ts';
import { newApiKey } from '../../src/owners/secrets.ts';
import { openNameServer } from '../owners/support/name-server.ts';
import { FILE, openSite, type SiteAnswer } from '../owners/support/site.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { openRegistry, PROBED_AT } from './support/registry.ts';

const MINE = '/api/me/agents';
const AGENT = 'https://sales.nova.example/mcp';
const ONE = `${MINE}/${encodeURIComponent(AGENT)}`;
const DAY = 86_400_000;

/** A registry with two members, one of whom acts, and the host of the agent with what is published there. */
async function world(config: { answerWithinMs?: number } = {}) {
  const published: Record<string, SiteAnswer> = {};
  const clock = { now: () => PROBED_AT };
  const network = { connectTo: [await openSite('sales.nova.example', published)] };
  const nameServer = await openNameServer({});
  const proofs = composeProofs({ config: readConfig({}), network, clock, nameServer });
  onTestFinished(() => proofs.close());
  const registry = await openRegistry([bareDocument(AGENT)], config, { findProof: proofs.find });
  const { records, server } = registry;
  const names = ['nova', 'orbit'].map((slug) => ({ slug, displayName: slug, foundingMember: false }));
  await records.members.import(names, PROBED_AT);
  const document = (await registry.get('/openapi.json')).json() as OpenApi;
  const keys = { nova: await registry.addKey('nova'), orbit: await registry.addKey('orbit') };

  /** Asks as a member, and holds the answer against the document. */
  const as = async (member: keyof typeof keys, what: string, payload?: object | string) => {
    const [method = '', url = ''] = what.split(' ');
    const headers = {
      authorization: `Bearer ${keys[member].key}`,
      ...(payload !== undefined && { 'content-type': 'application/json' }),
    };
    const asked = { method: method as 'POST', url, headers, ...(payload !== undefined && { payload }) };
    const answer = await server.inject(asked);
    const template = url.replace(/^(\/api\/me\/agents)\/[^/]+/, '$1/{url}').replace(/\?.*/, '');
    expect(breaches(document, template, answer, method.toLowerCase() as 'get')).toEqual([]);
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers };
  };
  const proof = async (member: keyof typeof keys) => {
    published[FILE] = { body: (await as(member, `POST ${ONE}/challenge`)).body.token };
    return as(member, `POST ${ONE}/prove`);
  };
  const audit = async () => (await records.owners.auditLog({ subject: AGENT, limit: 50 })).toReversed();
  return { ...registry, as, proof, published, keys, audit };
}

describe('an agent that a member asks for', () => {
  it('is shown to the member as it was described, and to nobody else', async () => {
    const { as } = await world();
    const contact = { email: 'a@nova.example' };
    const said = { type: 'measurement', name: 'Nova', description: 'Measures.', contact };
    expect((await as('nova', `POST ${MINE}`, { url: AGENT, ...said })).body).toMatchObject(said);
    expect((await as('nova', `GET ${MINE}`)).body.agents).toMatchObject([said]);
    const changed = await as('nova', `PATCH ${ONE}`, { name: 'Nova Metrics', description: null, type: null });
    expect(changed.body).toMatchObject({ name: 'Nova Metrics', type: 'unknown', contact });
    expect(changed.body).not.toHaveProperty('description');
    await as('orbit', `POST ${MINE}`, { url: AGENT, name: 'Orbit' });
    expect((await as('nova', `GET ${MINE}`)).body.agents).toEqual([changed.body]);
    expect((await as('orbit', `GET ${MINE}`)).body.agents).toMatchObject([{ name: 'Orbit', pending: true }]);
  });

  it('is looked for on a site that takes longer than the store may', async () => {
    const { as, published } = await world({ answerWithinMs: 1_000 });
    await as('nova', `POST ${MINE}`, { url: AGENT, name: 'Nova' });
    await as('nova', `POST ${ONE}/challenge`);
    published[FILE] = { status: 404, before: () => delay(1_100) };
    expect(await as('nova', `POST ${ONE}/prove`)).toMatchObject({ status: 200, body: { proven: false } });
  });

  it('is pending: it counts for nothing, until the member proves it', async () => {
    const { as, proof, records, audit, keys } = await world();
    const asked = await as('nova', `POST ${MINE}`, { url: AGENT, name: 'Nova  Sales', type: 'sales' });
    expect(asked.status).toBe(201);
    expect(asked.body).toMatchObject({ url: AGENT, visibility: 'private', proven: false, pending: true });
    expect((await as('nova', `GET ${MINE}`)).body.agents).toEqual([asked.body]);
    expect(await records.owners.registered({ limit: 5 })).toEqual([]); // it is registered to nobody
    expect((await as('orbit', `GET ${MINE}`)).body.agents).toEqual([]);

    const early = await as('nova', `POST ${ONE}/prove`);
    expect(early.body.detail).toContain('no valid verification text');
    const { body: challenge } = await as('nova', `POST ${ONE}/challenge`);
    expect(challenge).toMatchObject({ url: AGENT, dns_name: '_agent-registry.nova.example' });
    expect((await as('nova', `POST ${ONE}/challenge`)).body).toEqual(challenge);
    const vain = await as('nova', `POST ${ONE}/prove`);
    expect(vain.body).toMatchObject({ proven: false, via: null, looked: [{ way: 'file' }, { way: 'dns' }] });

    const found = await proof('nova');
    expect(found.body).toMatchObject({ proven: true, via: 'file' });
    expect(await records.owners.owner(AGENT)).toMatchObject({ member: 'nova', via: 'file' });
    const { name, type } = asked.body;
    const owned = { name, type, proven: true, pending: false };
    expect((await as('nova', `GET ${MINE}`)).body.agents).toMatchObject([owned]);
    const key = keys.nova.id;
    expect((await audit()).map(({ action, actor }) => [action, actor])).toEqual([
      ['agent.ask', key],
      ['agent.challenge', key],
      ['agent.prove', key],
    ]);
    expect((await as('nova', `POST ${MINE}`, { url: AGENT })).status).toBe(200); // it is theirs already
  });

  it('takes nothing from whoever has it, until it is proven', async () => {
    const { as, proof, records } = await world();
    await records.members.register({ agent: AGENT, url: AGENT, member: 'orbit', name: 'Orbit' }, PROBED_AT);
    await as('nova', `POST ${MINE}`, { url: AGENT, name: 'Nova' });
    expect(await records.owners.registered({ limit: 5 })).toMatchObject([{ member: 'orbit' }]);
    expect((await as('orbit', `GET ${MINE}`)).body.agents).toMatchObject([{ url: AGENT, pending: false }]);
    await proof('nova');
    expect(await records.owners.registered({ limit: 5 })).toMatchObject([{ member: 'nova' }]);
    expect((await as('orbit', `GET ${MINE}`)).body.agents).toEqual([]);
    await as('orbit', `POST ${MINE}`, { url: AGENT });
    expect(await records.owners.owner(AGENT)).toMatchObject({ member: 'nova' });
    await proof('orbit'); // whoever controls the domain now takes it over
    expect(await records.owners.owner(AGENT)).toMatchObject({ member: 'orbit' });
  });

  it('is verified once for a request that is repeated within a minute', async () => {
    const { as, proof, clock, audit } = await world();
    await as('nova', `POST ${MINE}`, { url: AGENT });
    await proof('nova');
    clock.value += 30_000;
    const verified = { url: AGENT, proven: true, via: 'file', looked: [] };
    expect(await as('nova', `POST ${ONE}/prove`)).toMatchObject({ status: 200, body: verified });
    clock.value += 31_000;
    expect((await as('nova', `POST ${ONE}/prove`)).status).toBe(404);
    expect((await audit()).filter(({ action }) => action === 'agent.prove')).toHaveLength(1);
  });

  it('is given up once by two requests at once, which get the same answer', async () => {
    const { as, proof, audit } = await world();
    await as('nova', `POST ${MINE}`, { url: AGENT });
    await proof('nova');
    const answers = await Promise.all([1, 2].map(() => as('nova', `DELETE ${ONE}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect((await audit()).filter(({ action }) => action === 'agent.unregister')).toHaveLength(1);
  });

  it('is described anew, member by member, and given up', async () => {
    const { as, proof, records } = await world();
    await as('nova', `POST ${MINE}`, { url: AGENT, name: 'Nova', description: 'Sells.' });
    await as('nova', `PATCH ${ONE}`, { name: 'Nova Sales' });
    await proof('nova');
    await as('nova', `PATCH ${ONE}`, { description: null, contact: { email: 'a@nova.example' } });
    const { registration } = (await records.agents.facts([AGENT]))[0] ?? {};
    expect(registration).toMatchObject({ name: 'Nova Sales', contact: { email: 'a@nova.example' } });
    expect(registration).not.toHaveProperty('description');
    expect((await as('orbit', `DELETE ${ONE}`)).status).toBe(404);
    expect((await as('orbit', `PATCH ${ONE}`, { name: 'Orbit' })).status).toBe(404);
    expect((await as('nova', `DELETE ${ONE}`)).body).toMatchObject({ url: AGENT, proven: false });
    expect(await records.owners.registered({ limit: 5 })).toEqual([]);
    expect((await as('nova', `DELETE ${ONE}`)).status).toBe(404);
  });

  it('is refused with the reason and what would be right', async () => {
    const { as } = await world();
    const refused: readonly (readonly [body: object | string, parameter: string | undefined])[] = [
      ['[]', undefined],
      [{}, 'url'],
      [{ url: 'sales.nova.example' }, 'url'],
      [{ url: 'https://localhost/mcp' }, 'url'],
      [{ url: 'https://127.0.0.1/mcp' }, 'url'],
      [{ url: 'https://10.0.0.1/mcp' }, 'url'],
      [{ url: 'http://[fd00::1]/mcp' }, 'url'],
      [{ url: 'https://nova.example:25/mcp' }, 'url'],
      [{ url: AGENT, visibility: 'public' }, 'visibility'],
      [{ url: AGENT, type: 'unknown' }, 'type'],
      [{ url: AGENT, name: ' ' }, 'name'],
      [{ url: AGENT, name: 'n'.repeat(201) }, 'name'],
      [{ url: AGENT, description: 7 }, 'description'],
      [{ url: AGENT, contact: { email: 'Nova <a@nova.example>' } }, 'contact'],
      [{ url: AGENT, contact: { website: 'javascript:alert(1)' } }, 'contact'],
      [{ url: AGENT, contact: { phone: '1' } }, 'phone'],
    ];
    for (const [body, parameter] of refused) {
      const answer = await as('nova', `POST ${MINE}`, body);
      expect([body, answer.status, answer.body.parameter]).toEqual([body, 400, parameter]);
    }
    expect((await as('nova', `POST ${MINE}?org=orbit`, { url: AGENT })).status).toBe(400);
    expect((await as('nova', `GET ${MINE}`)).body.agents).toEqual([]);
  });

  it('is one of a hundred at most, and needs a key of the scope that is still valid', async () => {
    const { as, records, server, keys, clock } = await world();
    for (let n = 0; n < 100; n += 1)
      await as('nova', `POST ${MINE}`, { url: `https://agent-${n}.nova.example/mcp` });
    const more = await as('nova', `POST ${MINE}`, { url: AGENT });
    expect([more.status, more.body.code]).toEqual([409, 'too_many_agents']);
    const { id, key, hash } = newApiKey();
    await records.keys.create({ id, hash, member: 'orbit', scopes: ['read', 'runs'] }, clock.now());
    const headers = { authorization: `Bearer ${key}` };
    const narrow = await server.inject({ method: 'POST', url: MINE, headers, payload: { url: AGENT } });
    expect(narrow.statusCode).toBe(403);
    const actor = { kind: 'key', keyId: keys.nova.id, member: 'nova' } as const;
    await records.keys.revoke(keys.nova.id, clock.now());
    const registration = { agent: AGENT, url: AGENT, member: 'nova' };
    expect(await records.members.askForAgent({ registration, actor, most: 1_000 }, clock.now())).toBe(
      'key_revoked',
    );
    expect(
      await records.owners.unregister('https://agent-1.nova.example/mcp', 'nova', clock.now() + DAY, actor),
    ).toBe('key_revoked');
  });
});
