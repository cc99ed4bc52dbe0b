import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf, peerOf } from './peer.ts';

export interface ConnectionBounds {
  /** Open at once from one party (an IPv4 address or an IPv6 /48) that is no proxy of ours. Infinity: addresses are not looked at. */
  readonly ofAddress: number;
  /** Open at once in all, a quarter of them from one network. Once half of them are open, a party has `ofAddressInNeed`. */
  readonly inAll: number;
  readonly ofAddressInNeed: number;
  /** What a reader may take for what we write, milliseconds, beside the time that it takes at `bytesPerSecond`. */
  readonly writingMs: number;
  readonly bytesPerSecond: number;
  /** What may wait for readers at all connections together, bytes; beyond it some of those who keep most waiting are ended. */
  readonly unreadBytes: number;
  /** What is read and thrown away of a body that still comes after the last answer, milliseconds and bytes. */
  readonly lingerMs: number;
  readonly lingerBytes: number;
}

/** Why a connection was ended by us. */
export type CutReason = 'too_many' | 'slow_reader' | 'too_much_unread';

export interface Connections {
  /** Lets a new connection in, or ends it. */
  add(socket: Socket): boolean;
  /**
   * Lets the last answer be read, when it comes before the end of the request: our side ends, and what still comes is thrown
   * away within the bounds. To close at once would reset the connection, and the answer with it (RFC 9112, section 9.6).
   */
  mayEndEarly(request: IncomingMessage): void;
  /** Ends those whose reader takes too long, and some where too much waits in all. */
  sweep(): void;
}

interface Writing {
  readonly since: number;
  /** The most that waited to be read since then, bytes. */
  most: number;
}

interface Open {
  writing?: Writing;
  /** Our side has ended, and theirs not yet. */
  lingering?: { readonly since: number; readonly from: number };
}

const NOBODY: ReadonlyMap<string, number> = new Map();

/**
 * The connections of a server, counted by address, each with a bound on how long its reader may keep us waiting.
 * `isTrusted` says of an address whether a proxy of ours is there, which stands for many; `now` is a clock that never goes back,
 * milliseconds.
 */
export function createConnections(
  bounds: ConnectionBounds,
  isTrusted: (address: string) => boolean,
  onCut: (reason: CutReason) => void,
  now: () => number,
): Connections {
  const open = new Map<Socket, Open>();
  /** By party, and by network. */
  const opened = new Map<string, number>();

  function mayOpen(name: string, most: number): boolean {
    return open.size < bounds.inAll && (opened.get(name) ?? 0) < most;
  }

  /** The names that a connection is counted under, each with its limit. */
  function countedFor(address: string): ReadonlyMap<string, number> {
    if (bounds.ofAddress === Number.POSITIVE_INFINITY || isTrusted(address)) return NOBODY;
    const ofParty = open.size >= bounds.inAll / 2 ? bounds.ofAddressInNeed : bounds.ofAddress;
    return new Map([
      [peerOf(address), ofParty],
      [networkOf(address), Math.max(1, bounds.inAll / 4)],
    ]);
  }

  function cut(socket: Socket, reason: CutReason): void {
    onCut(reason);
    socket.destroy();
  }

  function add(socket: Socket): boolean {
    const counted = countedFor(socket.remoteAddress ?? '');
    for (const [name, most] of counted) {
      if (mayOpen(name, most)) continue;
      cut(socket, 'too_many');
      return false;
    }
    for (const name of counted.keys()) opened.set(name, (opened.get(name) ?? 0) + 1);
    open.set(socket, {});
    socket.once('close', () => {
      open.delete(socket);
      for (const name of counted.keys()) {
        const left = (opened.get(name) ?? 1) - 1;
        if (left > 0) opened.set(name, left);
        else opened.delete(name);
      }
    });
    return true;
  }

  function mayEndEarly(request: IncomingMessage): void {
    const { socket, headers } = request; // Node takes the socket from a request whose body was not read to its end
    const state = open.get(socket);
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    if (state === undefined || !hasBody) return;
    // what Node calls after an answer with "connection: close"
    socket.destroySoon = () => {
      Reflect.deleteProperty(socket, 'destroySoon');
      if (request.complete) return socket.destroySoon();
      state.lingering = { since: now(), from: socket.bytesRead };
      socket.end();
    };
  }

  function sweep(): void {
    const at = now();
    const unread: Unread[] = [];
    for (const [socket, state] of open) {
      if (isSlow(socket, state, at)) cut(socket, 'slow_reader');
      else if (state.lingering && isOver(socket.bytesRead, state.lingering, at)) socket.destroy();
      else if (state.writing) unread.push({ socket, since: state.writing.since });
    }
    for (const socket of beyond(unread, bounds.unreadBytes)) cut(socket, 'too_much_unread');
  }

  function isOver(read: number, { since, from }: NonNullable<Open['lingering']>, at: number): boolean {
    return at - since > bounds.lingerMs || read - from > bounds.lingerBytes;
  }

  function isSlow(socket: Socket, state: Open, at: number): boolean {
    const waiting = socket.writableLength;
    if (waiting === 0) {
      delete state.writing;
      return false;
    }
    state.writing ??= { since: at, most: waiting };
    state.writing.most = Math.max(state.writing.most, waiting);
    const allowedMs = bounds.writingMs + (state.writing.most * 1_000) / bounds.bytesPerSecond;
    return at - state.writing.since > allowedMs;
  }

  return { add, mayEndEarly, sweep };
}

/** A connection on which something waits to be read, and since when. */
interface Unread {
  readonly socket: Socket;
  readonly since: number;
}

/** Connections to close to stay within the limit: from the addresses with the most waiting connections, longest waiting first. */
function beyond(unread: readonly Unread[], most: number): readonly Socket[] {
  const sumOf = (some: readonly Unread[]) => some.reduce((sum, { socket }) => sum + socket.writableLength, 0);
  let over = sumOf(unread) - most;
  if (over <= 0) return [];
  const byPeer = [...Map.groupBy(unread, ({ socket }) => peerOf(socket.remoteAddress)).values()];
  const inOrder = byPeer
    .map((of) => ({ of, bytes: sumOf(of) }))
    .sort((a, b) => b.bytes - a.bytes)
    .flatMap(({ of }) => of.toSorted((a, b) => a.since - b.since));
  const ended: Socket[] = [];
  for (const { socket } of inOrder) {
    if (over <= 0) break;
    over -= socket.writableLength;
    ended.push(socket);
  }
  return ended;
}
