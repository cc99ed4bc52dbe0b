import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PUBLISHER_VARIANTS, type PublisherVariant } from '../src/publishers/publishers.ts';
import type { Sandbox } from '../src/sandbox.ts';
import { startSandbox } from '../src/start-sandbox.ts';
import { type WebClient, webClient } from './support/web-client.ts';

let sandbox: Sandbox;
let client: WebClient;

beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, managed: 2_500 });
  client = webClient(sandbox.origin);
});

afterAll(async () => {
  await client.close();
  await sandbox.close();
});

interface Entry {
  readonly url: string;
  readonly authorization_type?: string;
  readonly publisher_properties?: readonly { readonly publisher_domains: readonly string[] }[];
}

const publisher = (variant: PublisherVariant) => {
  const found = sandbox.expectations.publishers.find(
    (each) => each.variant === variant && each.domain !== 'noticeboard.example',
  );
  if (found === undefined) throw new Error(`no publisher of variant ${variant}`);
  return found;
};
const get = (domain: string, path = '/.well-known/adagents.json') =>
  client.fetch(`https://${domain}${path}`, { redirect: 'manual' });
const json = async (variant: PublisherVariant): Promise<Record<string, unknown>> =>
  (await (await get(publisher(variant).domain)).json()) as Record<string, unknown>;

test('every variant has several publishers', () => {
  for (const variant of PUBLISHER_VARIANTS) {
    const count = sandbox.expectations.publishers.filter((each) => each.variant === variant).length;
    expect(count, variant).toBeGreaterThanOrEqual(7);
  }
});

describe('inline files', () => {
  test.each([
    ['inline_property_ids', 'property_ids'],
    ['inline_property_tags', 'property_tags'],
    ['inline_properties', 'inline_properties'],
    ['inline_publisher_properties', 'publisher_properties'],
    ['inline_limited', 'property_ids'],
  ] as const)('%s authorises its agents by %s', async (variant, type) => {
    const entries = (await json(variant)).authorized_agents as Entry[];
    expect(entries.map(({ url }) => url)).toEqual(publisher(variant).authorises);
    expect(new Set(entries.map(({ authorization_type }) => authorization_type))).toEqual(new Set([type]));
  });

  test.each([
    ['inline_signal_ids', 'signal_ids'],
    ['inline_signal_tags', 'signal_tags'],
  ] as const)('%s names a signals agent by %s', async (variant, type) => {
    const entries = (await json(variant)).authorized_agents as Entry[];
    expect(entries.map(({ authorization_type }) => authorization_type)).toEqual(['property_ids', type]);
  });

  test.each(['expired', 'not_yet', 'both_lists'] as const)(
    '%s expects only the first agent',
    async (variant) => {
      const file = await json(variant);
      expect((file.authorized_agents as Entry[])[0]?.url).toBe(publisher(variant).authorises[0]);
      expect(publisher(variant).authorises).toHaveLength(1);
    },
  );

  test('a catalogue without agents expects none', async () => {
    expect(await json('catalogue_only')).toMatchObject({ authorized_agents: [], properties: [{}, {}] });
    expect(publisher('catalogue_only').authorises).toEqual([]);
  });
});

describe('plain files', () => {
  test('simple is the shape of the specification', async () => {
    const { domain, name } = publisher('simple');
    expect(await json('simple')).toMatchObject({ version: '1.0', publisher: { name, domain } });
  });

  test('legacy comes in both forms', async () => {
    expect(await json('legacy_entries')).toEqual({
      authorized_agents: publisher('legacy_entries').authorises.map((url) => ({
        url,
        authorized_for: 'our inventory',
      })),
    });
    expect(await json('legacy_properties')).toMatchObject({
      properties: [
        {
          agents: publisher('legacy_properties').authorises.map((agent_url) => ({
            agent_url,
            relationship: 'direct',
          })),
        },
      ],
    });
  });

  test('good JSON comes with a wrong content type, with a byte order mark, with a duplicate key', async () => {
    expect((await get(publisher('wrong_content_type').domain)).headers.get('content-type')).toContain(
      'text/plain',
    );
    const marked = new Uint8Array(await (await get(publisher('byte_order_mark').domain)).arrayBuffer());
    expect([...marked.slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const text = await (await get(publisher('duplicate_key').domain)).text();
    expect(text.match(/"last_updated"/g)).toHaveLength(2);
    expect(JSON.parse(text)).toHaveProperty('authorized_agents');
  });

  test('an apex redirects to its own www', async () => {
    const { domain } = publisher('redirect_to_www');
    const answer = await get(domain);
    expect(answer.headers.get('location')).toBe(`https://www.${domain}/.well-known/adagents.json`);
    expect((await get(`www.${domain}`)).status).toBe(200);
  });

  test('robots.txt forbids everything to everybody', async () => {
    const answer = await get(publisher('blanket_robots').domain, '/robots.txt');
    expect(await answer.text()).toContain('Disallow: /');
  });
});

describe('files of others', () => {
  const network = async () =>
    (await (await get('oakline-network.example')).json()) as Record<string, unknown>;

  test('a reference leads to a file on another domain', async () => {
    const { authoritative_location } = (await json('reference_to_own')) as { authoritative_location: string };
    const target = (await (await client.fetch(authoritative_location)).json()) as {
      authorized_agents: Entry[];
    };
    expect(target.authorized_agents.map(({ url }) => url)).toEqual(publisher('reference_to_own').authorises);
  });

  test('the network names those that it sells for, and revokes some of them', async () => {
    const file = await network();
    const named = (file.authorized_agents as Entry[])[0]?.publisher_properties?.[0]?.publisher_domains ?? [];
    const revoked = (file.revoked_publisher_domains as { publisher_domain: string }[]).map(
      (each) => each.publisher_domain,
    );
    const standing = (variant: PublisherVariant) =>
      [named, revoked].map((list) => list.includes(publisher(variant).domain));
    expect(standing('reference_to_network')).toEqual([true, false]);
    expect(standing('manager')).toEqual([true, false]);
    expect(standing('manager_revoked')).toEqual([true, true]);
    expect(standing('reference_unnamed')).toEqual([false, false]);
    expect(publisher('manager_revoked').authorises).toEqual([]);
  });

  test.each([
    ['manager', 404],
    ['object_store', 403],
  ] as const)('%s answers %i and names its manager in ads.txt', async (variant, status) => {
    const { domain } = publisher(variant);
    expect((await get(domain)).status).toBe(status);
    expect(await (await get(domain, '/ads.txt')).text()).toContain('MANAGERDOMAIN=oakline-network.example');
  });

  test('the long tail names its manager, and the manager names all of it', async () => {
    const file = (await (await get('longtail-row.example')).json()) as { authorized_agents: Entry[] };
    const selectors = file.authorized_agents[0]?.publisher_properties ?? [];
    expect(selectors.flatMap(({ publisher_domains }) => publisher_domains)).toEqual(sandbox.domains.longTail);
    const last = sandbox.domains.longTail.at(-1) ?? '';
    expect((await get(last)).status).toBe(404);
    expect(await (await get(last, '/ads.txt')).text()).toContain('MANAGERDOMAIN=longtail-row.example');
    expect((await get('beekeeping-02500.example', '/ads.txt')).status).toBe(404);
  });
});

test('who authorises an agent is what the files say', () => {
  const { agents, publishers } = sandbox.expectations;
  for (const agent of agents.filter(({ url }) => !url.includes('longtail-row'))) {
    const expected = publishers
      .filter(({ authorises }) => authorises.includes(agent.declaredUrl))
      .map(({ domain }) => domain);
    const inTrouble = sandbox.domains.trouble;
    expect(
      agent.publishers.filter((domain) => !inTrouble.includes(domain)),
      agent.url,
    ).toEqual(expected.sort());
  }
});
