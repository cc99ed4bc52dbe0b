import type { RequestListener } from 'node:http';
import { connect, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Dial } from '../../src/crawl/fetch/connect.ts';
import { parseConnectTo } from '../../src/crawl/fetch/connect-to.ts';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { bodyOf, html, json, serve } from '../calling/support/serve.ts';
import { fetcherFor } from '../crawl/fetch/web.ts';
import { answered, OPEN, resultsOf, runAt, stepOf, withPhases } from './support/runs.ts';

const AGENT = 'https://agent.shop.example/mcp';
const TOKEN = 'a-token-that-nobody-else-may-see';
const ask = withPhases('  - {id: p, steps: [{id: s, task: get_products}, {id: t, task: get_products}]}\n');

/**
 * Runs against an agent whose own name leads to the listener; every other name has these addresses, and no connection
 * may be tried.
 */
async function runIn(
  listener: RequestListener,
  addresses: readonly string[],
  protocol: 'mcp' | 'a2a' = 'mcp',
) {
  const origin = await serve(listener);
  const dials: Dial[] = [];
  const asked: string[] = [];
  const fetcher = fetcherFor(undefined, {
    connectTo: parseConnectTo([`agent.shop.example=${origin}`]),
    connector: (dial) => {
      if (origin.endsWith(`:${dial.port}`)) return connect(dial.port, dial.address);
      dials.push(dial);
      return new Socket().destroy(new Error('a connection was tried'));
    },
    resolver: async (host) => {
      asked.push(host);
      return addresses;
    },
  });
  try {
    const run = await runAt(AGENT, [ask], { fetcher, auth: TOKEN, protocols: [protocol] });
    return { run, dials, asked };
  } finally {
    await fetcher.close();
  }
}

/** A real agent that answers one method in another way. */
function leading(method: string, away: RequestListener): RequestListener {
  const well = mcpAgent({
    path: '/mcp',
    tools: ['get_proto_capabilities', 'get_products'],
    answer: (task) => answered(task === 'get_products' ? {} : OPEN),
  });
  return async (request, response) => {
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const name = (body?.params as { name?: string } | undefined)?.name;
    return body?.method === method || name === method
      ? away(request, response)
      : well(request, response, body);
  };
}

const to =
  (location: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(307, { location }).end();

describe('an agent that sends its caller to an address that is not public', () => {
  it.each([
    ['http://10.0.0.1/mcp', 'http://10.0.0.1'],
    ['https://127.0.0.1:8080/', 'https://127.0.0.1:8080'],
    ['https://[::1]/', 'https://[::1]'],
    ['https://169.254.169.254/latest/meta-data/', 'https://169.254.169.254'],
    ['https://2130706433/', 'https://127.0.0.1'],
    ['https://localhost/', 'https://localhost'],
    ['https://inside.shop.example/mcp', 'https://inside.shop.example'],
    ['https://user:pass@inside.shop.example/mcp', 'https://inside.shop.example'],
    ['https://inside.shop.example:6379/', 'https://inside.shop.example:6379'],
    ['gopher://inside.shop.example/', 'gopher://inside.shop.example'],
  ])('to %s fails the step, and nobody is dialled', async (location, there) => {
    const { run, dials, asked } = await runIn(leading('get_products', to(location)), ['10.1.2.3']);
    expect(dials).toEqual([]);
    expect(asked).toEqual([]);
    expect(run.outcome).toBe('complete');
    expect(resultsOf(run)).toEqual(['s: fail', 't: fail']);
    const reason = `the redirect leads to ${there}, which is outside the agent's origin https://agent.shop.example and was not called`;
    expect(stepOf(run, 's').checks[0]?.actual).toBe(reason);
    expect(JSON.stringify(run)).not.toContain(TOKEN);
  });

  it('of its own, with a user name, fails the step', async () => {
    const location = 'https://user:pass@agent.shop.example/mcp';
    const { run, dials } = await runIn(leading('get_products', to(location)), []);
    expect(dials).toEqual([]);
    const reason = 'a user name or password in the URL is not accepted';
    expect(stepOf(run, 's').checks[0]?.actual).toBe(reason);
  });

  it('at the handshake is not tested at all', async () => {
    const { run, dials } = await runIn(leading('initialize', to('https://inside.shop.example/mcp')), [
      '93.184.216.34',
      '192.168.0.1',
    ]);
    expect(dials).toEqual([]);
    expect(run).toMatchObject({ outcome: 'unreachable', unreachable: { error_class: 'other_origin' } });
  });

  it('by the endpoint of an event stream is not followed', async () => {
    const old: RequestListener = (request, response) => {
      if (request.method !== 'GET') return html(response, 405);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: https://inside.shop.example/messages\n\n');
    };
    const { run, dials } = await runIn(old, ['10.0.0.1']);
    expect(dials).toEqual([]);
    expect(run.outcome).toBe('unreachable');
  });

  it.each([
    ['of its own domain', 'https://inside.shop.example'],
    ['of another', 'https://elsewhere.example'],
    ['that is an address', 'https://10.0.0.1'],
  ])('by the URL of its card %s fails its steps', async (_name, there) => {
    const url = `${there}/a2a`;
    const card = {
      name: 'Shop',
      skills: [{ id: 'get_products' }],
      supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    };
    const { run, dials } = await runIn((_request, response) => json(response, card), ['10.0.0.1'], 'a2a');
    expect(dials).toEqual([]);
    expect(run.outcome).toBe('complete');
    expect(stepOf(run, 's').checks[0]?.actual).toBe(
      `the agent card has no usable url: it leads to ${there}, which is outside the agent's origin https://agent.shop.example and was not called`,
    );
  });

  it('is not followed to another host of its domain, with credentials or without', async () => {
    let calls = 0;
    const other = await serve((_request, response) => {
      calls += 1;
      html(response, 404);
    });
    const origin = await serve(leading('get_products', to('https://other.shop.example/mcp')));
    const fetcher = fetcherFor(undefined, {
      connectTo: parseConnectTo([`agent.shop.example=${origin}`, `other.shop.example=${other}`]),
    });
    await runAt(AGENT, [ask], { fetcher, auth: TOKEN });
    await fetcher.close();
    expect(calls).toBe(0);
  });
});
