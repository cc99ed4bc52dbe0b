import { describe, expect, it } from 'vitest';
import { NOW } from '../contract/records-fixtures.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { fullDocument } from './support/documents.ts';
import { openRegistry } from './support/registry.ts';

const PATH = '/api/members/{slug}';
const agentOf = (slug: string, at: number): string => `https://${slug}.example/${at}`;

/** Two members with listed agents, of whom the first has 21; and one with none. */
async function threeMembers() {
  const registry = await openRegistry();
  const { members, agents } = registry.records;
  const slugs = ['acme', 'bolt', 'crow'];
  const contact = { email: 'private@acme.example' };
  await members.import(
    slugs.map((slug) => ({ slug, displayName: slug, foundingMember: false, contact })),
    NOW,
  );
  const add = (slug: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({ slug, agent: agentOf(slug, at + 10) }));
  const all = [...add('acme', 21), ...add('bolt', 1), ...add('crow', 1)];
  for (const { slug, agent } of all) await members.register({ agent, url: agent, member: slug }, NOW);
  const dirty = await agents.takeDirty(100, NOW);
  await agents.saveStitched(
    dirty.map((one) => ({
      ...one,
      stitched: one.agent.includes('crow') ? {} : { document: fullDocument(one.agent) },
    })),
    NOW,
  );
  return registry;
}

describe('the members', () => {
  it('whose agents are listed are shown, page by page, without what only their operator knows', async () => {
    const { get } = await threeMembers();
    const document = (await get('/openapi.json')).json<OpenApi>();
    const answer = await get('/api/members');
    expect(breaches(document, '/api/members', answer)).toEqual([]);
    const { members, ...rest } = answer.json();
    expect(rest).toEqual({ count: 2 });
    expect(members).toMatchObject([{ slug: 'acme', agents_truncated: true }, { slug: 'bolt' }]);
    expect(members[0].agents).toHaveLength(20);
    expect(members[1]).toEqual({
      ...{ id: 'bolt', slug: 'bolt', display_name: 'bolt', is_founding_member: false },
      agents: [{ url: agentOf('bolt', 10), proven: false }],
    });
    const first = (await get('/api/members?limit=1')).json();
    expect(first).toMatchObject({ members: [{ slug: 'acme' }], count: 1 });
    const second = (await get(`/api/members?limit=1&cursor=${first.next_cursor}`)).json();
    expect(second).toEqual({ members: [members[1]], count: 1 });
  });

  it('are looked up by their slugs, with all of their agents', async () => {
    const { get } = await threeMembers();
    const document = (await get('/openapi.json')).json<OpenApi>();
    const asked: readonly (readonly [string, number, object])[] = [
      ['acme', 200, { slug: 'acme', display_name: 'acme' }],
      ['crow', 404, { code: 'not_found', parameter: 'slug' }],
      ['never', 404, { code: 'not_found' }],
      ['A%00', 400, { code: 'invalid_value', parameter: 'slug' }],
      ['acme?fresh=1', 400, { code: 'unknown_parameter' }],
    ];
    for (const [slug, status, part] of asked) {
      const answer = await get(`/api/members/${slug}`);
      expect([slug, answer.statusCode, answer.json()]).toMatchObject([slug, status, part]);
      expect(breaches(document, PATH, answer)).toEqual([]);
    }
    expect((await get('/api/members/acme')).json().agents).toHaveLength(21);
  });
});
