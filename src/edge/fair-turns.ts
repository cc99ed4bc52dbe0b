import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Refusal } from './request-form.ts';

/** Who asks much: a request costs a unit, and so do 64 KiB of an answer; so many units are free, and ten come back each second. */
const FREE_UNITS = 60;
const UNITS_A_MS = 0.01;
const BYTES_OF_UNIT = 65_536;
/** What a request may come to cost is not known while it is under way. */
const UNITS_UNDER_WAY = 2;
/** Requests of those who ask much whose turn it is. */
const AT_ONCE = 1;
const MAX_WAITING = 2_000;
/** Shorter than a connection may be silent. */
const MAX_WAIT_MS = 10_000;
/** Callers remembered at once; beyond it the one that was longest known is forgotten. */
const MAX_CALLERS = 20_000;

const WAITED: Refusal = {
  status: 503,
  code: 'overloaded',
  detail: 'the registry is busy, and those who ask much wait for those who ask little; try again in a second',
  retryAfter: 1,
};

interface Use {
  units: number;
  at: number;
  underWay: number;
}

interface Turn {
  readonly socket: Socket;
  readonly response: ServerResponse;
  readonly begin: () => void;
  readonly giveUp: NodeJS.Timeout;
}

/** Begins a request of a caller now, or when its turn comes. */
export type FairTurns = (
  caller: string,
  request: IncomingMessage,
  response: ServerResponse,
  begin: () => void,
) => void;

/**
 * Whoever asks little is answered at once. Whoever has asked for much in the last seconds, by requests or by bytes, goes in
 * turn with the others who did, one at a time: with nobody else there that is no wait, and beside abuse nobody else waits.
 */
export function createFairTurns(
  turnMs: number,
  refuse: (refusal: Refusal, request: IncomingMessage, response: ServerResponse) => void,
): FairTurns {
  const uses = new Map<string, Use>();
  const waiting = new Map<string, Turn[]>();
  let waits = 0;
  let begun = 0;

  function useOf(caller: string): Use {
    const known = uses.get(caller);
    const at = performance.now();
    if (known !== undefined) {
      known.units = Math.max(0, known.units - (at - known.at) * UNITS_A_MS);
      known.at = at;
      return known;
    }
    const [oldest] = uses.keys();
    if (uses.size >= MAX_CALLERS && oldest !== undefined) uses.delete(oldest);
    const use = { units: 0, at, underWay: 0 };
    uses.set(caller, use);
    return use;
  }

  /** Counts a request from its begin to its end. */
  function count(use: Use, socket: Socket, response: ServerResponse): void {
    const before = socket.bytesWritten;
    use.units += 1;
    use.underWay += 1;
    response.once('close', () => {
      use.underWay -= 1;
      use.units += (socket.bytesWritten - before) / BYTES_OF_UNIT;
    });
  }

  function beginInTurn({ socket, response, begin }: Turn, use: Use): void {
    begun += 1;
    count(use, socket, response);
    let isOver = false;
    const leave = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(longEnough);
      begun -= 1;
      setImmediate(next); // whoever asks little comes in between
    };
    const longEnough = setTimeout(leave, turnMs);
    response.once('prefinish', leave).once('close', leave);
    begin();
  }

  /** One caller after the other, so that many requests of one are not many turns. */
  function next(): void {
    if (begun >= AT_ONCE) return;
    const [first] = waiting;
    if (first === undefined) return;
    const [caller, turns] = first;
    waiting.delete(caller);
    const turn = turns.shift();
    if (turns.length > 0) waiting.set(caller, turns);
    if (turn === undefined) return;
    waits -= 1;
    clearTimeout(turn.giveUp);
    if (turn.socket.destroyed) next();
    else beginInTurn(turn, useOf(caller));
  }

  function wait(caller: string, request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    if (waits >= MAX_WAITING) {
      refuse(WAITED, request, response);
      return;
    }
    const turns = waiting.get(caller) ?? [];
    const giveUp = setTimeout(() => {
      turns.splice(turns.indexOf(turn), 1);
      if (turns.length === 0) waiting.delete(caller);
      waits -= 1;
      refuse(WAITED, request, response);
    }, MAX_WAIT_MS);
    const turn = { socket: request.socket, response, begin, giveUp };
    turns.push(turn);
    waiting.set(caller, turns);
    waits += 1;
    next();
  }

  return (caller, request, response, begin) => {
    const use = useOf(caller);
    if (use.units + use.underWay * UNITS_UNDER_WAY <= FREE_UNITS) {
      count(use, request.socket, response);
      begin();
    } else wait(caller, request, response, begin);
  };
}
