import type { KeptHeaders } from './capture.ts';

/**
 * How long an answer is fresh by its Cache-Control, milliseconds, less the Age it came with (RFC 9111, sections
 * 4.2 and 5.2.2); 0 where it must not be reused unasked, undefined where it says nothing.
 */
export function cacheLifetime(headers: KeptHeaders): number | undefined {
  const directives = (headers['cache-control'] ?? '').toLowerCase();
  if (/(^|[\s,])(no-store|no-cache)($|[\s,=])/.test(directives)) return 0;
  const seconds = directiveSeconds(directives, 's-maxage') ?? directiveSeconds(directives, 'max-age');
  if (seconds === undefined) return undefined;
  const age = /^\d{1,10}$/.test(headers.age ?? '') ? Number(headers.age) : 0;
  return Math.max(seconds - age, 0) * 1_000;
}

function directiveSeconds(directives: string, name: string): number | undefined {
  const match = new RegExp(`(?:^|[\\s,])${name}\\s*=\\s*"?(\\d{1,10})"?`).exec(directives);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
