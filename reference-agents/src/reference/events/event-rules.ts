import type { LogEventRequest } from '@agent-registry/surface/agent-kit';

type Event = LogEventRequest['events'][number];

/** An event counts for so long after it happened; milliseconds. */
const MAX_AGE_MS = 90 * 86_400_000;

/** How far a clock of the buyer may be ahead; milliseconds. */
export const MAX_AHEAD_MS = 300_000;

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

export interface EventFault {
  readonly code: string;
  readonly message: string;
}

/** Why an event does not count; undefined when it does. `now` is the buyer's business time, epoch milliseconds. */
export function faultOfEvent(event: Event, now: number): EventFault | undefined {
  const at = momentOfEvent(event);
  if (Number.isNaN(at)) return fault('EVENT_TIME_INVALID', 'event_time is not a valid timestamp');
  if (at > now + MAX_AHEAD_MS) return fault('EVENT_IN_FUTURE', 'event_time is in the future');
  if (at < now - MAX_AGE_MS) return fault('EVENT_TOO_OLD', 'the event is older than 90 days');
  return faultOfValue(event.custom_data ?? {});
}

/** Epoch milliseconds; NaN for what no calendar has. */
export function momentOfEvent({ event_time: time }: Pick<Event, 'event_time'>): number {
  return Date.parse(time.toUpperCase());
}

/** When an event need not be remembered any more, as a repetition of it would be too old. */
export function forgottenAt({ event_time: time }: Pick<Event, 'event_time'>): number {
  return momentOfEvent({ event_time: time }) + MAX_AGE_MS + 1;
}

function faultOfValue({ value, currency }: NonNullable<Event['custom_data']>): EventFault | undefined {
  if (currency !== undefined && !CURRENCIES.has(currency)) {
    return fault('CURRENCY_UNKNOWN', 'unknown currency');
  }
  if (value === undefined) return undefined;
  if (value < 0) return fault('VALUE_INVALID', 'the value must not be negative');
  return currency === undefined ? fault('CURRENCY_MISSING', 'a value requires a currency') : undefined;
}

function fault(code: string, message: string): EventFault {
  return { code, message };
}
