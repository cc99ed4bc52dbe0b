import type { RequestListener } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gradedExam } from '../../src/compose/exam.ts';
import { askProducts } from '../../src/probe/products.ts';
import { later } from '../budgets/later.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { publish, publishFile } from '../contract/records-steps.ts';
import { fetcherFor, serve } from '../crawl/fetch/web.ts';
import { openRegistry } from './support/registry.ts';

const AGENT = 'https://papercrane.example/mcp';
/** Spellings of the one agent. Each but the last few dials something else, if it is dialled as it is. */
const SPELLINGS = [
  'https://papercrane.example/mcp//',
  'https://papercrane.example/mcp/',
  'https://papercrane.example/mcp',
  'https://papercrane.example/%6Dcp',
  'https://papercrane.example/%6dcp//',
  'https://papercrane.example/./mcp//',
  'https://papercrane.example/x/../mcp/',
  'https://papercrane.example/x/%2e%2E/mcp//',
  'HTTPS://PaperCrane.EXAMPLE:443/mcp/',
  'https://papercrane.example./mcp//',
  'https://papercrane.example/mcp#//',
];
const CLOCK = { now: () => Date.now() };
const BEFORE_MS = 6 * 60_000;

/** A registry that really examines agents and asks them, all of them on one loopback server, which notes what was dialled. */
async function openWith(listener: RequestListener) {
  const dialled: string[] = [];
  const web = await serve((request, response) => {
    const path = request.url ?? '';
    if (request.method === 'POST') dialled.push(`${request.headers.host} ${path}`);
    return listener(request, response);
  });
  const fetcher = fetcherFor(web);
  onTestFinished(async () => {
    await fetcher.close();
    await web.close();
  });
  const directory = { publishedBy: async () => ({ reason: 'it has none' }) };
  const late = new AbortController().signal;
  const checks = {
    check: () => Promise.reject(new Error('no file is asked for')),
    close: async () => {},
    examine: (url: string) => gradedExam(url, { fetcher, clock: CLOCK, directory, late }),
    products: (url: string) => askProducts(url, fetcher, CLOCK),
  };
  const registry = await openRegistry([], {}, { checks });
  const { server, get } = registry;
  const examine = async (agent_url: string) => {
    const begun = await server.inject({ method: 'POST', url: '/api/registry/lab', payload: { agent_url } });
    expect(begun.statusCode).toBe(202);
    const path = `/api/registry/lab/${begun.json().id}`;
    await expect.poll(async () => (await get(path)).json().status, { timeout: 10_000 }).toBe('completed');
    return { report: (await get(path)).json(), page: (await get(`/lab/${begun.json().id}`)).body };
  };
  return { ...registry, examine, dialled: () => [...new Set(dialled.splice(0))] };
}

function agentAt(path: string): RequestListener {
  const tools = ['get_proto_capabilities', 'get_products'];
  const products = { content: [], structuredContent: { products: [{ product_id: 'one' }] } };
  return mcpAgent({ path, tools, answers: { get_products: products } });
}

describe.each(['/mcp', '/mcp/', '/%6Dcp//', '/mcp//'])('an agent that is declared with %s', (path) => {
  const declared = `https://papercrane.example${path}`;
  const file = { agents: [{ type: 'sales', id: 'crane', url: declared }] };

  it('is examined there under every spelling, and the report is that of the one agent', async () => {
    const { records, examine, dialled, clock } = await openWith(agentAt(path));
    await publishFile(records, 'papercrane.example', 'brand', { file });
    for (const asked of SPELLINGS) {
      const { report, page } = await examine(asked);
      expect([report.agent_url, report.dialled_url]).toEqual([
        AGENT,
        declared === AGENT ? undefined : declared,
      ]);
      expect([report.protocols, report.grade === 'F']).toEqual([['mcp'], false]);
      expect(dialled()).toEqual([`papercrane.example ${path}`]);
      if (asked !== declared && asked !== AGENT)
        expect(`${JSON.stringify(report)} ${page}`).not.toContain(`"${asked}"`);
      clock.value += BEFORE_MS;
      later(BEFORE_MS);
    }
  });

  it('is asked for its products there under every spelling', async () => {
    const { records, get, dialled, clock } = await openWith(agentAt(path));
    await publish(records, 'news.example', { authorized_agents: [{ url: declared, authorized_for: 'all' }] });
    for (const asked of SPELLINGS) {
      const answer = await get(`/api/public/agent-products?url=${encodeURIComponent(asked)}`);
      expect(answer.json()).toMatchObject({ success: true, agent_url: AGENT, product_count: 1 });
      expect(dialled()).toEqual([`papercrane.example ${path}`]);
      clock.value += BEFORE_MS;
      later(BEFORE_MS);
    }
  });
});

describe('an agent that the registry does not know', () => {
  it('is examined at its canonical URL under every spelling', async () => {
    const { examine, dialled, clock } = await openWith(agentAt('/mcp'));
    for (const asked of SPELLINGS) {
      const { report } = await examine(asked);
      expect([report.agent_url, report.dialled_url, report.protocols]).toEqual([AGENT, undefined, ['mcp']]);
      expect(dialled()).toEqual(['papercrane.example /mcp']);
      clock.value += BEFORE_MS;
      later(BEFORE_MS);
    }
  });

  it('is another one with a query, whose exam says nothing of the first', async () => {
    const { server, examine, dialled } = await openWith(agentAt('/mcp'));
    const { report } = await examine(`${AGENT}/?a=//`);
    expect([report.agent_url, report.grade]).toEqual([`${AGENT}?a=//`, 'F']);
    expect(dialled()).toEqual(['papercrane.example /mcp?a=//']);
    const payload = { agent_url: AGENT };
    expect((await server.inject({ method: 'POST', url: '/api/registry/lab', payload })).statusCode).toBe(202);
  });

  it('is open to its owner after a stranger was refused an exam of a spelling', async () => {
    const { server, examine } = await openWith(agentAt('/mcp'));
    const payload = { agent_url: 'https://u:p@papercrane.example/mcp//' };
    expect((await server.inject({ method: 'POST', url: '/api/registry/lab', payload })).statusCode).toBe(400);
    expect((await examine(AGENT)).report.protocols).toEqual(['mcp']);
  });
});
