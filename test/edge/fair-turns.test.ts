import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { callerBehind } from '../../src/edge/peer.ts';
import { call, get, guarded } from './support.ts';

const CLOSE = 'Connection: close\r\n';
/** More than is free. */
const LARGE = Buffer.alloc(8 * 1_048_576, 'a');

/** A server whose answers are large, or are given when the test says so. */
async function held(turnMs = 60_000) {
  const open: { readonly path: string; readonly end: () => void }[] = [];
  let arrived = 0;
  const port = await guarded(
    (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/large') response.end(LARGE);
      else open.push({ path: request.url ?? '', end: () => void response.end('ok') });
    },
    {
      bounds: { turnMs },
      isUrgent: ({ url }) => url === '/healthz',
      turnAway: () => {
        arrived += 1;
        return undefined;
      },
    },
  );
  /** Resolves when the server has looked at the request, and begun it or not. */
  const ask = async (localAddress: string, path: string) => {
    const before = arrived;
    const caller = await call(port, get(path, CLOSE), { localAddress });
    while (arrived === before) await turn();
    return caller;
  };
  /** From here on the address has asked for much. */
  const askMuch = async (address: string) => void (await (await ask(address, '/large')).gone);
  const begun = () => open.map(({ path }) => path);
  /** Ends one that was begun, and waits for the next. */
  const end = async (path: string, next: number) => {
    open.find((one) => one.path === path)?.end();
    while (open.length < next) await turn();
  };
  return { ask, askMuch, begun, end };
}

describe('callers that ask much', () => {
  it('are begun one at a time, and keep nobody waiting who asks little', async () => {
    const { ask, askMuch, begun, end } = await held();
    await askMuch('127.0.0.2');
    for (const path of ['/a', '/b', '/c']) await ask('127.0.0.2', path);
    expect(begun()).toEqual(['/a']);
    for (const path of ['/x', '/y']) await ask('127.0.0.3', path);
    expect(begun()).toEqual(['/a', '/x', '/y']);
    await ask('127.0.0.2', '/healthz');
    expect(begun()).toEqual(['/a', '/x', '/y', '/healthz']);
    await end('/a', 5);
    await end('/b', 6);
    expect(begun()).toEqual(['/a', '/x', '/y', '/healthz', '/b', '/c']);
  });

  it('take turns, so that many requests of one are not many turns', async () => {
    const { ask, askMuch, begun, end } = await held();
    await askMuch('127.0.0.2');
    await askMuch('127.0.0.3');
    for (const path of ['/a1', '/a2', '/a3']) await ask('127.0.0.2', path);
    await ask('127.0.0.3', '/b1');
    await end('/a1', 2);
    await end('/a2', 3);
    await end('/b1', 4);
    expect(begun()).toEqual(['/a1', '/a2', '/b1', '/a3']);
  });

  it('lose their turn when they leave, and the next one gets it', async () => {
    const { ask, askMuch, begun, end } = await held();
    await askMuch('127.0.0.2');
    await ask('127.0.0.2', '/a');
    const gone = await ask('127.0.0.2', '/gone');
    await ask('127.0.0.2', '/b');
    gone.socket.destroy();
    await gone.gone;
    // somebody else's answer: by then the server knows
    await (await ask('127.0.0.3', '/large')).gone;
    await end('/a', 2);
    expect(begun()).toEqual(['/a', '/b']);
  });

  it('keep the turn of the others no longer than it takes to begin', async () => {
    const { ask, askMuch, begun, end } = await held(20);
    await askMuch('127.0.0.2');
    for (const path of ['/hangs', '/b']) await ask('127.0.0.2', path);
    await end('none', 2);
    expect(begun()).toEqual(['/hangs', '/b']);
  });

  it('are also those with many requests under way, of which none has cost anything yet', async () => {
    const { ask, begun } = await held();
    for (let at = 0; at < 30; at += 1) await ask('127.0.0.2', `/${at}`);
    expect(begun().length).toBeLessThan(30);
    await ask('127.0.0.3', '/x');
    expect(begun().at(-1)).toBe('/x');
  });
});

describe('whom a request is counted for', () => {
  it.each([
    ['nobody is trusted', [], '127.0.0.1', '192.0.2.7', '127.0.0.1'],
    ['the peer is no proxy', ['192.0.2.1'], '127.0.0.1', '192.0.2.7', '127.0.0.1'],
    ['a proxy speaks', ['127.0.0.0/8'], '127.0.0.1', '192.0.2.7', '192.0.2.7'],
    [
      'what a caller wrote stands before it',
      ['127.0.0.0/8'],
      '127.0.0.1',
      '203.0.113.9, 192.0.2.7',
      '192.0.2.7',
    ],
    ['two proxies in a row', ['127.0.0.0/8'], '127.0.0.1', '192.0.2.7, 127.0.0.9', '192.0.2.7'],
    ['a proxy that says nothing', ['127.0.0.0/8'], '127.0.0.1', undefined, '127.0.0.1'],
    ['a proxy that says no address', ['127.0.0.0/8'], '127.0.0.1', 'somebody', 'unknown'],
    ['an IPv6 network', ['127.0.0.0/8'], '127.0.0.1', '2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
  ])('when %s', (_when, proxies, remoteAddress, forwarded, caller) => {
    const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } };
    expect(callerBehind(proxies)(request as never)).toBe(caller);
  });
});
