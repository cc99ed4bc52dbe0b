import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ProvenOrigin } from '../../domain/proven-origin.ts';
import type { GuardedFetch } from '../../ports/fetcher.ts';
import { contentEncoding, STREAMED_ENCODINGS, webBody } from './body.ts';
import { FetchGuardError, guardError } from './failure.ts';
import { CALL_REDIRECTS, checkUrl, isRedirect, nextHop, parseUrl } from './url-rule.ts';
import { confine, type HttpRequest, type VisitHttp } from './visit-http.ts';

/** Set by us or by the connection; a caller's value is dropped (RFC 9110, section 7.6.1). */
const OURS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'transfer-encoding',
  'content-length',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'accept-encoding',
  'user-agent',
]);

/** All that goes to another origin after a redirect. Any other header may be a credential under its own name. */
const HARMLESS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'mcp-protocol-version',
  'a2a-version',
]);

const NULL_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

interface Call {
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
}

/**
 * The WHATWG `fetch` of a visit, for the protocol SDKs; rejects with a FetchGuardError, or as the caller's signal says.
 * Nothing leaves `within`: the proven origin of the visit, unless another one is given.
 */
export function createGuardedFetch(http: VisitHttp, within = http.origin): GuardedFetch {
  return async (input, init) => {
    const signal = init?.signal ?? undefined;
    signal?.throwIfAborted();
    const first = parseUrl(String(input));
    try {
      checkUrl(first, 'http_or_https', http.operated(first));
      first.hash = '';
      return await follow({ http, within }, first, await callOf(first, init), init?.redirect, signal);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw guardError(error);
    }
  };
}

async function callOf(url: URL, init: RequestInit | undefined): Promise<Call> {
  const request = requestOf(url, init);
  const headers = [...request.headers].filter(([name]) => !OURS.has(name));
  const body = request.body === null ? undefined : await request.bytes();
  return { method: request.method, headers, body };
}

/** Its own errors repeat the value of a header, which may be a credential. */
function requestOf(url: URL, init: RequestInit | undefined): Request {
  try {
    return new Request(url, { ...init, signal: null });
  } catch {
    throw new FetchGuardError('protocol', 'the request cannot be sent: invalid method or header');
  }
}

async function follow(
  { http, within }: { readonly http: VisitHttp; readonly within: ProvenOrigin | undefined },
  first: URL,
  firstCall: Call,
  redirect: RequestInit['redirect'],
  signal: AbortSignal | undefined,
): Promise<Response> {
  const visited = [first];
  let call = firstCall;
  for (let url = first; ; visited.push(url)) {
    checkUrl(url, 'http_or_https', http.operated(url));
    const answer = await http.request(
      url,
      'calls',
      { ...outgoing(call, http.context.userAgent), signal },
      within,
    );
    const { location } = answer.headers as IncomingHttpHeaders;
    if (!isRedirect(answer.statusCode, location) || redirect === 'manual')
      return toResponse(answer, url, visited.length > 1, http.context.maxResponseBytes);
    dropBody(answer);
    if (redirect === 'error') throw new FetchGuardError('redirect', 'a redirect is not allowed here');
    confine(within, URL.parse(location, url.href) ?? url, 'the redirect'); // says more than the rule of the domain does
    const next = nextHop(CALL_REDIRECTS, visited, location);
    call = redirected(call, answer.statusCode, next.origin === url.origin);
    url = next;
  }
}

/** The next request of a redirect (WHATWG Fetch, "HTTP-redirect fetch"), stripped when it goes to another origin. */
function redirected(call: Call, status: number, sameOrigin: boolean): Call {
  const toGet = (status === 303 && call.method !== 'HEAD') || (status < 303 && call.method === 'POST');
  const kept = sameOrigin ? call.headers : call.headers.filter(([name]) => HARMLESS.has(name));
  if (!toGet) return { ...call, headers: kept };
  return { method: 'GET', headers: kept.filter(([name]) => !name.startsWith('content-')), body: undefined };
}

function outgoing({ method, headers, body }: Call, userAgent: string): HttpRequest {
  const ours = ['user-agent', userAgent, 'accept-encoding', STREAMED_ENCODINGS];
  const accept = headers.some(([name]) => name === 'accept') ? [] : ['accept', '*/*'];
  return { method, headers: [...headers.flat(), ...accept, ...ours], body };
}

function toResponse(
  answer: Dispatcher.ResponseData,
  url: URL,
  wasRedirected: boolean,
  maxBytes: number,
): Response {
  const response = new Response(bodyOf(answer, maxBytes), {
    status: answer.statusCode,
    statusText: answer.statusText,
    headers: responseHeaders(answer.headers),
  });
  return Object.defineProperties(response, {
    url: { value: url.href },
    redirected: { value: wasRedirected },
  });
}

function bodyOf(answer: Dispatcher.ResponseData, maxBytes: number): ReadableStream<Uint8Array> | null {
  const { statusCode, headers, body } = answer;
  try {
    const encoding = contentEncoding(headers['content-encoding']);
    if (statusCode > 599) throw new FetchGuardError('protocol', `invalid HTTP status ${statusCode}`);
    if (!NULL_BODY.has(statusCode)) return webBody(body, encoding, maxBytes);
  } catch (error) {
    dropBody(answer);
    throw error;
  }
  dropBody(answer);
  return null;
}

function dropBody({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => {}).destroy();
}

/** Without those that no longer fit the decoded body. */
function responseHeaders(headers: IncomingHttpHeaders): Headers {
  const result = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'content-encoding' || name === 'content-length' || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) result.append(name, one);
  }
  return result;
}
