import type { IncomingMessage } from 'node:http';

/** Why a request is refused before anything of ours looks at it. */
export interface Refusal {
  readonly status: number;
  readonly code: 'bad_request' | 'headers_too_large' | 'rate_limited' | 'overloaded';
  readonly detail: string;
  /** Seconds. */
  readonly retryAfter?: number;
}

/** As many as Apache takes by default; a request of ours has a dozen. */
const MAX_LINES = 100;
/** RFC 9110, section 5.5: of these a second line means another message to the next reader. Node keeps the first one silently. */
const ONCE: ReadonlySet<string> = new Set([
  ...['authorization', 'proxy-authorization', 'host', 'content-type', 'content-length', 'content-location'],
  ...[
    'if-modified-since',
    'if-unmodified-since',
    'if-range',
    'max-forwards',
    'from',
    'referer',
    'user-agent',
  ],
  ...['date', 'expires', 'last-modified', 'etag', 'age', 'location', 'retry-after', 'server'],
]);
/** RFC 3986, section 3.2.2, with a port; empty is allowed (RFC 9112, section 3.2). */
const HOST = /^[\w.~%!$&'()*+,;=:[\]-]{0,300}$/;

/** What is wrong with the header of a request, whatever it asks for; undefined when it can be read in one way only. */
export function requestFault({ rawHeaders, headers, httpVersion }: IncomingMessage): Refusal | undefined {
  if (rawHeaders.length > 2 * MAX_LINES)
    return {
      status: 431,
      code: 'headers_too_large',
      detail: `a request has at most ${MAX_LINES} header lines`,
    };
  const seen = new Set<string>();
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place]?.toLowerCase() ?? '';
    if (!ONCE.has(name)) continue;
    if (seen.has(name)) return malformed(`duplicate header ${name}`);
    seen.add(name);
  }
  // RFC 9112, section 3.2
  if (headers.host === undefined && httpVersion === '1.1')
    return malformed('an HTTP/1.1 request requires a Host header');
  return HOST.test(headers.host ?? '') ? undefined : malformed('the Host header is invalid');
}

function malformed(detail: string): Refusal {
  return { status: 400, code: 'bad_request', detail };
}

/** The media type of an error body (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';
