import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createConnections } from '../../src/edge/connections.ts';

const BOUNDS = {
  ...{ ofAddress: 4, ofAddressInNeed: 1, inAll: 100 },
  ...{ writingMs: 1, bytesPerSecond: 1, lingerMs: 1, lingerBytes: 1 },
};

/** A connection from an address that this machine does not have. */
function from(remoteAddress: string): Socket {
  const socket = new EventEmitter();
  const destroy = () => socket.emit('close');
  return Object.assign(socket, { remoteAddress, destroy }) as unknown as Socket;
}

describe('connections from one IPv6 /48, of which anybody can have one with 65,536 networks', () => {
  const open = (count: number, address: (n: number) => string) => {
    const connections = createConnections(
      BOUNDS,
      () => false,
      () => {},
    );
    const sockets = Array.from({ length: count }, (_, n) => from(address(n)));
    const taken = sockets.filter((socket) => connections.add(socket));
    return { connections, taken };
  };
  const otherNetwork = (n: number) => `2001:db8:1:${n.toString(16)}::1`;

  it('are as many as eight addresses may have, and others do not notice', () => {
    const { connections, taken } = open(90, otherNetwork);
    expect(taken).toHaveLength(32);
    expect(connections.add(from('2001:db8:2::1'))).toBe(true);
    taken[0]?.destroy();
    expect([connections.add(from(otherNetwork(99))), connections.add(from(otherNetwork(99)))]).toEqual([
      true,
      false,
    ]);
  });

  it('are the share of one where they come from one address', () => {
    const { connections, taken } = open(90, () => '2001:db8:1::1');
    expect(taken).toHaveLength(4);
    expect(connections.add(from(otherNetwork(9)))).toBe(true);
  });
});
