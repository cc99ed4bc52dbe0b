import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mcpAgent } from '../calling/support/mcp-agent.ts';
import { ADAGENTS, BRAND, type Pages, startWeb } from '../scenarios/support/web.ts';
import { run, tempStore } from './support/cli.ts';

/** A listener on this machine that must see no connection. */
interface Trap {
  readonly port: number;
  connections(): number;
}

async function setTrap(host = '127.0.0.1'): Promise<Trap> {
  let connections = 0;
  const server: Server = createServer((_request, response) => response.end('{}'));
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

async function openWeb(pages: Pages) {
  const web = await startWeb(pages);
  onTestFinished(() => web.close());
  return web.connectTo.replace('*=', '*.example=');
}

/** Loopback, spelled as somebody would who wants it not to be seen. */
const SPELLINGS = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.01',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '127。0。0。1',
  '127.0.0.2',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  'localhost',
  'LOCALHOST',
];

describe('nothing that a crawled file says opens this machine', () => {
  it('an agent’s URL, by any spelling of loopback', async () => {
    const trap = await setTrap();
    const urls = SPELLINGS.flatMap((host) => [
      `https://${host}:${trap.port}/mcp`,
      `http://${host}:${trap.port}/mcp`,
    ]);
    const connectTo = await openWeb({
      'news.example': { [ADAGENTS]: { agents: urls.map((url) => ({ url })) } },
    });
    const { code, stdout } = await run(
      ...['crawl', 'news.example', '--json', '--progress', 'none'],
      ...['--connect-to', connectTo, '--store', tempStore()],
    );
    expect(code).toBe(0);
    const { failures, agents_probed: probed } = JSON.parse(stdout);
    expect(probed).toBeGreaterThan(5);
    for (const failure of failures) expect(failure).toMatchObject({ code: 'blocked' });
    expect(trap.connections()).toBe(0);
  });

  it.each<[string, (trap: string) => Pages]>([
    [
      'authoritative_location',
      (trap) => ({ 'news.example': { [ADAGENTS]: { authoritative_location: `https://${trap}/a.json` } } }),
    ],
    [
      'a redirect of adagents.json',
      (trap) => ({
        'news.example': { [ADAGENTS]: { status: 302, headers: { location: `http://${trap}/a.json` } } },
      }),
    ],
    [
      'a redirect with a permanent status',
      (trap) => ({
        'news.example': { [ADAGENTS]: { status: 308, headers: { location: `https://${trap}/a.json` } } },
      }),
    ],
    [
      'a redirect of brand.json',
      (trap) => ({ 'news.example': { [BRAND]: { authoritative_location: `https://${trap}/b.json` } } }),
    ],
    ['a house', (trap) => ({ 'news.example': { [BRAND]: { house: trap } } })],
    ['a manager', (trap) => ({ 'news.example': { '/ads.txt': `MANAGERDOMAIN=${trap}` } })],
    [
      'a publisher selector',
      (trap) => ({
        'news.example': {
          [ADAGENTS]: {
            authorized_agents: [
              {
                url: 'https://a.example/',
                authorized_for: 'x',
                authorization_type: 'publisher_properties',
                publisher_properties: [
                  { publisher_domains: [trap, trap.replace(/:.*/, '')], selection_type: 'all' },
                ],
              },
            ],
            properties: [],
          },
        },
      }),
    ],
    [
      'an agent that redirects',
      (trap) => ({
        'news.example': { [ADAGENTS]: { agents: [{ url: 'https://a.example/mcp' }] } },
        'a.example': (_request, response) =>
          response.writeHead(307, { location: `https://${trap}/mcp` }).end(),
      }),
    ],
    [
      'an agent card',
      (trap) => ({
        'news.example': { [ADAGENTS]: { agents: [{ url: 'https://a.example/' }] } },
        'a.example': {
          '/.well-known/agent-card.json': {
            protocolVersion: '0.3.0',
            name: 'A',
            description: 'x',
            version: '1',
            url: `http://${trap}/a2a`,
            preferredTransport: 'JSONRPC',
            additionalInterfaces: [{ url: `https://${trap}/a2a`, transport: 'JSONRPC' }],
            capabilities: {},
            defaultInputModes: [],
            defaultOutputModes: [],
            skills: [],
          },
        },
      }),
    ],
  ])('%s', async (_name, pages) => {
    const trap = await setTrap();
    const connectTo = await openWeb(pages(`127.0.0.1:${trap.port}`));
    await run(
      ...['crawl', 'news.example', '--json', '--progress', 'none'],
      ...['--connect-to', connectTo, '--store', tempStore()],
    );
    expect(trap.connections()).toBe(0);
  });
});

describe('probe', () => {
  const serveAgent = async (listener: Parameters<typeof createServer>[1]) => {
    const server = createServer(listener as never);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it.each(['127.0.0.1', 'localhost'])('opens the loopback URL that was typed: %s', async (host) => {
    const origin = await serveAgent(mcpAgent({ path: '/mcp', tools: ['get_products'] }));
    const typed = `${origin.replace('127.0.0.1', host)}/mcp`;
    const { code, stdout } = await run('probe', typed, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ url: typed, type: 'sales', health: { online: true } });
    expect(code).toBe(0);
  });

  it('opens that one origin and no other, whatever the agent there answers', async () => {
    const trap = await setTrap();
    const redirecting = await serveAgent((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${trap.port}/mcp` }).end();
    });
    const pointing = await serveAgent((request, response) => {
      if (!request.url?.startsWith('/.well-known/')) return response.writeHead(404).end();
      const url = `http://127.0.0.1:${trap.port}/a2a`;
      return response.end(
        JSON.stringify({
          protocolVersion: '0.3.0',
          name: 'A',
          description: 'x',
          version: '1',
          url,
          capabilities: {},
          defaultInputModes: [],
          defaultOutputModes: [],
          skills: [],
        }),
      );
    });
    expect((await run('probe', `${redirecting}/mcp`, '--json')).code).toBe(1);
    await run('probe', `${pointing}/mcp`, '--json');
    expect(trap.connections()).toBe(0);
  });

  it('dials nobody for an address of another kind than loopback', async () => {
    const trap = await setTrap();
    const host = '[::ffff:127.0.0.1]'; // the same machine, and not what a builder types
    const { code, stdout } = await run('probe', `http://${host}:${trap.port}/mcp`, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).health).toMatchObject({ online: false, error_class: 'blocked' });
    expect(trap.connections()).toBe(0);
  });
});
