import type { Socket } from 'node:net';
import { peerOf } from './peer.ts';

export interface ConnectionBounds {
  /** Open at once from one address that is no proxy of ours; without a bound no address is looked at. */
  readonly ofAddress: number;
  /** Open at once in all. Once half of them are, an address has `ofAddressInNeed`. */
  readonly inAll: number;
  readonly ofAddressInNeed: number;
  /** What a reader may take for what we write, milliseconds, beside the time that it takes at `bytesPerSecond`. */
  readonly writingMs: number;
  readonly bytesPerSecond: number;
}

/** Why a connection was ended by us. */
export type CutReason = 'too_many' | 'slow_reader';

export interface Connections {
  /** Lets a new connection in, or ends it. */
  add(socket: Socket): boolean;
  /** Ends those whose reader takes too long; `now` in milliseconds of a clock that never goes back. */
  sweep(now: number): void;
}

interface Writing {
  readonly since: number;
  /** The most that waited to be read since then, bytes. */
  most: number;
}

interface Open {
  writing?: Writing;
}

/**
 * The connections of a server, counted by address, each with a bound on how long its reader may keep us waiting.
 * `isTrusted` says of an address whether a proxy of ours is there, which stands for many.
 */
export function createConnections(
  bounds: ConnectionBounds,
  isTrusted: (address: string) => boolean,
  onCut: (reason: CutReason) => void,
): Connections {
  const open = new Map<Socket, Open>();
  const byPeer = new Map<string, number>();

  function mayOpen(peer: string): boolean {
    if (open.size >= bounds.inAll) return false;
    const most = open.size >= bounds.inAll / 2 ? bounds.ofAddressInNeed : bounds.ofAddress;
    return (byPeer.get(peer) ?? 0) < most;
  }

  function counted(address: string): string | undefined {
    return isTrusted(address) ? undefined : peerOf(address);
  }

  function cut(socket: Socket, reason: CutReason): void {
    onCut(reason);
    socket.destroy();
  }

  function add(socket: Socket): boolean {
    const peer =
      bounds.ofAddress === Number.POSITIVE_INFINITY ? undefined : counted(socket.remoteAddress ?? '');
    if (peer !== undefined && !mayOpen(peer)) {
      cut(socket, 'too_many');
      return false;
    }
    if (peer !== undefined) byPeer.set(peer, (byPeer.get(peer) ?? 0) + 1);
    open.set(socket, {});
    socket.once('close', () => {
      open.delete(socket);
      if (peer === undefined) return;
      const left = (byPeer.get(peer) ?? 1) - 1;
      if (left > 0) byPeer.set(peer, left);
      else byPeer.delete(peer);
    });
    return true;
  }

  function sweep(now: number): void {
    for (const [socket, state] of open) {
      if (isSlow(socket, state, now)) cut(socket, 'slow_reader');
    }
  }

  function isSlow(socket: Socket, state: Open, now: number): boolean {
    const waiting = socket.writableLength;
    if (waiting === 0) {
      delete state.writing;
      return false;
    }
    state.writing ??= { since: now, most: waiting };
    state.writing.most = Math.max(state.writing.most, waiting);
    const allowedMs = bounds.writingMs + (state.writing.most * 1_000) / bounds.bytesPerSecond;
    return now - state.writing.since > allowedMs;
  }

  return { add, sweep };
}
