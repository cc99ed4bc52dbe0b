import { createServer as createHttpServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../src/api/serve.ts';
import { openRegistry } from './support/registry.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

describe('serve', () => {
  it('takes a free port and says which', async () => {
    const { server } = await openRegistry();
    const stop = new AbortController();
    const { url, port, stopped } = await serve({ server, ...LOOPBACK, signal: stop.signal });
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    stop.abort();
    await stopped;
    expect(server.server.listening).toBe(false);
  });

  it('says what to do about a port in use', async () => {
    const other = createHttpServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once('listening', resolve));
    const { server } = await openRegistry();
    const { port } = other.address() as AddressInfo;
    const listening = serve({ server, host: '127.0.0.1', port, signal: new AbortController().signal });
    await expect(listening).rejects.toMatchObject({
      code: 'port_in_use',
      message: `port ${port} of 127.0.0.1 is already in use`,
      hint: expect.stringContaining('--port'),
    });
  });

  it('finishes the request under way when it is stopped', async () => {
    const { server } = await openRegistry();
    const gate = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    server.get('/slow', async () => {
      entered.resolve();
      await gate.promise;
      return { done: true };
    });
    const stop = new AbortController();
    const { url, stopped } = await serve({ server, ...LOOPBACK, signal: stop.signal });
    const answer = fetch(`${url}/slow`);
    await entered.promise;
    stop.abort();
    gate.resolve();
    expect(await (await answer).json()).toEqual({ done: true });
    await stopped;
  });

  it('cuts what does not finish in its grace', async () => {
    const { server } = await openRegistry();
    const entered = Promise.withResolvers<void>();
    server.get('/never', () => {
      entered.resolve();
      return new Promise(() => {});
    });
    const stop = new AbortController();
    const { url, stopped } = await serve({ server, ...LOOPBACK, signal: stop.signal, graceMs: 20 });
    const broken = new Promise((resolve) => request(`${url}/never`).on('error', resolve).end());
    await entered.promise;
    stop.abort();
    expect(await broken).toBeInstanceOf(Error);
    await stopped;
  });
});
