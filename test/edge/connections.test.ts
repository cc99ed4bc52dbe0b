import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type CutReason, createConnections } from '../../src/edge/connections.ts';

const BOUNDS = {
  ...{ ofAddress: 4, ofAddressInNeed: 1, inAll: 100 },
  ...{ writingMs: 1_000, bytesPerSecond: 1, unreadBytes: 100, lingerMs: 1, lingerBytes: 1 },
};

/** A connection from an address that this machine does not have, whose reader has so many bytes to take. */
function from(remoteAddress: string, writableLength = 0): Socket {
  const socket = new EventEmitter();
  const destroy = () => socket.emit('close');
  return Object.assign(socket, { remoteAddress, destroy, writableLength }) as unknown as Socket;
}

describe('connections from IPv6 networks', () => {
  const open = (count: number, address: (n: number) => string) => {
    const connections = createConnections(
      BOUNDS,
      () => false,
      () => {},
      () => 0,
    );
    const sockets = Array.from({ length: count }, (_, n) => from(address(n)));
    const taken = sockets.filter((socket) => connections.add(socket));
    return { connections, taken };
  };
  it('are those of one party from one /48, and others do not notice', () => {
    const { connections, taken } = open(90, (n) => `2001:db8:1:${n.toString(16)}::1`);
    expect(taken).toHaveLength(4);
    expect(connections.add(from('2001:db8:2::1'))).toBe(true);
    taken[0]?.destroy();
    expect(connections.add(from('2001:db8:1:99::1'))).toBe(true);
  });

  it('are a quarter of all at most from one /32', () => {
    const { connections, taken } = open(90, (n) => `2001:db8:${n.toString(16)}::1`);
    expect(taken).toHaveLength(BOUNDS.inAll / 4);
    expect(connections.add(from('2001:db9:1::1'))).toBe(true);
  });
});

describe('what waits to be read at all connections together', () => {
  /** After a second look: `later` came behind the first one. */
  const leftOf = (first: readonly Socket[], later: readonly Socket[]) => {
    let at = 0;
    const cuts: CutReason[] = [];
    const left = new Set([...first, ...later]);
    const connections = createConnections(
      BOUNDS,
      () => false,
      (reason) => void cuts.push(reason),
      () => at,
    );
    const add = (socket: Socket) => {
      socket.once('close', () => left.delete(socket));
      connections.add(socket);
    };
    first.forEach(add);
    connections.sweep();
    expect(cuts).toEqual([]);
    at = 1;
    later.forEach(add);
    connections.sweep();
    return { cuts, left: [...left].map((socket) => `${socket.remoteAddress} ${socket.writableLength}`) };
  };

  it('ends nobody while it is within its bound', () => {
    const { cuts, left } = leftOf([from('192.0.2.1', 60)], [from('192.0.2.1', 40)]);
    expect([cuts, left.length]).toEqual([[], 2]);
  });

  it('ends those of the address that keeps most waiting, and there whoever waits longest', () => {
    const { cuts, left } = leftOf(
      [from('192.0.2.9', 30), from('192.0.2.1', 21)],
      [from('192.0.2.1', 22), from('192.0.2.1', 0), from('192.0.2.1', 23), from('192.0.2.8', 40)],
    );
    expect(cuts).toEqual(['too_much_unread', 'too_much_unread']);
    expect(left).toEqual(['192.0.2.9 30', '192.0.2.1 0', '192.0.2.1 23', '192.0.2.8 40']);
  });
});
