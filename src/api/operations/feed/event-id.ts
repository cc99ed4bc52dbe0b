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
  const time = hex(at, 12);
  const rest = hex(middle, 8);
  const end = hex(part % 2 ** 32, 8);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(high, 3)}-${rest.slice(0, 4)}-${rest.slice(4)}${end}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
