import type { RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gradedExam } from '../../src/compose/exam.ts';
import { composeKeyDirectory } from '../../src/compose/signature-keys.ts';
import { parseConnectTo } from '../../src/crawl/fetch/connect-to.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { json } from '../calling/support/serve.ts';
import { fetcherFor, serve } from '../crawl/fetch/web.ts';
import { makeKey } from '../signing/support.ts';

const AGENT = 'https://site.com/mcp';
const OWN_BRAND = 'https://site.com/.well-known/brand.json';
const CLOCK = { now: () => Date.now() };

interface Site {
  /** The agent that is examined. */
  readonly url?: string;
  /** What its capabilities say where its brand.json is. */
  readonly brandJsonUrl?: string;
  /** What the entry of its brand.json says where its keys are. */
  readonly jwksUri?: string;
  /** Files of its origin that are answered by a redirect. */
  readonly redirects?: Readonly<Record<string, string>>;
}

/** What the lab says of the keys of an agent, and what a second server, which has every other host, was asked. */
async function examined({ url = AGENT, brandJsonUrl, jwksUri, redirects = {} }: Site) {
  const key = await makeKey('k1');
  const files: Readonly<Record<string, unknown>> = {
    '/.well-known/jwks.json': { keys: [key.public] },
    '/keys.json': { keys: [key.public] },
    '/.well-known/brand.json': {
      house: { domain: 'site.com', name: 'Site' },
      agents: [{ type: 'sales', id: 'a', url, ...(jwksUri !== undefined && { jwks_uri: jwksUri }) }],
    },
  };
  const capabilities = {
    ...{ proto: { supported_versions: ['3.0'] }, supported_protocols: ['media_buy'] },
    ...(brandJsonUrl !== undefined && { identity: { brand_json_url: brandJsonUrl } }),
  };
  const agent = mcpAgent({
    ...{ path: '/mcp', tools: ['get_proto_capabilities'] },
    answers: { get_proto_capabilities: { content: [], structuredContent: capabilities } },
  });
  const answer: RequestListener = (request, response) => {
    const path = request.url ?? '';
    const to = redirects[path];
    if (to !== undefined) return response.writeHead(302, { location: to }).end();
    return files[path] === undefined ? agent(request, response) : json(response, files[path]);
  };
  const own = await serve(answer, { robots: true });
  const other = await serve(answer, { robots: true });
  const connectTo = parseConnectTo([`${new URL(url).host}=${own.origin}`, `*=${other.origin}`]);
  const fetcher = fetcherFor(undefined, { connectTo });
  onTestFinished(async () => {
    await fetcher.close();
    await own.close();
    await other.close();
  });
  const directory = composeKeyDirectory(fetcher, CLOCK);
  const late = new AbortController().signal;
  const { checks } = await gradedExam(url, { fetcher, clock: CLOCK, directory, late });
  const keys = checks.find(({ id }) => id === 'keys');
  return { keys, asked: other.seen, connections: other.connections() };
}

describe('the keys of an agent that the lab examines', () => {
  it.each<[string, Site]>([
    ['under its own domain', {}],
    ['where its capabilities say', { brandJsonUrl: OWN_BRAND }],
    ['where the brand.json says', { jwksUri: 'https://site.com/keys.json' }],
  ])('are judged on its own origin: %s', async (_where, site) => {
    const { keys, connections } = await examined(site);
    expect([keys?.result, keys?.reason]).toEqual(['passed', 'found keys for request, webhook']);
    expect(connections).toBe(0);
  });

  it.each<[string, Site, string]>([
    [
      'a brand.json of somebody else',
      { brandJsonUrl: 'https://house.com/brand.json' },
      'published at house.com',
    ],
    [
      'another host of its domain',
      { brandJsonUrl: 'https://www.site.com/brand.json' },
      'published at www.site.com',
    ],
    ['another port', { brandJsonUrl: 'https://site.com:8443/brand.json' }, 'published at site.com:8443'],
    ['a key set of somebody else', { jwksUri: 'https://keys.com/jwks.json' }, 'published at keys.com'],
    ['a key set of its domain', { jwksUri: 'https://keys.site.com/jwks.json' }, 'published at keys.site.com'],
    ['the domain above it', { url: 'https://sales.site.com/mcp' }, 'expected at site.com'],
  ])('are not judged, and nobody else is asked, with %s', async (_where, site, where) => {
    const { keys, asked, connections } = await examined(site);
    expect(keys).toMatchObject({
      ...{ result: 'skipped', outOf: 0 },
      reason: `not tested: keys are ${where}, and the lab contacts only the origin of the agent`,
    });
    expect([asked, connections]).toEqual([[], 0]);
  });

  it.each(['/.well-known/brand.json', '/.well-known/jwks.json'])(
    'are not found, as by whoever verifies, where %s leads elsewhere, and nobody there is asked',
    async (path) => {
      const { keys, asked, connections } = await examined({
        redirects: { [path]: `https://house.com${path}` },
      });
      expect(keys).toMatchObject({ result: 'failed', reason: expect.stringContaining('redirect') });
      expect([asked, connections]).toEqual([[], 0]);
    },
  );
});
