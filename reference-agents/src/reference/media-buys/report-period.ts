import { refuse } from '../handler.ts';

/** The stretch that a report is about, epoch milliseconds: from the start of its first day to the end of its last, or to now. */
export interface ReportPeriod {
  /** Undefined: from the beginning. */
  readonly from?: number;
  readonly to: number;
}

const DAY_MS = 86_400_000;

/** Reads the days of a request, UTC. Refuses a last day before the first: VALIDATION_ERROR. */
export function reportPeriod(
  { start_date: first, end_date: last }: { readonly start_date?: string; readonly end_date?: string },
  now: number,
): ReportPeriod {
  const from = first === undefined ? undefined : Date.parse(first);
  const end = last === undefined ? now : Date.parse(last) + DAY_MS;
  if (from !== undefined && last !== undefined && end <= from) {
    refuse('VALIDATION_ERROR', 'the last day is before the first', '/end_date');
  }
  const to = Math.min(end, now);
  return { ...(from !== undefined && { from: Math.min(from, to) }), to };
}
