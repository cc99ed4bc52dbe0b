import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMatchClient } from '../../src/trusted-match/client.ts';
import { ANN, context, startProvider } from './support.ts';

const { request_id: _first, ...PAGE } = context();
const PACKAGES = ['rail-pass', 'spring-sale', 'summer-sale'];

interface Seen {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

async function listening(sides = {}) {
  const { server } = startProvider(sides);
  return server.listen({ host: '127.0.0.1', port: 0 });
}

/** Answers everything with one body, and keeps what it was sent. */
async function startRecorder(answer: (seen: Seen) => { status?: number; body: unknown }) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(await text(request)) };
    seen.push(one);
    const { status = 200, body } = answer(one);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const clientOf = (contextOrigin: string, timeoutMs = 10_000) =>
  createMatchClient({ fetch, contextOrigin, packageIds: PACKAGES, timeoutMs });

describe('the client of a publisher', () => {
  it('finds what is offered and eligible, and reports what was shown', async () => {
    const rule = { packageId: 'rail-pass', frequencyCap: { maxImpressions: 1, windowSeconds: 60 } };
    const origin = await listening({
      targets: [{ packageId: 'spring-sale' }, { packageId: 'rail-pass', topics: ['travel.rail'] }],
      rules: [rule, { packageId: 'spring-sale' }, { packageId: 'summer-sale' }],
    });
    const client = clientOf(origin);
    expect(await client.match(PAGE, ANN)).toEqual([
      { package_id: 'rail-pass', score: 0.7 },
      { package_id: 'spring-sale', score: 0.1 },
    ]);
    await client.reportExposure(ANN, 'rail-pass');
    expect(await client.match(PAGE, ANN)).toEqual([{ package_id: 'spring-sale', score: 0.1 }]);
  });

  it('sends two requests that nothing ties together', async () => {
    const { origin, seen } = await startRecorder(({ body: { request_id } }) => ({
      body: { request_id, offers: [], eligible_package_ids: [] },
    }));
    await clientOf(origin).match(PAGE, ANN);
    const of = (path: string) => seen.find((one) => one.path === path) as Seen;
    const [page, user] = [of('/context'), of('/identity')];
    expect(page.body.request_id).not.toBe(user.body.request_id);
    expect(user.body).toEqual({ request_id: expect.any(String), token: ANN, package_ids: PACKAGES });
    expect(JSON.stringify(page.body)).not.toContain(ANN);
    for (const { headers } of seen)
      for (const name of ['cookie', 'referer', 'origin', 'authorization', 'traceparent', 'x-request-id'])
        expect(headers).not.toHaveProperty(name);
  });

  it('sends them in either order', async () => {
    const { origin, seen } = await startRecorder(({ body: { request_id } }) => ({
      body: { request_id, offers: [], eligible_package_ids: [] },
    }));
    const first = new Set<string>();
    for (let tries = 0; tries < 200 && first.size < 2; tries += 1) {
      seen.length = 0;
      await clientOf(origin).match(PAGE, ANN);
      first.add(seen[0]?.path ?? '');
    }
    expect([...first].toSorted()).toEqual(['/context', '/identity']);
  });

  it.each([
    ['an answer to another request', { request_id: 'x', offers: [], eligible_package_ids: [] }, 200, false],
    ['an answer without its list', undefined, 200, false],
    ['a refusal', { detail: 'not like this' }, 400, false],
    ['a provider that cannot', {}, 503, true],
  ])('rejects for %s', async (_name, body, status, retryable) => {
    const { origin } = await startRecorder(({ body: { request_id } }) => ({
      status,
      body: body ?? { request_id, offers: 'none' },
    }));
    await expect(clientOf(origin).match(PAGE, ANN)).rejects.toMatchObject({
      name: 'MatchClientError',
      retryable,
    });
  });

  it('waits no longer than it may', async () => {
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(clientOf(origin, 20).match(PAGE, ANN)).rejects.toMatchObject({ retryable: true });
  });

  it('says whether nothing listens, or nobody answers', async () => {
    const { origin } = await startRecorder(() => ({ body: {} }));
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    onTestFinished(() => silent.closeAllConnections());
    const waiting = clientOf(`http://127.0.0.1:${port}`, 50);
    await expect(waiting.match(PAGE, ANN)).rejects.toThrow('the provider did not answer within 50 ms');
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
    const closed = clientOf(`http://127.0.0.1:${port}`);
    await expect(closed.match(PAGE, ANN)).rejects.toMatchObject({
      message: expect.stringContaining('the provider refused the connection'),
      retryable: true,
    });
    await expect(clientOf(origin).match(PAGE, ANN)).rejects.toThrow('does not match the request');
  });
});
