import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { gradedExam } from '../../src/compose/exam.ts';
import { parseConnectTo } from '../../src/crawl/fetch/connect-to.ts';
import type { LabResult } from '../../src/domain/lab-report.ts';
import { sentence } from '../../src/pages/texts.ts';
import { examineAgent, type SeenOver } from '../../src/probe/exam.ts';
import { gradeAgent } from '../../src/probe/grade.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { json, serve } from '../calling/support/serve.ts';
import { loopbackFetcher } from '../calling/support/test-fetcher.ts';
import { fetcherFor } from '../crawl/fetch/web.ts';
import { breaches, type OpenApi } from './support/contract.ts';
import { openRegistry } from './support/registry.ts';
import { bearer } from './support/tested-agent.ts';

const CAPABILITIES = {
  proto: { supported_versions: ['3.0'] },
  supported_protocols: ['media_buy'],
};
const clock = { now: () => Date.now() };
const KEYS = { kinds: ['request'], faults: [] };
const NAUGHTY = '"><script>alert(1)</script>\u202e';

async function gradedAt(url: string): Promise<LabResult> {
  return gradeAgent(url, await examineAgent({ url, fetcher: loopbackFetcher(), clock }), KEYS, 5);
}

const byId = ({ checks }: LabResult) => Object.fromEntries(checks.map((one) => [one.id, one]));

describe('an exam', () => {
  it('asks nothing that could change anything, and says for each point why', async () => {
    const agent = mcpAgent({
      tools: ['get_proto_capabilities', 'get_products', 'create_media_buy'],
      answers: { get_proto_capabilities: { content: [], structuredContent: CAPABILITIES } },
    });
    const graded = await gradedAt(await serve(agent));
    expect(graded.protocols).toEqual(['mcp']);
    expect(byId(graded)).toMatchObject({
      https: { result: 'failed', points: 0, outOf: 5 },
      handshake: { result: 'passed', reason: expect.stringContaining('MCP answers; A2A: ') },
      tools: { result: 'passed', reason: '3 of 3 tools are protocol tasks' },
      capabilities: { result: 'passed' },
      wrong_request: { result: 'failed', reason: 'the agent accepted an invalid request' },
      card: { result: 'skipped', outOf: 0 },
      keys: { result: 'passed' },
    });
    expect(new Set(graded.steps.map(({ step }) => step))).not.toContain('create_media_buy');
    expect(graded.points).toBeLessThan(graded.outOf);
  });

  it('reports a missing capabilities task under both names, and counts no refusal of it as a good one', async () => {
    const graded = await gradedAt(await serve(mcpAgent({ tools: ['get_products'] })));
    expect(byId(graded)).toMatchObject({
      capabilities: {
        result: 'failed',
        reason: 'missing tool: get_proto_capabilities or get_adcp_capabilities',
      },
      wrong_request: {
        ...{ result: 'skipped', outOf: 0 },
        reason: 'not tested: missing tool: get_proto_capabilities or get_adcp_capabilities',
      },
    });
  });

  it.each([
    [
      { code: 'UNKNOWN_TASK', message: 'no', recovery: 'terminal', pointer: '' },
      ['failed', 'rejected as an unknown task (UNKNOWN_TASK), although it is listed'],
    ],
    [
      { code: 'INVALID_REQUEST', message: 'no', recovery: 'correctable', pointer: '' },
      ['partly', 'rejected with INVALID_REQUEST, without pointer'],
    ],
    [
      { code: 'INVALID_REQUEST', message: 'no', recovery: 'correctable', pointer: '/protocols' },
      ['passed', 'rejected with INVALID_REQUEST at /protocols'],
    ],
  ])('judges how a wrong request is rejected: %j', (error, expected) => {
    const toWrongType = {
      outcome: 'refused' as const,
      error: { ...error, object: {} },
      durationMs: 1,
      raw: '',
    };
    const tools = [{ name: 'get_adcp_capabilities', description: '' }];
    const seen: SeenOver = { protocol: 'mcp', tools, toWrongType, findings: [], steps: [] };
    const { wrong_request } = byId(gradeAgent('https://a.example/', [seen], KEYS, 5));
    expect([wrong_request?.result, wrong_request?.reason]).toEqual(expected);
  });

  it('asks nobody but the origin that was named, wherever a redirect or a card leads', async () => {
    const asked: string[] = [];
    const web = await serve((request, response) => {
      const { host } = request.headers;
      if (host !== 'a.site.com') asked.push(`${host}${request.url}`);
      if (request.url === '/robots.txt') return response.writeHead(404).end();
      if (request.url?.endsWith('.json'))
        return json(response, {
          name: 'a',
          protocolVersion: '0.3.0',
          skills: [],
          url: 'https://b.site.com/a2a',
        });
      return response.writeHead(307, { location: 'https://b.site.com/mcp' }).end();
    });
    const fetcher = fetcherFor(undefined, { connectTo: parseConnectTo([`*=${web}`]) });
    const [mcp, a2a] = await examineAgent({ url: 'https://a.site.com/mcp', fetcher, clock });
    expect(mcp?.failure?.errorClass).toBe('other_origin');
    expect(a2a?.capabilities).toMatchObject({ outcome: 'failed', failure: { errorClass: 'other_origin' } });
    expect(asked).toEqual([]);
    await fetcher.close();
  });

  it('examines no private address, whatever name, address or spelling says so', async () => {
    const dialled: string[] = [];
    const fetcher = fetcherFor(undefined, {
      resolver: async (host) => [host.startsWith('six') ? '::1' : '169.254.169.254'],
      connector: ({ address }) => {
        dialled.push(address);
        throw new Error('nobody is to be dialled');
      },
    });
    const named = ['https://four.test-site.com/mcp', 'https://six.test-site.org/', 'http://127.1/mcp'];
    for (const url of [
      ...named,
      'http://[::ffff:10.0.0.1]/',
      'http://2130706433:9200/',
      'http://localhost/',
    ]) {
      const seen = await examineAgent({ url, fetcher, clock });
      expect(seen.map(({ failure }) => failure?.errorClass)).toEqual(['blocked', 'blocked']);
    }
    expect(dialled).toEqual([]);
    await fetcher.close();
  });

  it('is an F with its reason where nobody answers', async () => {
    const graded = await gradedAt(await serve((_request, response) => response.writeHead(404).end()));
    expect([graded.grade, graded.protocols]).toEqual(['F', []]);
    expect(byId(graded).handshake).toMatchObject({
      result: 'failed',
      reason:
        'MCP: no MCP or A2A endpoint at this URL (HTTP 404); A2A: no MCP or A2A endpoint at this URL (HTTP 404)',
    });
    expect(byId(graded).agreement?.reason).toBe('the agent answers over neither protocol');
  });

  it.each([
    [404, 'not looked up: the agent did not answer'],
    [401, 'not looked up: the agent requires credentials'],
  ])('says why no keys were looked for where the answer is %s: %s', async (status, reason) => {
    const url = await serve((_request, response) => response.writeHead(status).end());
    const directory = { publishedBy: () => Promise.reject(new Error('nobody is asked for keys')) };
    const late = new AbortController().signal;
    const graded = await gradedExam(url, { fetcher: loopbackFetcher(), clock, directory, late });
    expect(byId(graded).keys).toMatchObject({ result: 'failed', reason });
  });

  it('is written in sentences, and a name or URL at their beginning keeps its case', () => {
    expect(String(sentence('it is plain http'))).toBe('<bdi>It is plain http.</bdi>');
    expect(String(sentence('get_products answers'))).toBe('<bdi>get_products answers.</bdi>');
    expect(String(sentence('news.example is away'))).toBe('<bdi>news.example is away.</bdi>');
    expect(String(sentence('https://a.example/ is away'))).toBe('<bdi>https://a.example/ is away.</bdi>');
  });
});

const RESULT: LabResult = {
  ...{ grade: 'B', points: 9, outOf: 10, name: NAUGHTY, protocols: ['mcp'], durationMs: 5 },
  checks: [
    { id: 'https', title: 'Https', result: 'passed', points: 5, outOf: 5, reason: NAUGHTY, hint: NAUGHTY },
  ],
  steps: [
    { step: NAUGHTY, url: 'javascript:alert(1)', ok: false, durationMs: 1, detail: NAUGHTY },
    {
      ...{ step: 'no_task_of_this_name', url: 'https://a.example/mcp', ok: false, durationMs: 1 },
      detail: 'the agent refused the task with UNKNOWN_TASK',
    },
  ],
};
const HTML = { accept: 'text/html' };

/** A registry whose exams end when the test says so. */
async function asking() {
  const exams: { url: string; end: (result: LabResult | Error) => void }[] = [];
  const checks = {
    check: () => Promise.reject(new Error('no file is asked for')),
    close: async () => {},
    examine: (url: string) =>
      new Promise<LabResult>((resolve, reject) =>
        exams.push({ url, end: (end) => (end instanceof Error ? reject(end) : resolve(end)) }),
      ),
  };
  const registry = await openRegistry([], {}, { checks });
  const document = (await registry.get('/openapi.json')).json<OpenApi>();
  const post = async (agent_url: unknown, remoteAddress = '127.0.0.1', headers = {}) => {
    const url = '/api/registry/lab';
    const answer = await registry.server.inject({
      method: 'POST',
      url,
      payload: { agent_url },
      headers,
      remoteAddress,
    });
    expect(breaches(document, url, answer, 'post')).toEqual([]);
    return answer;
  };
  const form = (url: string, headers = {}) =>
    registry.server.inject({
      ...{ method: 'POST', url: '/lab', payload: new URLSearchParams({ url }).toString() },
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });
  const kept = async (id: string) => {
    for (;;) {
      const answer = await registry.get(`/api/registry/lab/${id}`);
      expect(breaches(document, '/api/registry/lab/{id}', answer)).toEqual([]);
      if (answer.statusCode !== 200 || answer.json().status !== 'running') return answer;
      await turn();
    }
  };
  return { ...registry, exams, post, form, kept };
}

const AGENT = 'https://a.example/mcp';

describe('an agent that is named', () => {
  it('is examined once for all who ask, and its report stays under an address that nobody guesses', async () => {
    const { post, form, get, exams, kept } = await asking();
    const begun = await post(AGENT);
    expect([begun.statusCode, begun.headers['retry-after'], begun.json().status]).toEqual([
      202,
      '3',
      'running',
    ]);
    const { id } = begun.json();
    expect(id).toMatch(/^[\w-]{22}$/);
    expect((await post(`${AGENT}/`, '127.0.0.2')).json().id).toBe(id);
    expect((await form(AGENT)).headers.location).toBe(`/lab/${id}`);
    const waiting = await get(`/lab/${id}`, HTML);
    expect([waiting.headers.refresh, waiting.headers['cache-control']]).toEqual(['3', 'no-store']);
    expect(waiting.body).toContain('This page reloads every few seconds.');
    expect(exams.map(({ url }) => url)).toEqual([AGENT]);
    exams[0]?.end(RESULT);
    expect((await kept(id)).json()).toMatchObject({ status: 'completed', grade: 'B', points: 9, out_of: 10 });
    const { body, headers } = await get(`/lab/${id}`, HTML);
    expect(headers.refresh).toBeUndefined();
    expect(body).toContain('9 of 10 points (90%)');
    for (const name of ['Checked', 'Found', 'Why it matters', 'What to do'])
      expect(body).toContain(`<dt>${name}</dt>`);
    expect(body).toContain('<dt><b class="grade-name">B</b></dt><dd>85% to less than 95%: ');
    expect(body).not.toContain('<script>alert');
    expect(body).not.toContain('href="javascript');
    expect(body).toContain('failed</bdi></span> <b><bdi>&quot;');
    expect(body).toContain('rejected</bdi></span> <b><bdi>no_task_of_this_name');
  });

  it('is left alone for five minutes, in which the report that there is is offered', async () => {
    const { post, form, exams, kept, clock: time } = await asking();
    const { id } = (await post(AGENT)).json();
    exams[0]?.end(RESULT);
    await kept(id);
    time.value += 60_000;
    const refused = await post(AGENT);
    expect([refused.statusCode, refused.headers['retry-after'], refused.headers.location]).toEqual([
      429,
      '240',
      `/api/registry/lab/${id}`,
    ]);
    const page = await form(AGENT);
    expect([page.statusCode, page.headers['retry-after'], page.headers.location]).toEqual([
      429,
      '240',
      undefined,
    ]);
    expect(page.body).toContain(`href="/lab/${id}"`);
    expect(page.body).toContain(`value="${AGENT}"`);
    const words =
      'This agent was checked at 09:00:00 UTC; the next check is possible at 09:05:00 UTC, in 240 s.';
    expect(page.body).toContain(words);
    time.value += 240_001;
    expect((await post(AGENT)).statusCode).toBe(202);
  });

  it.each([
    ['http://localhost:3000/mcp', 'agent-registry probe http://localhost:3000/mcp'],
    ['http://127.9.9.9/', 'agent-registry probe http://127.9.9.9/'],
    ['http://[::1]:8080/mcp', "agent-registry probe 'http://[::1]:8080/mcp'"],
  ])('is not examined at %s, which is the machine of the caller', async (url, command) => {
    const { post, form, exams } = await asking();
    const answer = await post(url);
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'bad_agent_url']);
    expect(answer.json().detail).toBe(
      `this registry cannot reach an agent on your machine; run \`${command}\` there`,
    );
    const page = await form(url);
    expect([page.statusCode, page.body.includes('run `agent-registry probe ')]).toEqual([400, true]);
    expect(exams).toEqual([]);
  });

  it('is examined for others, however many keys of one member ask for slow agents', async () => {
    const { post, addKey } = await asking();
    const keys = await Promise.all([1, 2, 3, 4].map(() => addKey('acme')));
    const codes = [];
    for (const [n, { key }] of keys.entries())
      codes.push((await post(`https://slow-${n}.com/`, '127.0.0.1', bearer(key))).statusCode);
    expect(codes).toEqual([202, 202, 429, 429]);
    expect((await post(AGENT, '127.0.0.1', bearer((await addKey('bolt')).key))).statusCode).toBe(202);
    expect((await post('https://c.com/', '127.0.0.9')).statusCode).toBe(202);
  });

  it('is counted for who asks only when it is begun', async () => {
    const { post, exams, kept } = await asking();
    const { id } = (await post(AGENT)).json();
    exams[0]?.end(RESULT);
    await kept(id);
    for (let time = 0; time < 5; time += 1) expect((await post(AGENT)).json().code).toBe('run_cooldown');
    for (const at of [1, 2]) {
      const other = await post(`https://b${at}.example/`);
      expect(other.statusCode).toBe(202);
      exams[at]?.end(RESULT);
      await kept(other.json().id);
    }
    expect((await post('https://b3.example/')).json().code).toBe('rate_limited');
  });

  it('waits while another one of the caller is examined, or two of its network', async () => {
    const { post, exams } = await asking();
    expect((await post('https://a.site.com/')).statusCode).toBe(202);
    const second = await post('https://b.site.com/');
    expect([second.statusCode, second.json().code, second.headers['retry-after']]).toEqual([
      429,
      'rate_limited',
      '5',
    ]);
    expect((await post('https://c.com/', '127.0.0.2')).statusCode).toBe(202);
    expect((await post('https://d.com/', '127.0.0.3')).statusCode).toBe(429);
    expect((await post('https://d.com/', '127.1.0.3')).statusCode).toBe(202);
    expect(exams).toHaveLength(3);
  });

  it('has no report when it could not be visited, and nobody waits for it', async () => {
    const { post, get, exams, kept } = await asking();
    const { id } = (await post(AGENT)).json();
    exams[0]?.end(new Error('visited now'));
    expect((await kept(id)).statusCode).toBe(404);
    const page = await get(`/lab/${id}`, HTML);
    expect([page.statusCode, page.body.includes('Report not found')]).toEqual([404, true]);
    expect((await post(AGENT)).statusCode).toBe(202);
  });

  it.each([
    ['ftp://a.example/', 'The scheme must be https or http'],
    ['', 'Use an absolute http or https URL'],
    [`https://a.example/${'x'.repeat(2_000)}`, 'at most 2000 characters'],
    ['https://u:p@a.example/', 'user name or password'],
  ])('is refused as %j', async (url, words) => {
    const { post, form } = await asking();
    expect((await post(url)).statusCode).toBe(400);
    const page = await form(url);
    expect([page.statusCode, page.body.includes('role="alert"'), page.body.includes(words)]).toEqual([
      400,
      true,
      true,
    ]);
  });

  it('is not examined for the form of another site, nor by a registry that visits nobody', async () => {
    const { form } = await asking();
    expect((await form(AGENT, { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(400);
    const { server, get } = await openRegistry();
    const payload = { agent_url: AGENT };
    expect((await server.inject({ method: 'POST', url: '/api/registry/lab', payload })).statusCode).toBe(501);
    expect((await get(`/lab?url=${encodeURIComponent(AGENT)}`, HTML)).body).toContain(`value="${AGENT}"`);
  });
});
