import type { RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withConnection } from '../../src/calling/connect.ts';
import { CallFailure } from '../../src/calling/failure.ts';
import { type LiveRunOptions, runAgent } from '../../src/compliance/run/run-agent.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import { ProvenOrigin } from '../../src/domain/proven-origin.ts';
import { probeAgent } from '../../src/probe/probe.ts';
import { a2aAgent } from '../calling/support/a2a-agent.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { bodyOf, json, serve } from '../calling/support/serve.ts';
import { patientTime } from '../support/patient-time.ts';
import { answered, bundleOf, OPEN, stepOf, withPhases } from './support/runs.ts';

const PROVEN = 'a.platform.example';
/** Other origins: a neighbour of the same registrable domain, another port, another scheme, another spelling of userinfo. */
const OTHERS = ['b.platform.example', 'platform.example', 'a.platform.example:8443', 'elsewhere.example'];
const TOOLS = ['get_proto_capabilities', 'get_products', 'create_media_buy', 'update_media_buy'];
const BUY = bundleOf(
  withPhases('  - {id: p, steps: [{id: read, task: get_products}, {id: buy, task: create_media_buy}]}\n'),
);

/** Hosts of one server, and which of them was asked what. */
async function hosts(those: Readonly<Record<string, RequestListener>>) {
  const seen: string[] = [];
  const origin = await serve((request, response) => {
    const host = String(request.headers.host);
    seen.push(host);
    const listener = those[host];
    if (listener === undefined) response.writeHead(404).end();
    else listener(request, response);
  });
  const fetcher = composeFetcher(readConfig({}), { connectTo: [`*.example=${origin}`] }, systemClock);
  onTestFinished(() => fetcher.close());
  const run = (url: string, more: Partial<LiveRunOptions> = {}) =>
    runAgent({
      ...{ url, fetcher, clock: systemClock, bundle: BUY, consent: 'owner', trigger: 'heartbeat' },
      ...{ target: '3.0', version: '3.0.0', protocols: ['mcp'] },
      limits: { stepMs: 5_000, runMs: 20_000 },
      ...more,
    });
  return { seen, fetcher, run };
}

const bought: string[] = [];
const seller = () =>
  mcpAgent({
    tools: TOOLS,
    answer: (task) => {
      bought.push(task);
      if (task === 'create_media_buy') return answered({ media_buy_id: 'buy-1' });
      return answered(task === 'get_proto_capabilities' ? OPEN : {});
    },
  });

describe('nothing of a run leaves the proven origin', () => {
  it.each(OTHERS.flatMap((host) => [307, 308].map((status) => ({ host, status }))))(
    'a call that answers $status to $host fails, and changes nothing there',
    async ({ host, status }) => {
      bought.length = 0;
      const own = seller();
      const { seen, run } = await hosts({
        [PROVEN]: async (request, response) => {
          const body = await bodyOf(request);
          const task = (body?.params as { name?: string } | undefined)?.name;
          if (task !== 'create_media_buy' && task !== 'update_media_buy') return own(request, response, body);
          response.writeHead(status, { location: `https://${host}/` }).end();
        },
        [host]: seller(),
      });
      const result = await run(`https://${PROVEN}/`);
      const step = stepOf(result, 'buy');
      expect(step.result).toBe('fail');
      expect(JSON.stringify(step.evidence)).toContain(
        `the redirect leads to https://${host}, which is outside the agent's origin https://${PROVEN}`,
      );
      expect(bought).not.toContain('create_media_buy');
      expect([...new Set(seen)]).toEqual([PROVEN]);
    },
  );

  it('a clean-up that answers 307 is not sent on either', async () => {
    bought.length = 0;
    const own = seller();
    const { seen, run } = await hosts({
      [PROVEN]: async (request, response) => {
        const body = await bodyOf(request);
        if ((body?.params as { name?: string } | undefined)?.name !== 'update_media_buy')
          return own(request, response, body);
        response.writeHead(307, { location: 'https://b.platform.example/' }).end();
      },
      'b.platform.example': seller(),
    });
    const result = await run(`https://${PROVEN}/`);
    expect(result.made).toEqual([
      expect.objectContaining({
        id: 'buy-1',
        cancelled: 'no',
        detail: expect.stringContaining('b.platform'),
      }),
    ]);
    expect([...new Set(seen)]).toEqual([PROVEN]);
  });

  it.each([
    ['https://b.platform.example/', `https://${PROVEN}/`],
    [`https://${PROVEN}/`, `http://${PROVEN}/`],
  ])(
    'an address that leads to %s from the first request on is unreachable, and says where it led',
    async (to, url) => {
      const { seen, run } = await hosts({
        [PROVEN]: (_request, response) => void response.writeHead(308, { location: to }).end(),
        'b.platform.example': seller(),
      });
      const result = await run(url);
      expect(result.unreachable).toMatchObject({
        error_class: 'other_origin',
        message: expect.stringContaining(`the redirect leads to ${to.slice(0, -1)},`),
      });
      expect([...new Set(seen)]).toEqual([PROVEN]);
    },
  );

  it('a redirect inside of the origin is followed, in any spelling of the host', async () => {
    const own = seller();
    const { run } = await hosts({
      [PROVEN]: (request, response) => {
        if (request.url === '/') return own(request, response);
        response.writeHead(307, { location: `https://A.Platform.EXAMPLE:443/` }).end();
      },
      [`${PROVEN}.`]: own,
    });
    const result = await run(`https://${PROVEN}/mcp`);
    expect(stepOf(result, 'read').result).toBe('pass');
  });

  it('the stream of an old MCP server that names an endpoint elsewhere is not spoken to there', async () => {
    const { seen, run } = await hosts({
      [PROVEN]: (request, response) => {
        if (request.method !== 'GET') return void response.writeHead(405).end();
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('event: endpoint\ndata: https://b.platform.example/messages\n\n');
      },
      'b.platform.example': seller(),
    });
    const result = await run(`https://${PROVEN}/mcp`);
    expect(result.outcome).toBe('unreachable');
    expect([...new Set(seen)]).toEqual([PROVEN]);
  });

  it('an event stream whose answer redirects is not followed when it is resumed', async () => {
    const own = seller();
    const { seen, run } = await hosts({
      [PROVEN]: async (request, response) => {
        if (request.method === 'GET')
          return void response.writeHead(307, { location: 'https://b.platform.example/' }).end();
        const body = await bodyOf(request);
        if ((body?.params as { name?: string } | undefined)?.name !== 'create_media_buy')
          return own(request, response, body);
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end('id: 1\nretry: 10\ndata: \n\n'); // ends before its answer, so that a client resumes it by GET
      },
      'b.platform.example': seller(),
    });
    patientTime();
    const result = await run(`https://${PROVEN}/`, { limits: { stepMs: 500, runMs: 20_000 } });
    expect(stepOf(result, 'buy').result).toBe('fail');
    expect([...new Set(seen)]).toEqual([PROVEN]);
  });
});

/** A card at the proven host with these interfaces. */
function card(interfaces: readonly object[], version = '1.0'): RequestListener {
  const skills = TOOLS.map((id) => ({ id, name: id, description: id, tags: [] }));
  const [first = {}, ...more] = interfaces as { url?: string }[];
  const body =
    version === '1.0'
      ? { name: 'Card', skills, supportedInterfaces: interfaces }
      : { name: 'Card', skills, url: first.url, protocolVersion: '0.3.0', additionalInterfaces: more };
  return (_request, response) => json(response, body);
}

const at = (host: string, version: string) => ({
  url: `https://${host}/a2a`,
  protocolBinding: 'JSONRPC',
  transport: 'JSONRPC',
  protocolVersion: version,
});

describe('a call by hand stays at the origin that was named', () => {
  it('a task that is redirected is not called elsewhere', async () => {
    bought.length = 0;
    const own = seller();
    const { seen, fetcher } = await hosts({
      [PROVEN]: async (request, response) => {
        const body = await bodyOf(request);
        if (body?.method !== 'tools/call') return own(request, response, body);
        response.writeHead(308, { location: 'https://b.platform.example/' }).end();
      },
      'b.platform.example': seller(),
    });
    const visit = { url: `https://${PROVEN}/`, fetcher, clock: systemClock, deadlineMs: 10_000 };
    const answer = await withConnection(visit, async (connection) => {
      if (connection instanceof CallFailure) throw connection;
      return connection.callTask('create_media_buy', {});
    });
    expect(answer).toMatchObject({ outcome: 'failed', failure: { errorClass: 'other_origin' } });
    expect(bought).toEqual([]);
    expect([...new Set(seen)]).toEqual([PROVEN]);
  });
});

describe('nor does the address of an agent card', () => {
  it.each(OTHERS.flatMap((host) => ['0.3', '1.0'].map((version) => ({ host, version }))))(
    'a card of $version that names $host fails every step, and nobody is called there',
    async ({ host, version }) => {
      const agent = a2aAgent({ version: version as '0.3', skills: TOOLS, answers: { get_products: {} } });
      const { seen, run } = await hosts({ [PROVEN]: card([at(host, version)], version), [host]: agent });
      const result = await run(`https://${PROVEN}/`, { protocols: ['a2a'] });
      expect(result.totals.steps.passed).toBe(0);
      expect(JSON.stringify(stepOf(result, 'read').evidence)).toContain(`it leads to https://${host}, which`);
      expect([...new Set(seen)]).toEqual([PROVEN]);
    },
  );

  it.each(['0.3', '1.0'] as const)(
    'of several interfaces the one at the origin is taken (%s)',
    async (version) => {
      const agent = a2aAgent({
        version,
        skills: TOOLS,
        answers: { get_products: {}, get_proto_capabilities: OPEN },
      });
      const listed = card([at('b.platform.example', version), at(PROVEN, version)], version);
      const { seen, run } = await hosts({
        [PROVEN]: (request, response) =>
          request.url === '/a2a' ? agent(request, response) : listed(request, response),
        'b.platform.example': agent,
      });
      const result = await run(`https://${PROVEN}/`, { protocols: ['a2a'] });
      expect(stepOf(result, 'read').result).toBe('pass');
      expect([...new Set(seen)]).toEqual([PROVEN]);
    },
  );

  it('a card that changes in the middle of a run leads nowhere', async () => {
    const agent = a2aAgent({
      version: '1.0',
      skills: TOOLS,
      answers: { get_products: {}, get_proto_capabilities: OPEN },
    });
    let reads = 0;
    const { seen, run } = await hosts({
      [PROVEN]: (request, response) => {
        if (request.url === '/a2a') return agent(request, response);
        reads += 1;
        return card([at(reads === 1 ? PROVEN : 'b.platform.example', '1.0')])(request, response);
      },
      'b.platform.example': agent,
    });
    const phases =
      '  - {id: p, steps: [{id: one, task: get_products}, {id: two, task: get_products, auth: none}]}\n';
    const result = await run(`https://${PROVEN}/`, {
      protocols: ['a2a'],
      bundle: bundleOf(withPhases(phases)),
    });
    expect(stepOf(result, 'one').result).toBe('pass');
    expect(stepOf(result, 'two').result).toBe('fail');
    expect(reads).toBeGreaterThan(1);
    expect([...new Set(seen)]).toEqual([PROVEN]);
  });
});

describe('a discovery probe only reads', () => {
  it('it follows inside the registrable domain, and says that tests will not', async () => {
    const agent = a2aAgent({ version: '1.0', skills: TOOLS, answers: { get_proto_capabilities: OPEN } });
    const { seen, fetcher } = await hosts({
      [PROVEN]: card([at('b.platform.example', '1.0')]),
      'b.platform.example': agent,
    });
    const url = `https://${PROVEN}/`;
    const seenOf = await probeAgent({
      url,
      key: url,
      fetcher,
      clock: systemClock,
      hints: { protocol: 'a2a' },
    });
    expect(seenOf.health.online).toBe(true);
    expect(seenOf.findings).toContainEqual(expect.objectContaining({ code: 'card_url_other_origin' }));
    expect(seen).toContain('b.platform.example');
  });
});

describe('a proven origin', () => {
  it.each([
    ['https://a.example/mcp', 'https://a.example/other?x=1#y', true],
    ['https://a.example/mcp', 'https://A.EXAMPLE:443/', true],
    ['https://a.example/mcp', 'https://a.example./', true],
    ['https://a.example./mcp', 'https://a.example/', true],
    ['https://a.example/mcp', 'https://user:secret@a.example/', true], // userinfo is refused by the guard itself
    ['https://bücher.example/', 'https://xn--bcher-kva.example/', true],
    ['https://[2001:db8::1]/', 'https://[2001:db8:0:0:0:0:0:1]/', true],
    ['https://a.example/mcp', 'http://a.example/mcp', false],
    ['http://a.example/mcp', 'https://a.example/mcp', false],
    ['https://a.example/mcp', 'https://a.example:8443/mcp', false],
    ['https://a.example/mcp', 'https://b.a.example/', false],
    ['https://a.example/mcp', 'https://example/', false],
    ['https://a.example/mcp', 'https://a.example..evil.example/', false],
    ['https://a.example/mcp', 'https://a.example@evil.example/', false],
    ['https://a.example/mcp', 'blob:https://a.example/1', false],
    ['https://a.example/mcp', '/relative', false],
  ])('that of %s holds %s: %s', (agent, url, holds) => {
    expect(ProvenOrigin.of(agent).holds(url)).toBe(holds);
  });
});
