import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import {
  BYTES_OF_UNIT,
  type CallerUsage,
  type ConcurrencyLimit,
  charge,
  createConcurrencyLimit,
  isHeavyUser,
  outstandingMs,
  UNIT_MS,
} from './caller-load.ts';
import { onceAnswered } from './held-open.ts';
import type { Refusal } from './request-form.ts';

/** Requests under way of those who ask much, whose turn it is. */
const AT_ONCE = 1;
/** Costly requests of all others. */
const COSTLY_AT_ONCE = 4;
/** Queue penalty of a costly request, milliseconds. */
const COSTLY_MS = 20 * UNIT_MS;
const MAX_WAITING = 2_000;
/** Shorter than a connection may be silent. */
const MAX_WAIT_MS = 10_000;
/** Callers remembered at once. */
const MAX_CALLERS = 20_000;
/** Rounds of the event loop in a row in which nothing is begun, because a connection came in: the system hands over one in each. */
const MAX_TAKING = 16;

const WAITED: Refusal = {
  status: 503,
  code: 'overloaded',
  detail: 'the registry is busy and you have many requests waiting; try again in a second',
  retryAfter: 1,
};

interface Caller extends CallerUsage {
  readonly waiting: Turn[];
}

interface Turn {
  readonly caller: Caller;
  readonly isCostly: boolean;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly begin: () => void;
  readonly giveUp: NodeJS.Timeout;
}

export interface FairTurnsOptions {
  /** For those who ask much, milliseconds. */
  readonly turnMs: number;
  readonly refuse: (refusal: Refusal, request: IncomingMessage, response: ServerResponse) => void;
  /** Whether an answer takes longer to make than most. */
  readonly isCostly: (request: IncomingMessage) => boolean;
}

export interface FairTurns {
  /** Begins a request when its turn comes. */
  readonly add: (
    caller: string,
    request: IncomingMessage,
    response: ServerResponse,
    begin: () => void,
  ) => void;
  /** Says that a connection came in: others may wait behind it. */
  readonly connected: () => void;
}

/**
 * In each round of the event loop one request is begun, so that nobody waits for more than one. Of those that wait it is that
 * of the caller who has asked least in the last seconds, by requests and by bytes. Those who ask much have one under way among
 * them all: with nobody else there that is no wait, and beside abuse nobody else waits. Costly requests let others go first,
 * and few of them are under way.
 */
export function createFairQueue({ turnMs, refuse, isCostly }: FairTurnsOptions): FairTurns {
  const callers = new LRUCache<string, Caller>({ max: MAX_CALLERS });
  /** In the order in which they began to wait. */
  const waiting = new Set<Caller>();
  let waits = 0;
  const ofMuch = createConcurrencyLimit(AT_ONCE, turnMs, plan);
  const ofCostly = createConcurrencyLimit(COSTLY_AT_ONCE, turnMs, plan);
  let isPlanned = false;
  let hasTaken = false;
  let taking = 0;

  function callerNamed(name: string): Caller {
    const known = callers.get(name);
    if (known !== undefined) return known;
    const caller = { busyUntil: 0, underWay: 0, waiting: [] };
    callers.set(name, caller);
    return caller;
  }

  function add(name: string, request: IncomingMessage, response: ServerResponse, begin: () => void): void {
    const caller = callerNamed(name);
    const giveUp = setTimeout(() => refuseTurn(turn), MAX_WAIT_MS);
    const turn = { caller, isCostly: isCostly(request), request, response, begin, giveUp };
    caller.waiting.push(turn);
    waiting.add(caller);
    waits += 1;
    if (waits > MAX_WAITING) makeRoom();
    if (!isPlanned && beginNext()) plan();
  }

  /** Refuses the newest of the caller that has asked most, with what still waits. */
  function makeRoom(): void {
    const now = performance.now();
    const newest = most(waiting, (one) => outstandingMs(one, now) + one.waiting.length * UNIT_MS)?.waiting.at(
      -1,
    );
    if (newest !== undefined) refuseTurn(newest);
  }

  function refuseTurn(turn: Turn): void {
    leaveQueue(turn);
    refuse(WAITED, turn.request, turn.response);
  }

  function leaveQueue(turn: Turn): void {
    const { caller, giveUp } = turn;
    clearTimeout(giveUp);
    caller.waiting.splice(caller.waiting.indexOf(turn), 1);
    waits -= 1;
    waiting.delete(caller);
    if (caller.waiting.length > 0) waiting.add(caller);
  }

  /** Something was begun or taken in; what else there is has to wait for the next round. */
  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(round);
  }

  function round(): void {
    isPlanned = false;
    taking = hasTaken ? (taking + 1) % MAX_TAKING : 0;
    hasTaken = false;
    if (taking > 0 ? waits > 0 : beginNext()) plan();
  }

  /** False if no waiting request can be started. */
  function beginNext(): boolean {
    const now = performance.now();
    const turn = most(waiting, (one) => rankOf(one.waiting[0], now))?.waiting[0];
    if (turn === undefined) return false;
    const limit = limitOf(turn, now);
    leaveQueue(turn);
    const { socket } = turn.request;
    // whoever has ended its side may be gone, or only say that it has asked for all
    if (socket.readableEnded && limit === ofMuch) socket.destroy();
    if (socket.destroyed) return true;
    count(turn);
    limit?.enter(turn.response);
    turn.begin();
    return true;
  }

  /** The more, the sooner; undefined when it cannot be its turn. */
  function rankOf(turn: Turn | undefined, now: number): number | undefined {
    if (turn === undefined || limitOf(turn, now)?.isFull()) return undefined;
    return -outstandingMs(turn.caller, now) - (turn.isCostly ? COSTLY_MS : 0);
  }

  function limitOf({ caller, isCostly }: Turn, now: number): ConcurrencyLimit | undefined {
    if (isHeavyUser(caller, now)) return ofMuch;
    return isCostly ? ofCostly : undefined;
  }

  /** Counts a request from its begin to its end. */
  function count({ caller, request: { socket }, response }: Turn): void {
    const before = socket.bytesWritten;
    charge(caller, 1);
    caller.underWay += 1;
    onceAnswered(response, () => {
      caller.underWay -= 1;
      charge(caller, (socket.bytesWritten - before) / BYTES_OF_UNIT);
    });
  }

  return {
    add,
    connected() {
      hasTaken = true;
      plan();
    },
  };
}

/** The first of those for whom it is the most; undefined where it is for all. */
function most(callers: Iterable<Caller>, of: (caller: Caller) => number | undefined): Caller | undefined {
  let found: { readonly caller: Caller; readonly value: number } | undefined;
  for (const caller of callers) {
    const value = of(caller);
    if (value !== undefined && (found === undefined || value > found.value)) found = { caller, value };
  }
  return found?.caller;
}
