import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { LightAgent } from '../pipelines/support/light-agents.ts';
import { openRunWorld, urlOf } from '../pipelines/support/run-world.ts';
import { patientTime } from '../support/patient-time.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const BOMB = gzipSync(Buffer.alloc(20_000_000, 0x20));

const raw = (answer: (request: IncomingMessage, response: ServerResponse) => unknown): LightAgent => ({
  raw: answer,
});
const body = (text: string | Buffer, headers: Record<string, string> = JSON_TYPE, status = 200) =>
  raw((_request, response) => response.writeHead(status, headers).end(text));
const result = (text: string) => body(`{"jsonrpc":"2.0","id":0,"result":${text}}`);
const drip = (headers: Record<string, string>, text: string) =>
  raw((_request, response) => {
    response.writeHead(200, headers);
    const timer = setInterval(() => response.write(text), 10);
    response.once('close', () => clearInterval(timer));
  });
const says = (capabilities: unknown): LightAgent => ({ capabilities: capabilities as object });

/** One agent of each kind that harms whoever listens to it carelessly. */
const EVIL: Readonly<Record<string, LightAgent>> = {
  hangs: raw(() => undefined),
  'drips-events': drip({ 'content-type': 'text/event-stream' }, ': x\n\n'),
  'drips-json': drip(JSON_TYPE, ' '),
  'breaks-off': raw((request) => request.socket.destroy()),
  garbage: body('{"jsonrpc": [[['),
  html: body('<script>alert(1)</script>', { 'content-type': 'text/html' }),
  'ten-megabytes': body('x'.repeat(10_000_000)),
  bomb: body(BOMB, { ...JSON_TYPE, 'content-encoding': 'gzip' }),
  deep: result(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  wide: result(
    `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"w","version":"1"},"x":[${'{},'.repeat(500_000)}{}]}`,
  ),
  nothing: body('null'),
  'server-error': body('no', {}, 500),
  closed: body('no', { 'www-authenticate': 'Bearer' }, 401),
  'to-itself': body('', { location: '/mcp' }, 307),
  'to-us': body('', { location: 'http://127.0.0.1:1/' }, 307),
  'to-metadata': body('', { location: 'https://169.254.169.254/' }, 307),
  'odd-headers': raw(
    (_request, response) =>
      void response.socket?.end('HTTP/1.1 200 OK\r\nx: \u0000\r\ncontent-length: -1\r\n\r\n'),
  ),
  'many-values': says({ supported_protocols: Array.from({ length: 150_000 }, () => 'media_buy') }),
  'deep-values': says(JSON.parse(`${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`)),
  'odd-values': says(
    JSON.parse(
      '{"supported_protocols": null, "specialisms": "all", "account": [], "__proto__": {"sandbox": true}}',
    ),
  ),
};

const names = (count: number, of: string) => Array.from({ length: count }, (_, at) => `${of}-${at}`);

it('fifty agents at once, with one of each evil kind among them: those that are good pass, and nothing is said of them but that', async () => {
  patientTime();
  const good = names(50 - Object.keys(EVIL).length, 'good');
  const hosts = Object.fromEntries(
    [...Object.entries(EVIL), ...good.map((name) => [name, {}] as const)].map(([name, agent]) => [
      `${name}.example`,
      agent,
    ]),
  );
  const world = await openRunWorld(hosts);
  await world.own(...Object.keys(hosts));
  await world.beat({ limits: { concurrency: 50, deadlineMs: 600_000, stepMs: 3_000 } });
  const { compliance } = world.store.records;
  for (const name of good) {
    const state = await compliance.state(urlOf(`${name}.example`));
    expect(state?.standing, name).toMatchObject({
      status: 'passing',
      latest: { verdict: { observations: [], notices: [] } },
    });
  }
  for (const name of Object.keys(EVIL)) {
    expect(await world.outcomes(`${name}.example`), name).toHaveLength(1);
    const state = await compliance.state(urlOf(`${name}.example`));
    expect(state?.standing.status, name).not.toBe('passing');
  }
  const ours = world.logged().filter(({ level }) => Number(level) >= 40);
  expect(ours).toEqual([]);
});
