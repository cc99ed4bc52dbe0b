import { createHmac } from 'node:crypto';

/** The position of a reader in the two logs of the feed. */
export interface FeedPosition {
  /** The last number read in the change log of the agents, and in the log of the edges. */
  readonly agents: number;
  readonly edges: number;
  /** A first read that has not reached the end yet: it gets the current state only. */
  readonly isFirst: boolean;
  /** Epoch milliseconds: the start of a first read, otherwise the time of the page. */
  readonly at: number;
}

const [AGENT_BITS, EDGE_BITS] = [32n, 33n];
const PLACE_BITS = AGENT_BITS + EDGE_BITS;
/** Bits of the check after the place. The other 6 replace the low bits of the time, which needs no millisecond precision. */
const LOW_CHECK = 7n;
const FRACTION = 64;
/** The first two of a cursor's 74 free bits; no old cursor has the second. */
const [FIRST, MASKED] = [1n << 73n, 1n << 72n];
const CURSOR = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/**
 * A cursor as the field has it, a UUID of version 7. It holds a check of 13 bits, and the two numbers under a mask that is
 * made from the check. Other records have another mask: they read numbers from anywhere in 65 bits, which they have hardly
 * ever reached.
 */
export function feedCursor({ agents, edges, isFirst, at: time }: FeedPosition, secret: Uint8Array): string {
  const at = time - (time % FRACTION);
  const check = checkOf({ agents, edges, isFirst, at }, secret);
  const place = ((BigInt(agents) << EDGE_BITS) | BigInt(edges)) ^ maskOf(at, check, secret);
  const low = (place << LOW_CHECK) | lastBits(LOW_CHECK, check);
  const free = (isFirst ? FIRST : 0n) | MASKED | low;
  const hex =
    (at + Number(check >> LOW_CHECK)).toString(16).padStart(12, '0') +
    (0x7000n | (free >> 62n)).toString(16) +
    ((0b10n << 62n) | lastBits(62n, free)).toString(16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The position of a cursor, its time rounded down to 64 ms; undefined: no cursor of these records. */
export function positionOf(cursor: string, secret: Uint8Array): FeedPosition | undefined {
  if (!CURSOR.test(cursor)) return undefined;
  const hex = cursor.replaceAll('-', '');
  const free = (BigInt(`0x${hex.slice(13, 16)}`) << 62n) | lastBits(62n, BigInt(`0x${hex.slice(16)}`));
  const time = Number.parseInt(hex.slice(0, 12), 16);
  const isFirst = (free & FIRST) !== 0n;
  if ((free & MASKED) === 0n) return oldPosition(free, isFirst, time, secret);
  const at = time - (time % FRACTION);
  const check = (BigInt(time % FRACTION) << LOW_CHECK) | lastBits(LOW_CHECK, free);
  const masked = lastBits(PLACE_BITS, free >> LOW_CHECK);
  const position = { ...numbersOf(masked ^ maskOf(at, check, secret)), isFirst, at };
  return checkOf(position, secret) === check ? position : undefined;
}

/** A cursor of an earlier version, without a mask and with a check of 8 bits, stays valid. */
function oldPosition(free: bigint, isFirst: boolean, at: number, secret: Uint8Array) {
  const position = { ...numbersOf(lastBits(PLACE_BITS, free >> 8n)), isFirst, at };
  const check = BigInt(digestOf(position, secret).readUInt8(0));
  return check === lastBits(8n, free) ? position : undefined;
}

function lastBits(count: bigint, value: bigint): bigint {
  return value & ((1n << count) - 1n);
}

function numbersOf(place: bigint): Pick<FeedPosition, 'agents' | 'edges'> {
  return {
    agents: Number(place >> EDGE_BITS),
    edges: Number(lastBits(EDGE_BITS, place)),
  };
}

/** Detects mistyped cursors. It is no protection: the feed is public. */
function checkOf(position: FeedPosition, secret: Uint8Array): bigint {
  return BigInt(digestOf(position, secret).readUInt32BE(0) >>> 19);
}

function digestOf({ agents, edges, isFirst, at }: FeedPosition, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`feed ${agents} ${edges} ${isFirst} ${at}`).digest();
}

function maskOf(at: number, check: bigint, secret: Uint8Array): bigint {
  const digest = createHmac('sha256', secret).update(`mask of a feed cursor ${at} ${check}`).digest();
  return lastBits(PLACE_BITS, BigInt(`0x${digest.toString('hex', 0, 9)}`));
}

/** The log of a change. */
export type Log = 'agents' | 'edges';

interface EventPlace {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly log: Log;
  readonly seq: number;
  /** Among the events of one change, below 16. */
  readonly rank: number;
  /** Distinguishes events of the same change and rank; its last 36 bits count. */
  readonly about: number;
}

const [SEQ_BITS, ABOUT_BITS] = [2 ** 22, 2 ** 36];

/**
 * The id of an event, as the field requires it: a UUID of version 7 that is the same whenever the event is read, and sorts after
 * the ids of earlier events. The time is followed by the log (agents come before their edges), the number and the rank.
 */
export function eventId({ at, log, seq, rank, about }: EventPlace): string {
  const high = (log === 'edges' ? 0x800 : 0) + Math.floor(seq / SEQ_BITS);
  const low = 0x80_00_00 + (seq % SEQ_BITS); // with the variant bits of a UUID
  const digits = `${hex(at, 12)}7${hex(high, 3)}${hex(low, 6)}${hex(rank, 1)}${hex(about % ABOUT_BITS, 9)}`;
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
