/**
 * How long a Retry-After asks to wait, milliseconds from `now`: seconds or an HTTP date (RFC 9110, section 10.2.3).
 * Undefined for anything else; 0 for a moment that has passed.
 */
export function retryAfterMs(value: string | null | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  const date = /^[a-z]{3,9},/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - now, 0);
}
