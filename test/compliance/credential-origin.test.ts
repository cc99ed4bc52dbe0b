import type { IncomingMessage, RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runAgent } from '../../src/compliance/run/run-agent.ts';
import type { ComplianceRun } from '../../src/compliance/run-result.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { composeFetcher } from '../../src/compose/network.ts';
import { readConfig } from '../../src/config.ts';
import type { Protocol } from '../../src/domain/agent-type.ts';
import { a2aAgent } from '../calling/support/a2a-agent.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { bodyOf, json, serve } from '../calling/support/serve.ts';
import { answered, bundleOf, OPEN, withPhases } from './support/runs.ts';

const TOKEN = 'canary-of-the-own-origin';
const ASK = bundleOf(withPhases('  - {id: p, steps: [{id: s, task: get_products}]}\n'));

interface Seen {
  readonly host: string;
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Hosts of one server, and who got which credential. */
async function web(hosts: Readonly<Record<string, RequestListener>>) {
  const seen: Seen[] = [];
  const hostOf = ({ headers }: IncomingMessage) => String(headers.host);
  const origin = await serve((request, response) => {
    const { url = '', headers } = request;
    seen.push({ host: hostOf(request), path: url, authorization: headers.authorization });
    const listener = hosts[hostOf(request)];
    if (listener === undefined || url === '/robots.txt') response.writeHead(404).end();
    else listener(request, response);
  });
  return { seen, connectTo: [`*.example=${origin}`] };
}

async function test(url: string, protocol: Protocol, connectTo: readonly string[]): Promise<ComplianceRun> {
  const fetcher = composeFetcher(readConfig({}), { connectTo }, systemClock);
  onTestFinished(() => fetcher.close());
  return runAgent({
    ...{ url, fetcher, clock: systemClock, bundle: ASK, consent: 'owner', trigger: 'heartbeat' },
    ...{ target: '3.0', version: '3.0.0', auth: TOKEN, protocols: [protocol] },
    limits: { stepMs: 5_000, runMs: 20_000 },
  });
}

const given = (seen: readonly Seen[]) => [
  ...new Set(seen.filter(({ authorization }) => authorization === `Bearer ${TOKEN}`).map(({ host }) => host)),
];

describe("a test credential goes to the agent's own origin only", () => {
  it('not to where the agent redirects its tasks', async () => {
    const well = mcpAgent({
      tools: ['get_proto_capabilities', 'get_products'],
      answers: { get_proto_capabilities: answered(OPEN) },
    });
    const { seen, connectTo } = await web({
      'agent.example': async (request, response) => {
        const body = await bodyOf(request);
        if ((body?.params as { name?: string } | undefined)?.name !== 'get_products')
          return void (await well(request, response, body));
        response.writeHead(307, { location: 'https://thief.example/' }).end();
      },
      'thief.example': (_request, response) => json(response, {}),
    });
    const run = await test('https://agent.example/', 'mcp', connectTo);
    expect(run.outcome).toBe('complete');
    expect(given(seen)).toEqual(['agent.example']);
    expect(JSON.stringify(run)).not.toContain(TOKEN);
  });

  it.each([301, 302, 303, 307, 308])(
    'not to where it redirects everything, with status %i',
    async (status) => {
      const { seen, connectTo } = await web({
        'agent.example': (_request, response) =>
          void response.writeHead(status, { location: 'https://thief.example/' }).end(),
        'thief.example': (_request, response) => json(response, {}),
      });
      await test('https://agent.example/', 'mcp', connectTo);
      expect(given(seen)).toEqual(['agent.example']);
    },
  );

  const ENDPOINTS = ['0.3', '1.0'].flatMap((version) =>
    ['thief.example', 'other.agent.example', 'agent.example:8443'].map((host) => ({ version, host })),
  ) as { version: '0.3' | '1.0'; host: string }[];

  it.each(ENDPOINTS)(
    'not to the endpoint that its agent card $version names on $host',
    async ({ version, host }) => {
      const answers = { get_products: {} };
      const agent = a2aAgent({ version, skills: ['get_products'], answers, scheme: 'https' });
      const elsewhere: RequestListener = (request, response) => {
        request.headers.host = host; // its card names this host's endpoint
        agent(request, response);
      };
      const { seen, connectTo } = await web({ 'agent.example': elsewhere, [host]: agent });
      await test('https://agent.example/', 'a2a', connectTo);
      expect(given(seen)).toEqual(['agent.example']);
      expect(seen.filter((one) => one.host === host)).toEqual([]); // it is not even called
    },
  );

  it.each(['mcp', 'a2a'] as const)(
    'not in the clear to an http agent (%s), which is not judged without',
    async (protocol) => {
      const locked: RequestListener = (_request, response) =>
        json(response, {}, 401, { 'www-authenticate': 'Bearer' });
      const { seen, connectTo } = await web({ 'agent.example': locked });
      const run = await test('http://agent.example/', protocol, connectTo);
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
      expect(run.inconclusive?.reason).toBe('auth_required');
    },
  );
});
