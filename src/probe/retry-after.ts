/** Later than this we look again anyway. */
const MAX_WAIT_MS = 24 * 3_600_000;

/**
 * When an overloaded agent asked to be left alone until (RFC 9110, section 10.2.3: seconds or an HTTP date), epoch
 * milliseconds and at most a day away; undefined for other statuses and for a moment that has passed.
 */
export function retryAfter(status: number, header: string | null, now: number): number | undefined {
  if ((status !== 429 && status !== 503) || header === null) return undefined;
  const text = header.trim();
  const at = /^\d{1,9}$/.test(text) ? now + Number(text) * 1000 : Date.parse(text);
  return Number.isFinite(at) && at > now ? Math.min(at, now + MAX_WAIT_MS) : undefined;
}
