import { afterAll, beforeAll, expect, test } from 'vitest';
import { BRANDS } from '../src/brands/houses.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { startSandbox } from '../src/start-sandbox.ts';
import { type WebClient, webClient } from './support/web-client.ts';

let sandbox: Sandbox;
let client: WebClient;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, publishers: 5, managed: 0 });
  client = webClient(sandbox.origin);
});

afterAll(async () => {
  await client.close();
  await sandbox.close();
});

interface BrandFile {
  readonly house?: string | { readonly domain: string };
  readonly house_domain?: string;
  readonly authoritative_location?: string;
  readonly brand_refs?: readonly { readonly domain: string }[];
  readonly agents?: readonly { readonly url: string; readonly type: string; readonly jwks_uri?: string }[];
}

const brandFile = async (domain: string): Promise<BrandFile> =>
  (await (await client.fetch(`https://${domain}/.well-known/brand.json`)).json()) as BrandFile;

test('all five variants and all relations are there', () => {
  expect(new Set(BRANDS.map(({ variant }) => variant)).size).toBe(5);
  const relations = new Set(BRANDS.flatMap(({ relation }) => relation ?? []));
  expect(relations).toEqual(new Set(['mutual', 'leaf_only', 'house_only', 'standalone']));
});

test.each(BRANDS.filter(({ relation }) => relation !== undefined))(
  '$domain is $relation',
  async ({ domain, house, relation }) => {
    const leaf = await brandFile(domain);
    const named = leaf.house_domain ?? leaf.house;
    const refs = house === undefined ? [] : ((await brandFile(house)).brand_refs ?? []);
    const adopted = refs.some((ref) => ref.domain === domain);
    const found =
      named === undefined ? (adopted ? 'house_only' : 'standalone') : adopted ? 'mutual' : 'leaf_only';
    expect(found).toBe(relation);
  },
);

test('inline brands stand in the file of their house, their names keyed by language', async () => {
  const file = (await brandFile('marlowe-house.example')) as { brands?: unknown };
  expect(BRANDS.find(({ domain }) => domain === 'marlowe-house.example')?.inline).toEqual([
    'marlowe-matches',
  ]);
  expect(file.brands).toEqual([
    {
      id: 'marlowe-matches',
      names: [{ en: 'Marlowe Matches' }, { nl: 'Marlowe Lucifers' }],
      identity_agent: { url: 'https://marlowe-house.example/identity', id: 'identity' },
    },
  ]);
});

test('a redirect leads to a portfolio', async () => {
  const { authoritative_location } = await brandFile('old-copperkettle.example');
  const target = await client.fetch(authoritative_location ?? '');
  expect(await target.json()).toMatchObject({ house: { domain: 'copperkettle.example' } });
});

test('the hoster declares its agents with keys that are served', async () => {
  const { agents = [] } = await brandFile('agents.example');
  expect(agents.length).toBeGreaterThan(4);
  for (const { jwks_uri } of agents) {
    const { keys } = (await (await client.fetch(jwks_uri ?? '')).json()) as {
      keys: { kty: string; d?: string }[];
    };
    const verifying = { kty: 'OKP', crv: 'Ed25519', use: 'sig', key_ops: ['verify'] };
    expect(keys).toMatchObject([verifying, verifying, verifying]);
    expect(keys.some((key) => 'd' in key)).toBe(false);
  }
});

test('a stranger retypes an agent whose own domain knows better', async () => {
  const { declarer, agent, claimed, type } = sandbox.expectations.retyped;
  expect((await brandFile(declarer)).agents).toMatchObject([{ url: agent, type: claimed }]);
  expect((await brandFile(new URL(agent).host)).agents).toMatchObject([{ url: agent, type }]);
});

test('what is declared at home is what is expected', async () => {
  const homes = await Promise.all(
    sandbox.domains.vendors.map(async (domain) => {
      const answer = await client.fetch(`https://${domain}/.well-known/brand.json`);
      return answer.status === 200 ? (((await answer.json()) as BrandFile).agents ?? []) : [];
    }),
  );
  const byUrl = new Map(homes.flat().map(({ url, type }) => [url, type]));
  for (const agent of sandbox.expectations.agents) {
    const home = byUrl.get(agent.declaredUrl);
    if (home !== undefined) expect([agent.url, agent.declared, home]).toEqual([agent.url, true, agent.type]);
  }
  expect(byUrl.size).toBeGreaterThan(25);
});
