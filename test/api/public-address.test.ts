import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { publicAddress } from '../../src/api/public-address.ts';
import { fullDocument } from './support/documents.ts';
import { openRegistry, sharedRegistry } from './support/registry.ts';

const HTML = { accept: 'text/html' };
const AGENT = `/agents/${encodeURIComponent('https://meter.example/mcp')}`;
/** Of each kind: kept by the records, made each time, and kept by its name. */
const PAGES = ['/', AGENT, '/publishers', '/status', '/changes', '/storyboards', '/docs/api/listAgents'];

const known = sharedRegistry(() => openRegistry([fullDocument()]));

describe('where the registry is reached', () => {
  it.each([
    ['registry.example', 'http', 'http://registry.example'],
    ['registry.example', 'https', 'https://registry.example'],
    ['Registry.Example:8080', 'http', 'http://registry.example:8080'],
    ['127.0.0.1:80', 'http', 'http://127.0.0.1'],
    ['[::1]:8080', 'http', 'http://[::1]:8080'],
    ['my_service', 'gopher', 'http://my_service'],
    ["a.example'$(id)", 'http', 'http://localhost'],
    ['a.example/path', 'http', 'http://localhost'],
    ['me@a.example', 'http', 'http://localhost'],
    ['a.example:99999', 'http', 'http://localhost'],
    ['a.example"><script>', 'http', 'http://localhost'],
    ['1.2.3.4.5', 'http', 'http://localhost'],
    ['', 'http', 'http://localhost'],
  ])('is of a request to %j over %s: %s', (host, protocol, address) => {
    const request = { headers: { host }, protocol: protocol as 'http' };
    expect(publicAddress(request)).toBe(address);
    expect(publicAddress(request, 'https://public.example/r')).toBe('https://public.example/r');
  });
});

describe('the lines of pages for a terminal', () => {
  it('name the registry without a script, as it was asked', async () => {
    const { get } = await known();
    for (const path of PAGES) {
      const { body } = await get(path, { ...HTML, host: 'registry.example:8080' });
      expect(body, path).toMatch(/curl (?:'|&#39;)http:\/\/registry\.example:8080\//);
    }
  });

  it('name no host that another caller wrote, however often it asks', async () => {
    const { get } = await known();
    for (const path of PAGES) {
      for (let time = 0; time < 3; time += 1)
        await get(path, { ...HTML, host: 'evil.example', 'x-forwarded-host': 'evil.example' });
      const { body, headers } = await get(path, { ...HTML, host: 'registry.example' });
      expect(body, path).not.toContain('evil');
      const evil = { ...HTML, host: 'evil.example', 'if-none-match': String(headers.etag) };
      expect((await get(path, evil)).statusCode, path).toBe(200);
    }
  });

  it('name no forwarded host, of a trusted proxy either', async () => {
    const { get } = await openRegistry([fullDocument()], { trustedProxies: ['127.0.0.1'] });
    const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
    const { body } = await get('/', { ...HTML, host: 'registry.example', ...forwarded });
    expect(body).toMatch(/curl (?:'|&#39;)https:\/\/registry\.example\/api/);
    expect(body).not.toContain('evil');
  });

  it('name the public address, whatever was asked', async () => {
    const { get } = await openRegistry([fullDocument()], { baseUrl: 'https://public.example/r' });
    for (const path of PAGES) {
      const { body } = await get(path, { ...HTML, host: 'elsewhere.example' });
      expect(body, path).toMatch(/curl (?:'|&#39;)https:\/\/public\.example\/r\//);
      expect(body, path).not.toContain('elsewhere.example');
    }
  });
});

describe('a proxy before the registry', () => {
  const seen = async (
    config: Parameters<typeof openRegistry>[1],
    remoteAddress: string,
    headers: Record<string, string>,
  ) => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const { server, records, clock } = await openRegistry([], config, { logger });
    for (let times = 0; times < 2; times += 1)
      await server.inject({ url: '/healthz', remoteAddress, headers });
    const proxy = await records.untrustedProxy();
    return { warnings: lines.map((line) => JSON.parse(line)), proxy, now: clock.value };
  };

  it.each([{}, { baseUrl: 'https://registry.example' }])(
    'that is not trusted is warned of once, and kept for doctor, with %j',
    async (config) => {
      const { warnings, proxy, now } = await seen(config, '10.0.0.2', { 'x-forwarded-for': '192.0.2.1' });
      expect(warnings).toMatchObject([{ address: '10.0.0.2', setting: 'REGISTRY_TRUSTED_PROXIES' }]);
      expect(proxy).toEqual({ address: '10.0.0.2', at: now });
    },
  );

  it.each([
    ['that is trusted', { trustedProxies: ['10.0.0.0/8'] }, '10.0.0.2', { 'x-forwarded-for': '192.0.2.1' }],
    ['that a caller on the Internet only claims', {}, '8.8.8.8', { 'x-forwarded-for': '192.0.2.1' }],
    ['that forwards nothing', {}, '10.0.0.2', {}],
  ])('%s is nothing to warn of', async (_, config, address, headers) => {
    expect(await seen(config, address, headers as Record<string, string>)).toMatchObject({
      warnings: [],
      proxy: undefined,
    });
  });
});
