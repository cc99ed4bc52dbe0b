import { createHmac } from 'node:crypto';

/** How far a reader is in the two logs that make the feed. */
export interface FeedPosition {
  /** Number in the change log of the agents, and in that of the edges. */
  readonly agents: number;
  readonly edges: number;
  /** It began with nothing, and has not reached the end yet: only what stands is told to it. */
  readonly isFirst: boolean;
  /** Epoch milliseconds: while `isFirst` the begin of the reading, otherwise the time of the page. */
  readonly at: number;
}

const [AGENT_BITS, EDGE_BITS, MAC_BITS] = [32n, 33n, 8n];
const CURSOR = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** A cursor as the field has it, a UUID of version 7. Its 74 free bits are the position, and a check of 8 bits. */
export function feedCursor(position: FeedPosition, secret: Uint8Array): string {
  const place = (((position.isFirst ? 1n : 0n) << AGENT_BITS) | BigInt(position.agents)) << EDGE_BITS;
  const free = ((place | BigInt(position.edges)) << MAC_BITS) | checkOf(position, secret);
  const hex =
    position.at.toString(16).padStart(12, '0') +
    (0x7000n | (free >> 62n)).toString(16) +
    ((0b10n << 62n) | (free & ((1n << 62n) - 1n))).toString(16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The position of a cursor; undefined: no cursor of these records. */
export function positionOf(cursor: string, secret: Uint8Array): FeedPosition | undefined {
  if (!CURSOR.test(cursor)) return undefined;
  const hex = cursor.replaceAll('-', '');
  const low = BigInt(`0x${hex.slice(16)}`) & ((1n << 62n) - 1n);
  const free = ((BigInt(`0x${hex.slice(12, 16)}`) & 0xfffn) << 62n) | low;
  const place = free >> MAC_BITS;
  const position = {
    at: Number.parseInt(hex.slice(0, 12), 16),
    edges: Number(place & ((1n << EDGE_BITS) - 1n)),
    agents: Number((place >> EDGE_BITS) & ((1n << AGENT_BITS) - 1n)),
    isFirst: place >> (EDGE_BITS + AGENT_BITS) === 1n,
  };
  return checkOf(position, secret) === (free & 0xffn) ? position : undefined;
}

/** It tells a slip from a cursor and keeps nobody out: the feed is the same for all. */
function checkOf({ agents, edges, isFirst, at }: FeedPosition, secret: Uint8Array): bigint {
  const text = `feed ${agents} ${edges} ${isFirst} ${at}`;
  return BigInt(createHmac('sha256', secret).update(text).digest().readUInt8(0));
}

/** Which of the two logs a change stands in. */
export type Log = 'agents' | 'edges';

interface EventPlace {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly log: Log;
  readonly seq: number;
  /** Among the events of one change, below 16. */
  readonly rank: number;
  /** Tells events of the same change and rank apart; its last 36 bits count. */
  readonly about: number;
}

const [SEQ_BITS, ABOUT_BITS] = [2 ** 22, 2 ** 36];

/**
 * The id of an event, as the field requires it: a UUID of version 7 that is the same whenever the event is read, and later in
 * the order of texts for what is later. Behind the time stand the log (agents come before their edges), the number and the rank.
 */
export function eventId({ at, log, seq, rank, about }: EventPlace): string {
  const high = (log === 'edges' ? 0x800 : 0) | (Math.floor(seq / SEQ_BITS) & 0x7ff);
  const part = about % ABOUT_BITS;
  const middle = 2 ** 31 + (seq % SEQ_BITS) * 256 + rank * 16 + Math.floor(part / 2 ** 32);
  if (at !== lastTime.at)
    lastTime = {
      at,
      text: at
        .toString(16)
        .padStart(12, '0')
        .replace(/^(.{8})/, '$1-'),
    };
  const [first, second] = [fourDigits(middle >>> 16), fourDigits(middle & 0xffff)];
  const end = fourDigits((part >>> 16) & 0xffff) + fourDigits(part & 0xffff);
  return `${lastTime.text}-${fourDigits(0x7000 + high)}-${first}-${second}${end}`;
}

/** Events that come one after the other have one time. */
let lastTime = { at: Number.NaN, text: '' };

/** A first read makes a million ids, and to write a number takes longer than to look it up. */
const DIGITS: (string | undefined)[] = new Array(2 ** 16);

function fourDigits(value: number): string {
  const known = DIGITS[value];
  if (known !== undefined) return known;
  const text = value.toString(16).padStart(4, '0');
  DIGITS[value] = text;
  return text;
}
