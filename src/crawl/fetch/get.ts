import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Capture, Hop, KeptHeaders, Validator } from '../../domain/capture.ts';
import type { GetRequest } from '../../ports/fetcher.ts';
import { decodeBody, FREE_BYTES, type RawAnswer } from './body.ts';
import { decodedCap, fetchFailureOf } from './failure.ts';
import type { RobotsGate } from './robots.ts';
import { checkUrl, isRedirect, nextHop, parseUrl } from './url-rule.ts';
import type { VisitHttp } from './visit-http.ts';

const KEPT: readonly (keyof KeptHeaders)[] = [
  'content-type',
  'etag',
  'last-modified',
  'cache-control',
  'retry-after',
  'age',
  'date',
];

const HASHED_ASIDE_BYTES = 256 * 1024;
const DEFAULT_ACCEPT = 'application/json, */*;q=0.5';

/** One file: https on every hop, robots.txt asked on every origin, redirects by the rule of the request. Never rejects. */
export async function getFile(http: VisitHttp, robots: RobotsGate, request: GetRequest): Promise<Capture> {
  const { clock } = http.context;
  const at = clock.now();
  const { heldMs } = http;
  const trail: Hop[] = [];
  const visited: URL[] = [];
  const base = () => ({
    requestedUrl: request.url,
    finalUrl: trail.length === 0 ? request.url : (visited.at(-1)?.href ?? request.url),
    trail,
    at,
    durationMs: Math.max(0, Math.round(clock.now() - at - (http.heldMs - heldMs))),
  });
  try {
    const answer = await follow(http, robots, request, visited, trail);
    const body = await bodyOf(http, answer, request.maxBytes);
    const bodyHash = body.length === 0 ? '' : await hashOf(body);
    return {
      ok: true,
      ...base(),
      status: answer.status,
      headers: keptHeaders(answer.headers),
      body,
      bodyHash,
    };
  } catch (error) {
    return { ok: false, ...base(), failure: fetchFailureOf(error) };
  }
}

/** Large bodies are hashed on another thread. */
async function hashOf(body: Uint8Array): Promise<string> {
  if (body.length < HASHED_ASIDE_BYTES) return hash('sha256', body, 'hex');
  return Buffer.from(await crypto.subtle.digest('SHA-256', body as Uint8Array<ArrayBuffer>)).toString('hex');
}

async function follow(
  http: VisitHttp,
  robots: RobotsGate,
  request: GetRequest,
  visited: URL[],
  trail: Hop[],
): Promise<RawAnswer> {
  for (let url = parseUrl(request.url); ; ) {
    visited.push(url);
    checkUrl(url, 'https', http.operated(url));
    http.checkpoint();
    await robots.check(url);
    const headers = headersFor(url, request, http.context.fileHeaders);
    const answer = await http.collect({ url, headers, maxBytes: request.maxBytes });
    const { location } = answer.headers;
    if (!isRedirect(answer.status, location)) return answer;
    trail.push({ url: url.href, status: answer.status, location });
    url = nextHop(request.redirects, visited, location);
    await request.beforeRedirect?.(url);
  }
}

function headersFor(
  url: URL,
  { accept, validator }: GetRequest,
  fileHeaders: readonly string[],
): readonly string[] {
  const headers = ['accept', accept ?? DEFAULT_ACCEPT, ...fileHeaders];
  if (validator !== undefined && validator.url === url.href) headers.push(...conditions(validator));
  return headers;
}

/** RFC 9110, sections 13.1.2 and 13.1.3. What a server sent us goes back only when it is a plain header value. */
function conditions({ etag, lastModified }: Validator): readonly string[] {
  const pairs = [
    ['if-none-match', etag],
    ['if-modified-since', lastModified],
  ] as const;
  return pairs.flatMap(([name, value]) =>
    value !== undefined && /^[\x20-\x7e]+$/.test(value) ? [name, value] : [],
  );
}

async function bodyOf({ room }: VisitHttp, answer: RawAnswer, maxBytes: number): Promise<Uint8Array> {
  const { status, bytes, encoding } = answer;
  if (status === 304) return new Uint8Array();
  if (encoding === 'identity') return bytes;
  const small = await decodeBody(bytes, encoding, Math.min(maxBytes, FREE_BYTES)).catch(
    (error: unknown) => error,
  );
  if (small instanceof Uint8Array) return small;
  if (fetchFailureOf(small).code !== 'too_large') throw small;
  const cap = decodedCap(bytes.length, maxBytes);
  await room?.take(cap);
  let used = 0;
  try {
    const body = await decodeBody(bytes, encoding, maxBytes);
    used = body.length;
    return body;
  } finally {
    room?.give(cap - used);
  }
}

function keptHeaders(headers: IncomingHttpHeaders): KeptHeaders {
  const kept: Partial<Record<keyof KeptHeaders, string>> = {};
  for (const name of KEPT) {
    const value: string | string[] | undefined = headers[name];
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) kept[name] = first;
  }
  return kept;
}
