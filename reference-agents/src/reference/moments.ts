import { refuse } from './handler.ts';

/** How far in the past a start may lie, in milliseconds: clocks differ, and requests take their time. */
export const CLOCK_TOLERANCE_MS = 60_000;

/** A moment of the wire as epoch milliseconds. Refuses what no calendar has (a leap second): VALIDATION_ERROR. */
export function readMoment(text: string, pointer: string): number {
  const moment = Date.parse(text.toUpperCase());
  if (Number.isNaN(moment)) {
    refuse(
      'VALIDATION_ERROR',
      'invalid timestamp',
      pointer,
      'use RFC 3339, for example 2026-03-01T00:00:00Z',
    );
  }
  return moment;
}

export function isoOf(moment: number): string {
  return new Date(moment).toISOString();
}
