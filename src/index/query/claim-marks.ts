import { hash } from 'node:crypto';
import {
  type AskedClaim,
  CLAIM_SEPARATOR,
  type ClaimText,
  claimDay,
} from '../../domain/accreditation-claim.ts';

/**
 * Marks of the end dates of accreditations, so that an index of marks finds those that are valid on a day, for one metric. Only the
 * latest end of each metric, body, pair of them and of all together matters. It is a number of eight digits, and each of its
 * prefixes is a mark: "this day or later" is a few prefixes.
 */
const DIGITS = 8;
const BASE = 4;
const LAST_DAY = BASE ** DIGITS - 1;
const FIRST_YEAR = 2000;

/** The marks of an agent: nine for each metric, body and pair that it claims. */
export function claimMarks(claims: readonly ClaimText[]): readonly string[] {
  const latest = new Map<string, number>();
  for (const claim of claims) {
    const [id = '', , body = '', until = ''] = claim.split(CLAIM_SEPARATOR);
    const day = dayNumber(until);
    for (const group of [groupOf(), groupOf(id), groupOf(undefined, body), groupOf(id, body)])
      latest.set(group, Math.max(day, latest.get(group) ?? 0));
  }
  return [...latest].flatMap(([group, day]) => {
    const digits = digitsOf(day);
    return Array.from({ length: DIGITS + 1 }, (_, length) => markOf(group, digits.slice(0, length)));
  });
}

/** An agent with a matching claim has one of these marks. A search does not filter by a part of a metric_id. */
export function askedClaimMarks({ metricIds, bodies, on }: AskedClaim): readonly string[] {
  const beginnings = on === undefined ? [''] : from(digitsOf(dayNumber(claimDay(on))));
  return (metricIds ?? [undefined]).flatMap((id) =>
    (bodies ?? [undefined]).flatMap((body) =>
      beginnings.map((beginning) => markOf(groupOf(id, body), beginning)),
    ),
  );
}

/** The prefixes of which every number that is not smaller has exactly one. */
function from(digits: string): readonly string[] {
  const greater = [...digits].flatMap((digit, at) =>
    Array.from(
      { length: BASE - 1 - Number(digit) },
      (_, more) => digits.slice(0, at) + (Number(digit) + 1 + more),
    ),
  );
  return [...greater, digits];
}

/** A digest: ids and bodies can be long, and each has nine marks. */
function groupOf(id?: string, body?: string): string {
  return hash('sha256', JSON.stringify([id ?? null, body ?? null]), 'base64url').slice(0, 22);
}

function markOf(group: string, beginning: string): string {
  return `claim:${group}:${beginning}`;
}

/**
 * A number that increases with the day, YYYYMMDD, from 1. Days before the first year are 0; days after the last possible number
 * are that number.
 */
function dayNumber(day: string): number {
  const [year, month, date] = [day.slice(0, 4), day.slice(4, 6), day.slice(6, 8)].map(Number) as [
    number,
    number,
    number,
  ];
  const number = ((year - FIRST_YEAR) * 12 + month - 1) * 31 + date;
  return Math.min(Math.max(number, 0), LAST_DAY);
}

function digitsOf(day: number): string {
  return day.toString(BASE).padStart(DIGITS, '0');
}
