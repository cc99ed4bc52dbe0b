import { hash } from 'node:crypto';
import { type AskedClaim, CLAIM_SEPARATOR, type ClaimText, claimDay } from '../domain/accreditation-claim.ts';

/**
 * Marks of when accreditations end, so that an index of marks alone finds those that hold on a day, on one metric. Of each
 * metric, body, pair of them and of all together only the latest end matters. It is a number of eight digits, and each of
 * its beginnings is a mark: a day or later is a few beginnings.
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

/** An agent with a claim that is asked for has one of these. No part of a metric_id is asked for in a search. */
export function askedClaimMarks({ metricIds, bodies, on }: AskedClaim): readonly string[] {
  const beginnings = on === undefined ? [''] : from(digitsOf(dayNumber(claimDay(on))));
  return (metricIds ?? [undefined]).flatMap((id) =>
    (bodies ?? [undefined]).flatMap((body) =>
      beginnings.map((beginning) => markOf(groupOf(id, body), beginning)),
    ),
  );
}

/** The beginnings of which every number that is not smaller has exactly one. */
function from(digits: string): readonly string[] {
  const greater = [...digits].flatMap((digit, at) =>
    Array.from(
      { length: BASE - 1 - Number(digit) },
      (_, more) => digits.slice(0, at) + (Number(digit) + 1 + more),
    ),
  );
  return [...greater, digits];
}

/** A digest: ids and bodies are as long as vendors like, and each has nine marks. */
function groupOf(id?: string, body?: string): string {
  return hash('sha256', JSON.stringify([id ?? null, body ?? null]), 'base64url').slice(0, 22);
}

function markOf(group: string, beginning: string): string {
  return `claim:${group}:${beginning}`;
}

/**
 * Grows with the day, YYYYMMDD, as its text does, from 1; what is before the first year is 0, and what is behind the last
 * number that there is room for is the last.
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
