import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identifierOfAgent } from '../../src/api/ard/identifier.ts';
import { writeExport } from '../../src/api/export/files.ts';
import { cursorSecretOf } from '../../src/api/operations/list-agents.ts';

import { deriveStored } from '../../src/discovery/derive-facts.ts';
import { stitchAll } from '../../src/index/generations/keep-indexed.ts';
import { of } from '../compliance/support/badge-story.ts';
import { keepRun } from '../contract/compliance-fixtures.ts';
import { openBrowser } from './support/browser.ts';
import type { OpenApi } from './support/contract.ts';
import { bareDocument } from './support/documents.ts';
import { PROBED_AT } from './support/registry.ts';
import { AGENT, SELLER, testedWith } from './support/tested-agent.ts';

const RUN = 'run-of-before';
const HERE = encodeURIComponent(AGENT);
/** What stands in answers about an agent that passed its tests and holds a badge (`eyJhbGci` begins its token), and in none about one that was never tested. */
const WORDS = [
  ...['passing', 'passes', '"pass"', 'pass<', 'earned', 'verified for', 'is verified', '"verified":true'],
  ...['media-buy', 'sales-guaranteed', 'sales_guaranteed', 'lost', RUN, 'verified_at":"', 'eyJhbGci'],
  ...['degraded', 'failing', 'revoked'],
];

/** Values for the parameters of all operations that read, by their names. */
const VALUES: Readonly<Record<string, string>> = {
  ...{ encodedUrl: HERE, agentUrl: HERE, url: AGENT, agent: AGENT, agent_url: AGENT },
  ...{ id: RUN, role: 'media-buy', version: '3.0', slug: 'nova', domain: 'a.example', q: 'a' },
  ...{ identifier_type: 'domain', identifier_value: 'a.example', type: 'domain', value: 'a.example' },
  ...{ identifier: encodeURIComponent(String(identifierOfAgent(AGENT))), reportId: 'none' },
  ...{ area: 'core', file: 'error.json' },
};
/** Readings beside the one of each operation without its optional parameters. */
const MORE = [
  '/api/registry/agents?compliance=true&health=true&capabilities=true&properties=true',
  '/api/registry/agents?verified=true',
  '/api/registry/agents?verification_mode=spec',
  '/api/registry/agents/search?facets=true',
  '/api/registry/agents/search?verified=true',
  '/api/registry/agents/search?compliance_status=passing',
  '/api/registry/feed?types=*&limit=1',
  '/api/registry/feed?limit=10000',
  `/api/registry/feed.atom?agent_url=${HERE}`,
  `/api/registry/agents/${HERE}/compliance/diagnostics?run_id=${RUN}`,
];
const PAGES = [
  ...['/', '/?verified=true', '/?compliance_status=passing', '/changes', '/status', '/storyboards', '/lab'],
  ...[`/agents/${HERE}`, `/agents/${HERE}/publishers`, `/runs/${HERE}/${RUN}`, `/badges/${HERE}/media-buy`],
  '/llms.txt',
];
const OWN_PAGES = ['/my', `/my/agents/${HERE}`, `/my/agents/${HERE}/runs/${RUN}`];
const POSTS: readonly (readonly [string, object])[] = [
  ['/api/registry/agents/storyboard-status', { agent_urls: [AGENT] }],
  ['/api/ard/search', { query: { text: 'a' } }],
  ['/api/ard/explore', { query: { text: 'a' }, resultType: { facets: [{ field: 'verified' }] } }],
];
const TOOLS: readonly (readonly [string, object])[] = [
  ['search_agents', { q: 'a' }],
  ['get_agent', { agent_url: AGENT }],
  ['get_compliance', { agent_url: AGENT }],
];
/** They name agents by hashes, so that tokens of badges that ended are known. */
const HASHES = '/.well-known/badge-revocations.json';
/** What it answers has no end. */
const STREAM = '/api/registry/feed/stream';

async function world() {
  const exports = mkdtempSync(join(tmpdir(), 'registry-exports-'));
  onTestFinished(() => rmSync(exports, { recursive: true }));
  const registry = await testedWith({ exports });
  const { records, index, clock, server, get, owner, stranger } = registry;
  const stitch = () => stitchAll({ records, index, clock, rederive: deriveStored });
  const browser = await openBrowser(server);
  await browser.post('/sign-in', { key: owner.authorization.slice('Bearer '.length), next: '/my' });
  const { port } = server.server.address() as AddressInfo;
  const document = (await get('/openapi.json')).json<OpenApi>();
  const operations = Object.entries(document.paths).flatMap(([path, { get: one }]) => {
    if (one === undefined || path === STREAM || path === HASHES) return [];
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? `no value for ${name}`);
    const query = ((one as { parameters?: Parameter[] }).parameters ?? [])
      .filter(({ in: place, required }) => place === 'query' && required === true)
      .map(({ name }): [string, string] => [name, VALUES[name] ?? `no value for ${name}`]);
    return [`${filled}${query.length === 0 ? '' : `?${new URLSearchParams(query)}`}`];
  });

  /** All that anybody is told, by who asks for what. */
  async function everything(): Promise<ReadonlyMap<string, string>> {
    const told = new Map<string, string>();
    for (const [who, headers] of Object.entries({ public: {}, stranger, owner })) {
      for (const path of [...operations, ...MORE]) {
        const { rawPayload, headers: its } = await get(path, headers);
        const text = its['content-type'] === 'application/gzip' ? gunzipSync(rawPayload) : rawPayload;
        told.set(`${who} ${path}`, text.toString());
      }
      for (const [url, payload] of POSTS)
        told.set(`${who} ${url}`, (await server.inject({ method: 'POST', url, headers, payload })).body);
      for (const [name, args] of TOOLS) {
        const payload = {
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name, arguments: args },
        };
        const accept = 'application/json, text/event-stream';
        const post = { method: 'POST', url: '/mcp', headers: { ...headers, accept }, payload } as const;
        told.set(`${who} ${name}`, (await server.inject(post)).body.replaceAll('\\"', '"'));
      }
    }
    for (const path of PAGES) {
      const { body, headers } = await get(path, { accept: 'text/html' });
      told.set(path, `${body} ${headers.location}`);
    }
    for (const path of OWN_PAGES) told.set(path, (await browser.get(path)).body);
    const ended = new AbortController();
    const stream = await fetch(`http://127.0.0.1:${port}${STREAM}`, { signal: ended.signal });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/event: feed\n.*\n\n/s.test(text)) text += (await reader?.read())?.value ?? '';
    ended.abort();
    told.set(STREAM, text);
    return told;
  }
  const write = async () =>
    writeExport({ records, clock, cursorSecret: await cursorSecretOf(records) }, exports);
  await stitch();
  await write();
  return {
    ...registry,
    ...{ operations, everything, stitch },
    /** A run that passes earns a badge, and all is told of it. */
    async tell(run = SELLER) {
      await keepRun(records, PROBED_AT, { ...run, run_id: RUN }, { agent: AGENT });
      await stitch();
      clock.value += 1_000;
      await write();
    },
    /** By the owner, who is answered when the list has it. */
    async settings(compliance_opt_out: boolean) {
      const url = `/api/registry/agents/${HERE}/settings`;
      const answer = await server.inject({
        ...{ method: 'PATCH', url, headers: owner },
        payload: { compliance_opt_out },
      });
      await stitch(); // `onChanged` of a registry that serves
      return answer;
    },
    /** By a process that ends before it brings the change into the list. */
    optOut: () =>
      records.owners.changeSettings(
        { agent: AGENT, change: { optedOut: true }, actor: { kind: 'operator' } },
        clock.value,
      ),
  };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

type Told = ReadonlyMap<string, string>;

/** Readers that tell a word of a verdict that they did not have before there was one. */
function telling(told: Told, before: Told): readonly string[] {
  return [...told].flatMap(([reader, text]) => {
    const words = WORDS.filter((word) => text.includes(word) && before.get(reader)?.includes(word) !== true);
    return words.length === 0 ? [] : [`${reader}: ${words.join(', ')}`];
  });
}

/** Made of the index, which follows the change log: the opt-out by its owner waits for it, and that of a crashed process does not. */
const OF_THE_INDEX =
  /\/api\/registry\/agents(\/search)?(\?|$)|\/api\/ard\/(agents$|search|explore)|search_agents$|^\/(\?|$)/;
/** They tell the owner which requests were made to its agent, and who looked at them, with the ids of runs. */
const OF_REQUESTS = /\/(monitoring\/requests|audit)$|^\/my\/agents\/[^/]+$/;

function leaks(told: Told, untested: Told): readonly string[] {
  return telling(told, untested).filter((leak) => {
    const [reader = '', words = ''] = leak.split(': ');
    return !(OF_REQUESTS.test(reader) && words === RUN);
  });
}

describe('an agent whose owner opts out after verdicts and badges were told', () => {
  it('is told of by every reader before, and by none as soon as its owner is answered', async () => {
    const { operations, everything, settings, tell } = await world();
    const untested = await everything();
    expect(operations.filter((path) => path.includes('no value for'))).toEqual([]);
    expect(operations.length).toBeGreaterThan(60);
    await tell();
    // asked for the second time, so that caches keep it
    expect(telling(await everything(), untested).length).toBeGreaterThan(70);
    expect((await settings(true)).json()).toMatchObject({ compliance_opt_out: true });
    expect(leaks(await everything(), untested)).toEqual([]);
  });

  it('is told of by no log, no feed and no page of its own even while nobody stitches', async () => {
    const { everything, tell, optOut, stitch } = await world();
    const untested = await everything();
    await tell();
    await everything();
    await optOut();
    const told = leaks(await everything(), untested);
    expect(told.filter((leak) => !OF_THE_INDEX.test(leak.split(': ')[0] ?? ''))).toEqual([]);
    await stitch();
    expect(leaks(await everything(), untested)).toEqual([]);
  });

  it('has its results taken out of an export that was made before', async () => {
    const { get, tell, settings } = await world();
    await tell();
    const whole = await get('/api/registry/export');
    const [head, card, end] = linesOf(whole.rawPayload);
    expect(card).toMatchObject({ kind: 'agent', compliance_summary: { status: 'passing' } });
    await settings(true);
    const without = await get('/api/registry/export', { range: 'bytes=10-' });
    expect([without.statusCode, without.headers['content-range']]).toEqual([200, undefined]);
    expect(linesOf(without.rawPayload)).toEqual([
      head,
      { ...card, compliance_summary: { status: 'opted_out' } },
      end,
    ]);
    const tag = { 'if-none-match': String(without.headers.etag) };
    expect((await get('/api/registry/export', tag)).statusCode).toBe(304);
    expect(
      (await get('/api/registry/export', { 'if-none-match': String(whole.headers.etag) })).statusCode,
    ).toBe(200);
  });

  it('does not appear on the next page of the feed', async () => {
    const { get, put, tell, optOut } = await world();
    const named = (host: string) => bareDocument(`https://${host}.example/mcp`);
    await put([named('b'), named('c')]);
    await tell();
    await put([named('d')]);
    const page = async (cursor: string) => (await get(`/api/registry/feed?limit=1&cursor=${cursor}`)).json();
    const first = await page('');
    const second = await page(first.cursor);
    expect([first, second].map(({ events }) => events[0].entity_id)).toEqual(
      ['b', 'c'].map((host) => `https://${host}.example/mcp`),
    );
    await optOut();
    const third = await page(second.cursor);
    expect(JSON.stringify(third)).not.toContain('passing');
  });

  it('is told of by the feed from an old cursor as an agent is that never held a badge', async () => {
    const toldOf = async (run: typeof SELLER) => {
      const { get, tell, settings } = await world();
      const { cursor } = (await get('/api/registry/feed')).json();
      await tell(run);
      await settings(true);
      const { events } = (await get(`/api/registry/feed?cursor=${cursor}`)).json<{ events: Event[] }>();
      return events.map(({ event_type, payload }) => [event_type, payload]);
    };
    interface Event {
      readonly event_type: string;
      readonly payload: object;
    }
    expect(await toldOf(SELLER)).toEqual(await toldOf(of({ 'sales-guaranteed': 'fail' })));
  });

  it('is opted out in each reader of states, in its old rows and in the new one', async () => {
    const { get, tell, settings } = await world();
    await tell();
    await settings(true);
    const { changes } = (await get('/api/registry/changes')).json<{
      changes: { compliance_status?: string }[];
    }>();
    const states = changes.flatMap(({ compliance_status: status }) => status ?? []);
    expect([states.length > 1, new Set(states)]).toEqual([true, new Set(['opted_out'])]);
    const { events } = (await get('/api/registry/feed')).json<{ events: { payload: object }[] }>();
    expect(events).toMatchObject([{ payload: { compliance_summary: { status: 'opted_out' } } }]);
    expect((await get(`/api/registry/feed.atom?agent_url=${HERE}`)).body).toContain('tests opted out');
    expect((await get(`/api/registry/agents/${HERE}/compliance`)).json()).toMatchObject({
      status: 'opted_out',
    });
  });

  it('has its runs and its log again when it is opted in, and no badge', async () => {
    const { get, tell, settings } = await world();
    await tell();
    await settings(true);
    await settings(false);
    const base = `/api/registry/agents/${HERE}/compliance`;
    expect((await get(base)).json()).toMatchObject({ status: 'passing', verified: false });
    expect((await get(`${base}/history`)).json().runs).toMatchObject([{ run_id: RUN }]);
    const { events } = (await get(`${base}/badges`)).json();
    expect(events.map(({ kind }: { kind: string }) => kind)).toEqual(['revoked', 'earned']);
    expect((await get('/changes')).body).toContain('verified for media-buy');
    expect((await get('/api/registry/agents?verified=true')).json().agents).toEqual([]);
  });
});

function linesOf(packed: Buffer): readonly Readonly<Record<string, unknown>>[] {
  const lines = gunzipSync(packed).toString().trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
