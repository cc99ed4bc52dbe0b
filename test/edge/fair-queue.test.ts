import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createFairQueue } from '../../src/edge/fair-queue.ts';
import { callerBehind } from '../../src/edge/peer.ts';
import { call, get, guarded } from './support.ts';

const CLOSE = 'Connection: close\r\n';
/** More than is free. */
const LARGE = Buffer.alloc(8 * 1_048_576, 'a');

/** More rounds of the event loop than the server lets pass for those that come in. */
async function settle(): Promise<void> {
  for (let round = 0; round < 100; round += 1) await turn();
}

/** A server whose answers are large, or are given when the test says so. */
async function held(turnMs = 60_000) {
  const open: { readonly path: string; readonly end: () => void }[] = [];
  let arrived = 0;
  const port = await guarded(
    (request: IncomingMessage, response: ServerResponse) => {
      if (request.url === '/large') response.end(LARGE);
      else if (request.url === '/small') response.end('small');
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
  /** Resolves when the server has begun the request, or lets it wait. */
  const ask = async (localAddress: string, path: string) => {
    const before = arrived;
    const caller = await call(port, get(path, CLOSE), { localAddress });
    while (arrived === before) await turn();
    await settle();
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
  return { port, ask, askMuch, begun, end };
}

/** Turns of requests that no network brings: what was begun, and what was refused. The clock stands, as what was asked is forgotten by time. */
function bare() {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const begun: string[] = [];
  const refused: string[] = [];
  const turns = createFairQueue({
    turnMs: 60_000,
    refuse: (_refusal, { url = '' }) => void refused.push(url),
    isCostly: ({ url = '' }) => url.startsWith('/page'),
  });
  const add = (caller: string, url: string, bytes = 0, isHeld = false) => {
    const socket = { destroyed: false, readableEnded: false, bytesWritten: 0 };
    const response = new EventEmitter();
    const end = () => {
      socket.bytesWritten = bytes;
      response.emit('close');
    };
    turns.add(caller, { url, socket } as never, response as never, () => {
      begun.push(url);
      if (!isHeld) end();
    });
    return end;
  };
  return { add, connected: turns.connected, begun, refused };
}

describe('requests that wait', () => {
  it('are begun one in each round of the event loop, so that others come in between', async () => {
    const { add, begun } = bare();
    for (const url of ['/a', '/b', '/c']) add(url, url);
    const seen = [begun.length];
    for (let round = 0; round < 3; round += 1) {
      await turn();
      seen.push(begun.length);
    }
    expect(seen).toEqual([1, 2, 3, 3]);
  });

  it('are answered, though their callers have ended their side', async () => {
    const { port } = await held();
    const callers = ['127.0.0.2', '127.0.0.3'].map((localAddress) =>
      call(port, '', { localAddress, allowHalfOpen: true }),
    );
    const asked = await Promise.all(callers);
    for (const { socket } of asked) socket.end(get('/small', CLOSE));
    for (const { gone } of asked) expect(await gone).toContain('200 OK');
  });

  it('are begun in the order of what their callers have asked before, the least first', async () => {
    const { add, connected, begun } = bare();
    add('much', '/much 1', 1_048_576);
    add('some', '/some 1');
    await settle();
    connected();
    add('much', '/much 2');
    add('much', '/much 3');
    add('some', '/some 2');
    add('nothing', '/nothing');
    await settle();
    expect(begun.slice(2)).toEqual(['/nothing', '/some 2', '/much 2', '/much 3']);
  });

  it('let others go first where they are costly, and few of those are under way', async () => {
    const { add, begun } = bare();
    const ends = ['a', 'b', 'c', 'd', 'e', 'f'].map((caller) => add(caller, `/page ${caller}`, 0, true));
    for (let at = 0; at < 5; at += 1) add('g', `/${at}`);
    await settle();
    const others = Array.from({ length: 5 }, (_, at) => `/${at}`);
    expect(begun).toEqual(['/page a', ...others, '/page b', '/page c', '/page d']);
    ends[0]?.();
    await settle();
    expect(begun.slice(9)).toEqual(['/page e']);
  });

  it('wait while connections come in, each of which takes a round, but not for ever', async () => {
    const { add, connected, begun } = bare();
    connected();
    add('a', '/a');
    const seen: number[] = [];
    for (let round = 0; round < 40; round += 1) {
      connected();
      await turn();
      seen.push(begun.length);
    }
    expect(seen.slice(0, 10)).toEqual(Array(10).fill(0));
    expect(seen.at(-1)).toBe(1);
  });

  it('are so many at most; beyond it the newest is refused of whoever asks most', async () => {
    const { add, begun, refused } = bare();
    for (let at = 0; at <= 2_000; at += 1) add('many', `/${at}`);
    add('one', '/one');
    expect(refused).toEqual(['/2000']);
    await turn();
    expect(begun).toContain('/one');
  });
});

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
    for (const address of ['127.0.0.2', '127.0.0.2', '127.0.0.3']) await askMuch(address);
    for (const path of ['/a1', '/a2', '/a3']) await ask('127.0.0.2', path);
    await ask('127.0.0.3', '/b1');
    await end('/a1', 2);
    await end('/b1', 3);
    await end('/a2', 4);
    expect(begun()).toEqual(['/a1', '/b1', '/a2', '/a3']);
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
    ['an IPv6 network', ['127.0.0.0/8'], '127.0.0.1', '2001:db8:1:2:3::4', '2001:db8:1::/48'],
  ])('when %s', (_when, proxies, remoteAddress, forwarded, caller) => {
    const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } };
    expect(callerBehind(proxies)(request as never)).toBe(caller);
  });
});
