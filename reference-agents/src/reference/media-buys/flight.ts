import { refuse } from '../handler.ts';
import { CLOCK_TOLERANCE_MS, isoOf, readMoment } from '../moments.ts';
import type { StoredMediaBuy, StoredPackage } from './stored.ts';

/** From `startsAt` (included) to `endsAt` (excluded), epoch milliseconds. */
export interface Flight {
  readonly startsAt: number;
  readonly endsAt: number;
}

/** What a request says of dates; absent: as it was. */
export interface AskedDates {
  readonly start_time?: string;
  readonly end_time?: string;
}

/** The flight of a new media buy. Refuses FLIGHT_INVALID, FLIGHT_IN_PAST. */
export function newFlight(asked: Required<AskedDates>, now: number): Flight {
  const startsAt = readMoment(asked.start_time, '/start_time');
  const endsAt = readMoment(asked.end_time, '/end_time');
  if (endsAt <= startsAt) invalid('the flight must end after it starts', '/end_time');
  notPast(endsAt, now, '/end_time');
  notPast(startsAt, now, '/start_time', CLOCK_TOLERANCE_MS);
  return { startsAt, endsAt };
}

/** The flight of a media buy after a change. What has begun cannot begin anew: INVALID_STATE. */
export function changedFlight(buy: StoredMediaBuy, asked: AskedDates, now: number): Flight {
  const startsAt = movedStart(buy, asked, now);
  const endsAt = asked.end_time === undefined ? buy.endsAt : readMoment(asked.end_time, '/end_time');
  if (endsAt !== buy.endsAt) notPast(endsAt, now, '/end_time');
  if (endsAt <= startsAt) {
    invalid(
      'the flight must end after it starts',
      asked.end_time === undefined ? '/start_time' : '/end_time',
    );
  }
  return { startsAt, endsAt };
}

function movedStart(buy: StoredMediaBuy, { start_time: text }: AskedDates, now: number): number {
  const startsAt = text === undefined ? buy.startsAt : readMoment(text, '/start_time');
  if (startsAt === buy.startsAt) return startsAt;
  if (hasBegun(buy, buy.startsAt, now)) begun('/start_time');
  notPast(startsAt, now, '/start_time', CLOCK_TOLERANCE_MS);
  return startsAt;
}

/** The dates of one package, within those of its media buy. `before` is the package when it is being changed. */
export function packageDates(
  flight: Flight,
  asked: AskedDates,
  pointer: string,
  before?: Pick<StoredPackage, 'startsAt' | 'endsAt'>,
): Pick<StoredPackage, 'startsAt' | 'endsAt'> {
  const startsAt =
    asked.start_time === undefined ? before?.startsAt : readMoment(asked.start_time, `${pointer}/start_time`);
  const endsAt =
    asked.end_time === undefined ? before?.endsAt : readMoment(asked.end_time, `${pointer}/end_time`);
  const dates = { ...(startsAt !== undefined && { startsAt }), ...(endsAt !== undefined && { endsAt }) };
  insideFlight(flight, dates, { start: `${pointer}/start_time`, end: `${pointer}/end_time` });
  return dates;
}

/** Refuses FLIGHT_INVALID when a package's dates are not within its media buy's, at the place of the date that is wrong. */
export function insideFlight(
  flight: Flight,
  { startsAt = flight.startsAt, endsAt = flight.endsAt }: Pick<StoredPackage, 'startsAt' | 'endsAt'>,
  pointers: { readonly start: string; readonly end: string },
): void {
  if (startsAt < flight.startsAt) invalid('a package cannot start before its media buy', pointers.start);
  if (endsAt > flight.endsAt) invalid('a package cannot end after its media buy', pointers.end);
  if (endsAt <= startsAt) invalid('the flight must end after it starts', pointers.end);
}

/** Refuses to move the dates of what has begun or is over. */
export function movablePackage(
  buy: StoredMediaBuy,
  part: StoredPackage,
  asked: AskedDates,
  now: number,
  pointer: string,
): void {
  const startsAt = part.startsAt ?? buy.startsAt;
  if (moves(asked.start_time, startsAt, `${pointer}/start_time`)) {
    if (hasBegun(buy, startsAt, now)) begun(`${pointer}/start_time`);
    notPast(
      readMoment(asked.start_time as string, pointer),
      now,
      `${pointer}/start_time`,
      CLOCK_TOLERANCE_MS,
    );
  }
  if (moves(asked.end_time, part.endsAt ?? buy.endsAt, `${pointer}/end_time`)) {
    notPast(readMoment(asked.end_time as string, pointer), now, `${pointer}/end_time`);
  }
}

function moves(text: string | undefined, present: number, pointer: string): boolean {
  return text !== undefined && readMoment(text, pointer) !== present;
}

function hasBegun({ status }: StoredMediaBuy, startsAt: number, now: number): boolean {
  return startsAt <= now && (status === 'active' || status === 'paused');
}

/** Tests may have moved the caller's time, so that a refusal says what it is. */
function notPast(moment: number, now: number, pointer: string, graceMs = 0): void {
  if (moment > now - graceMs) return;
  const suggestion = `choose a time after ${isoOf(now)}, the current time of this caller`;
  refuse('FLIGHT_IN_PAST', 'the time is in the past', pointer, suggestion);
}

function invalid(message: string, pointer: string): never {
  refuse('FLIGHT_INVALID', message, pointer);
}

function begun(pointer: string): never {
  refuse(
    'INVALID_STATE',
    'the start cannot change, because the flight has begun',
    pointer,
    'change end_time',
  );
}
