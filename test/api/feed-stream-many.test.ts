import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openRegistry } from './support/registry.ts';

const STREAM = '/api/registry/feed/stream';
/** Streams at once of those without a key. */
const WITHOUT_KEY = 500;

/** A registry that listens, and a way to ask it from any address of this machine. */
async function listening() {
  const registry = await openRegistry();
  await registry.server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = registry.server.server.address() as AddressInfo;
  const ask = async (localAddress: string, path = STREAM, headers: Record<string, string> = {}) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, localAddress, agent: false }).end();
    onTestFinished(() => void asked.destroy());
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return {
      answer: answer.resume().on('error', () => {}),
      status: answer.statusCode,
      leave: () => asked.destroy(),
    };
  };
  return { ...registry, ask };
}

/** Of eight networks. */
const address = (n: number) => `127.${n & 7}.7.${1 + (n >> 3)}`;

it('a crowd of streams is refused beyond a number, with the time to come back, and holds up nobody else', async () => {
  const { ask, addKey, server } = await listening();
  const crowd = await Promise.all(Array.from({ length: WITHOUT_KEY + 40 }, (_, n) => ask(address(n))));
  const refused = crowd.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, answer }) => [status, answer.headers['retry-after']])).toEqual(
    Array(40).fill([503, '5']),
  );
  // whoever reads page by page, and whoever has a key
  const { key } = await addKey('nova');
  for (const path of ['/api/registry/feed', '/api/registry/stats', '/healthz'])
    expect((await ask('127.8.0.1', path)).status).toBe(200);
  expect((await ask('127.8.0.1', STREAM, { authorization: `Bearer ${key}` })).status).toBe(200);
  const answer = await server.inject({ method: 'GET', url: STREAM, remoteAddress: '127.8.0.1' });
  expect(answer.json()).toMatchObject({
    code: 'overloaded',
    detail: expect.stringContaining('500 feed streams'),
  });
  // a place that somebody leaves is free
  crowd.find(({ status }) => status === 200)?.leave();
  for (;;) {
    const { status } = await ask('127.8.0.1');
    if (status === 200) break;
    expect(status).toBe(503);
  }
});
