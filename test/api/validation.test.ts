import { describe, expect, it } from 'vitest';
import { gradedExam } from '../../src/compose/exam.ts';
import { checkBytes, checkDomain } from '../../src/discovery/check-file.ts';
import { CheckRefused, type FileChecks, reportOf } from '../../src/discovery/file-checks.ts';
import { limitSites, SiteBusy } from '../../src/discovery/limited-sites.ts';
import { fetcherFor, serve } from '../crawl/fetch/web.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { checksOver } from './support/file-checks.ts';
import { openRegistry, type TestRegistry } from './support/registry.ts';

const AGENT = 'https://sales.example/mcp';
const GOOD = { authorized_agents: [{ url: AGENT, authorized_for: 'Display' }] };
const SITE = { property_type: 'website', name: 'n', identifiers: [{ type: 'domain', value: 'n.example' }] };

type Asked = (url: string, payload?: object) => ReturnType<TestRegistry['get']>;

async function asking(checks: FileChecks): Promise<TestRegistry & { readonly ask: Asked }> {
  const registry = await openRegistry([], {}, { checks });
  const document = (await registry.get('/openapi.json')).json<OpenApi>();
  const seen = new Set<string>(); // to compile the schemas takes longer than to answer
  return {
    ...registry,
    async ask(url: string, payload?: object) {
      const method = payload === undefined ? 'GET' : 'POST';
      const answer = await registry.server.inject({ method, url, ...(payload !== undefined && { payload }) });
      const path = url.split('?')[0] ?? '';
      const kind = `${path} ${answer.statusCode}`;
      if (!seen.has(kind))
        expect(breaches(document, path, answer, method === 'GET' ? 'get' : 'post')).toEqual([]);
      seen.add(kind);
      return answer;
    },
  };
}

/** How many checks there were of each result. */
async function counted(metrics: TestRegistry['metrics']): Promise<Record<string, number>> {
  const lines = (await metrics.text()).matchAll(/^registry_file_checks_total\{.*result="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, result, count]) => [result, Number(count)]));
}

const nobody: FileChecks = {
  check: () => Promise.reject(new CheckRefused('visited_now')),
  close: async () => {},
};

/** A list of numbers, so many levels deep, as many bytes in all as a question may have. */
function listsOf(depth: number): string {
  const inside = '1,'.repeat((511 * 1024 - 2 * depth) / 2);
  return `${'['.repeat(depth)}${inside}1${']'.repeat(depth)}`;
}

describe('a file that is sent as JSON', () => {
  it.each([
    ['/api/adagents/validate', (deep: string) => `{"adagents_json":{"agents":${deep}}}`],
    ['/api/brands/validate', (deep: string) => `{"brand_json":{"agents":${deep}}}`],
    ['/api/adagents/create', (deep: string) => `{"authorized_agents":${deep}}`],
  ])('is written for the check in no more than a few times its bytes, by %s', async (url, bodyOf) => {
    const asked: number[] = [];
    const checks: FileChecks = {
      async check(question) {
        asked.push(question.text?.length ?? 0);
        return reportOf(checkBytes(Buffer.from('{}'), { now: 0 }), question);
      },
      close: async () => {},
    };
    const { server } = await openRegistry([], {}, { checks });
    const post = (depth: number) =>
      server.inject({
        ...{ method: 'POST', url, payload: bodyOf(listsOf(depth)), remoteAddress: `127.${depth % 256}.0.1` },
        headers: { 'content-type': 'application/json' },
      });
    for (const depth of [2, 12, 28]) await post(depth);
    expect(asked).toHaveLength(3);
    expect(Math.max(...asked)).toBeLessThan(10 * 1024 * 1024);
    for (const depth of [40, 1_000, 3_000, 200_000]) {
      const refused = await post(depth);
      expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_value']);
    }
    expect(asked).toHaveLength(3);
  });
});

describe('a file of a domain', () => {
  it('is told in the words of every client, and looked at once a minute', async () => {
    const web = await serve((_request, response) =>
      response.end(JSON.stringify({ ...GOOD, properties: [{ property_id: 'p', ...SITE }], agents: [] })),
    );
    const fetcher = fetcherFor(web);
    const checks = checksOver(fetcher);
    const { ask, clock, metrics } = await asking(checks);
    const whole = (await ask('/api/adagents/validate', { domain: 'NEWS.example' })).json();
    expect(whole).toMatchObject({
      success: true,
      data: {
        ...{ domain: 'news.example', found: true },
        validation: { valid: true, errors: [], discovery_method: 'direct', status_code: 200 },
        report: { valid: true, agents: [AGENT], summary: { publishers: [{ sellers: [{ agent: AGENT }] }] } },
      },
    });
    expect(whole.data.validation.warnings.length).toBeGreaterThan(0);
    expect((await ask('/api/public/validate-publisher?domain=news.example')).json()).toMatchObject({
      ...{ valid: true, agent_count: 1, property_count: 1, property_type_counts: { website: 1 } },
      ...{ url: 'https://news.example/.well-known/adagents.json', errors: [] },
    });
    expect((await ask('/api/properties/validate?domain=news.example')).json()).toMatchObject({
      ...{ valid: true, status_code: 200 },
    });
    expect(checks.asked).toHaveLength(1);
    expect(await counted(metrics)).toEqual({ valid: 1, repeated: 2 });
    clock.value += 60_001;
    await ask('/api/properties/validate?domain=news.example');
    expect(checks.asked).toHaveLength(2);
    await fetcher.close();
    await web.close();
  });

  it('is reported where there is none', async () => {
    const web = await serve((_request, response) => response.writeHead(404).end());
    const fetcher = fetcherFor(web);
    const { ask } = await asking(checksOver(fetcher));
    const { data } = (await ask('/api/brands/validate', { domain: 'news.example' })).json();
    expect(data).toMatchObject({
      found: false,
      validation: { valid: false, status_code: 404, url: 'https://news.example/.well-known/brand.json' },
      report: { kind: 'brand', findings: [{ code: 'http_404' }] },
    });
    await fetcher.close();
    await web.close();
  });

  it('leads to no private address, whatever name or file says so', async () => {
    const dialled: string[] = [];
    const fetcher = fetcherFor(undefined, {
      resolver: async (host) => [host.startsWith('six') ? '::1' : '127.0.0.1'],
      connector: ({ address }) => {
        dialled.push(address);
        throw new Error('nobody is to be dialled');
      },
    });
    const { ask } = await asking(checksOver(fetcher));
    for (const domain of ['four.test-site.com', 'six.test-site.org']) {
      const { data } = (await ask('/api/adagents/validate', { domain })).json();
      expect([data.found, data.report.findings[0].code]).toEqual([false, 'blocked']);
    }
    for (const domain of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', 'a.internal:8080'])
      expect((await ask('/api/adagents/validate', { domain })).statusCode).toBe(400);
    expect(dialled).toEqual([]);
    await fetcher.close();
  });
});

/** What it is, where it is sent, part of the answer. */
const SENT: readonly (readonly [string, string, object, object])[] = [
  [
    'its text, with places and a repair',
    '/api/adagents/validate',
    { adagents_json: `{"agents": [{"url": "${AGENT}", "protocol": "mcp",}]}` },
    { report: { valid: false, findings: [{ line: 1 }], fixed: expect.stringContaining('"mcp"}') } },
  ],
  [
    'its JSON, for a publisher',
    '/api/adagents/validate',
    { adagents_json: GOOD, domain: 'news.example' },
    { domain: 'news.example', validation: { valid: true, domain: 'news.example' } },
  ],
  [
    'a brand.json',
    '/api/brands/validate',
    { brand_json: { agents: [{ type: 'sales', url: AGENT }] } },
    { report: { kind: 'brand', variant: 'agents_only', summary: { agents: [{ agent: AGENT }] } } },
  ],
  [
    'what is no JSON at all',
    '/api/brands/validate',
    { brand_json: '<html>' },
    { report: { valid: false, summary: { agents: [] } } },
  ],
  [
    'what has no bound but ours: an answer stays below 256 KiB',
    '/api/adagents/validate',
    {
      adagents_json: {
        authorized_agents: Array.from({ length: 500 }, (_, at) => ({
          url: `${AGENT}/${'x'.repeat(800)}${at}`,
          authorized_for: 5,
        })),
      },
    },
    { report: { truncated: true } },
  ],
];

const REFUSED: readonly (readonly [string, object, object])[] = [
  ['/api/adagents/validate', [], { code: 'bad_request' }],
  ['/api/adagents/validate', {}, { parameter: 'domain' }],
  ['/api/adagents/validate', { brand_json: {} }, { code: 'unknown_parameter', parameter: 'brand_json' }],
  ['/api/brands/validate', { domain: 7 }, { parameter: 'domain' }],
  ['/api/adagents/create', { authorized_agents: {} }, { parameter: 'authorized_agents' }],
  ['/api/adagents/create', { authorized_agents: [], include_schema: 1 }, { parameter: 'include_schema' }],
  [
    '/api/adagents/create',
    { authorized_agents: [{ url: 'nonsense', authorized_for: 'Display' }] },
    { parameter: '/authorized_agents/0/url' },
  ],
];

describe('a file that is sent', () => {
  it('is checked, whatever it is, within 256 KiB', async () => {
    const { ask } = await asking(checksOver(fetcherFor()));
    for (const [name, url, payload, part] of SENT) {
      const answer = await ask(url, payload);
      expect([name, answer.statusCode, answer.json().data]).toMatchObject([name, 200, part]);
      expect(answer.rawPayload.length).toBeLessThan(256 * 1024);
    }
  });

  it('is refused with the place of what is wrong', async () => {
    const { ask } = await asking(checksOver(fetcherFor()));
    for (const [url, payload, part] of REFUSED) {
      const answer = await ask(url, payload);
      expect([url, answer.statusCode, answer.json()]).toMatchObject([url, 400, part]);
    }
  });

  it('is made of its parts', async () => {
    const { ask } = await asking(checksOver(fetcherFor()));
    const { data } = (await ask('/api/adagents/create', { ...GOOD, include_timestamp: true })).json();
    expect(JSON.parse(data.adagents_json)).toMatchObject({ ...GOOD, last_updated: expect.any(String) });
    expect(data.validation.valid).toBe(true);
  });
});

describe('who asks for checks', () => {
  it('has one at a time, joins one of the same domain, and asks for five domains of a site in a minute', async () => {
    const [begun, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const checks: FileChecks = {
      check: async ({ kind = 'adagents' }) => {
        begun.resolve();
        await open.promise;
        return reportOf(checkBytes(Buffer.from('{}'), { kind, now: 0 }));
      },
      close: async () => {},
    };
    const { ask, metrics } = await asking(checks);
    const first = ask('/api/adagents/validate', { domain: 'a.news.example' });
    const same = ask('/api/adagents/validate', { domain: 'a.news.example' });
    await begun.promise;
    const other = await ask('/api/adagents/validate', { domain: 'b.news.example' });
    expect([other.statusCode, other.headers['retry-after']]).toEqual([429, '5']);
    open.resolve();
    expect([(await first).statusCode, (await same).statusCode]).toEqual([200, 200]);
    const codes: number[] = [];
    for (const name of ['c', 'd', 'e', 'f', 'g', 'a'])
      codes.push((await ask('/api/adagents/validate', { domain: `${name}.news.example` })).statusCode);
    expect(codes).toEqual([200, 200, 200, 200, 429, 200]);
    expect(await counted(metrics)).toEqual({ invalid: 5, refused: 2, repeated: 2 });
  });

  it('has so much read in a minute, whatever it sends, and leaves the rest to others', async () => {
    const { server } = await asking({
      check: async ({ kind = 'adagents' }) => reportOf(checkBytes(Buffer.from('{}'), { kind, now: 0 })),
      close: async () => {},
    });
    const payload = { adagents_json: 'x'.repeat(500 * 1024) };
    const send = async (remoteAddress: string) => {
      const url = '/api/adagents/validate';
      return (await server.inject({ method: 'POST', url, payload, remoteAddress })).statusCode;
    };
    for (let time = 0; time < 12; time += 1) expect(await send('127.0.0.1')).toBe(200);
    expect(await send('127.0.0.1')).toBe(429);
    expect(await send('127.1.0.1')).toBe(200);
  });

  it.each(['busy', 'visited_now'] as const)(
    'is never given a refusal of ours (%s) as a verdict, and nobody else is given it either',
    async (reason) => {
      let isBusy = true;
      const checks: FileChecks = {
        check: async ({ kind = 'adagents' }) => {
          if (isBusy) throw new CheckRefused(reason, 30_000);
          return reportOf(checkBytes(Buffer.from(JSON.stringify(GOOD)), { kind, now: 0 }));
        },
        close: async () => {},
      };
      const { ask } = await asking(checks);
      const refused = await ask('/api/properties/validate?domain=a.example');
      expect([refused.statusCode, refused.headers['retry-after'], refused.json().code]).toEqual([
        503,
        '30',
        'unavailable',
      ]);
      expect(refused.json()).not.toHaveProperty('valid');
      isBusy = false;
      expect((await ask('/api/properties/validate?domain=a.example')).json()).toMatchObject({ valid: true });
    },
  );

  it('hears when to come back while somebody else visits the site, and that nobody is visited at all', async () => {
    const { ask, metrics } = await asking(nobody);
    const busy = await ask('/api/properties/validate?domain=a.example');
    expect([busy.statusCode, busy.headers['retry-after']]).toEqual([503, '5']);
    expect(await counted(metrics)).toEqual({ refused: 1 });
    const none = await openRegistry();
    expect((await none.get('/api/properties/validate?domain=a.example')).json().code).toBe('not_offered');
  });
});

describe('a site', () => {
  it('is asked for so many files in a minute, wherever checked files refer to, and refuses the next without a verdict', async () => {
    const web = await serve(({ headers: { host = '' } }, response) =>
      response.end(JSON.stringify({ authoritative_location: `https://third.example/${host}.json` })),
    );
    const inner = fetcherFor(web);
    const open = { ...inner, isMapped: () => false };
    const limitedTo = limitSites(open, { perMinute: 3, maxBytes: 100 });
    const check = (domain: string) =>
      checkDomain({ fetcher: limitedTo(domain), kind: 'adagents', now: 0, deadlineMs: 15_000, domain });
    for (const domain of ['a.com', 'b.com', 'c.com']) await check(domain);
    await expect(check('d.com')).rejects.toThrow(SiteBusy);
    expect(web.seen.filter((line) => line.includes('third.example'))).toHaveLength(3);
    await inner.close();
    await web.close();
  });

  it('is asked for no more where the ads.txt of checked domains redirects to it', async () => {
    const web = await serve(({ headers: { host = '' }, url }, response) => {
      if (host === 'third.example') return response.end('no ads.txt');
      if (url !== '/ads.txt') return response.writeHead(404).end();
      return response.writeHead(302, { location: `https://third.example/${host}.txt` }).end();
    });
    const inner = fetcherFor(web);
    const limitedTo = limitSites({ ...inner, isMapped: () => false }, { perMinute: 3, maxBytes: 100 });
    const check = (domain: string) =>
      checkDomain({ fetcher: limitedTo(domain), kind: 'adagents', now: 0, deadlineMs: 15_000, domain });
    for (const domain of ['a.com', 'b.com', 'c.com']) await check(domain);
    await expect(check('d.com')).rejects.toThrow(SiteBusy);
    expect(web.seen.filter((line) => line.includes('third.example') && line.includes('.txt'))).toHaveLength(
      3,
    );
    await inner.close();
    await web.close();
  });

  it('that another question holds is waited for a while, and then nothing is said about what is there', async () => {
    const inner = fetcherFor();
    const open = { ...inner, isMapped: () => false };
    const fetcher = limitSites(open, { perMinute: 9, maxBytes: 100, turnMs: 20 })('a.com');
    const held = Promise.withResolvers<void>();
    const other = inner.visit({ host: 'a.com', deadlineMs: 60_000 }, () => held.promise);
    const [clock, late] = [{ now: () => Date.now() }, new AbortController().signal];
    const directory = { publishedBy: () => Promise.reject(new Error('nobody is asked for keys')) };
    const url = 'https://agent.a.com/mcp';
    await expect(
      Promise.allSettled([
        checkDomain({ fetcher, kind: 'adagents', now: 0, deadlineMs: 20, domain: 'a.com' }),
        gradedExam(url, { fetcher, clock, directory, late, deadlineMs: 20 }),
        fetcher.visit({ host: 'agent.a.com', deadlineMs: 20 }, async () => 'asked'),
      ]),
    ).resolves.toMatchObject(Array.from({ length: 3 }, () => ({ reason: expect.any(SiteBusy) })));
    held.resolve();
    await other;
    await inner.close();
  });
});
