import type { KeptHeaders } from './capture.ts';

const S_MAXAGE = /(?:^|[\s,])s-maxage\s*=\s*"?(\d{1,10})"?/;
const MAX_AGE = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})"?/;

/**
 * How long an answer is fresh by its Cache-Control, milliseconds, less the Age it came with (RFC 9111, sections
 * 4.2 and 5.2.2); 0 where it must not be reused unasked, undefined where it says nothing.
 */
export function cacheLifetime(headers: KeptHeaders): number | undefined {
  const directives = (headers['cache-control'] ?? '').toLowerCase();
  if (/(^|[\s,])(no-store|no-cache)($|[\s,=])/.test(directives)) return 0;
  const seconds = secondsIn(S_MAXAGE.exec(directives)) ?? secondsIn(MAX_AGE.exec(directives));
  if (seconds === undefined) return undefined;
  const age = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) : 0;
  return Math.max(seconds - age, 0) * 1_000;
}

function secondsIn(match: RegExpExecArray | null): number | undefined {
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/**
 * How long a Retry-After asks to wait, milliseconds from `now`: seconds or an HTTP date (RFC 9110, sections 5.6.7 and
 * 10.2.3), which is always in GMT. Undefined for anything else; 0 for a moment that has passed.
 */
export function retryAfterMs(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  const date = /^[a-z]{3,9},.* GMT$/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}
