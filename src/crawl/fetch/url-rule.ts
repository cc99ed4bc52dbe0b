import { isIP } from 'node:net';
import { normalHost } from '../../domain/agent-url.ts';
import { registrableDomain } from '../../domain/domain-name.ts';
import { isWebPort } from '../../domain/web-port.ts';
import type { RedirectRule, SchemeRule } from '../../ports/fetcher.ts';
import { FetchGuardError } from './failure.ts';

/**
 * The URL that a request may go to.
 *
 * @param operated true for an origin that the operator or user named (connect-to, the opened origin): any port
 * @throws FetchGuardError `blocked` for another scheme, userinfo, a host that is no name or address, or a port that is
 *   not 80, 443 or a harmless one from 1024 (below are mail, name and login services, which no agent uses)
 */
export function checkUrl(url: URL, schemes: SchemeRule, operated: boolean): void {
  if (!(url.protocol === 'https:' || (url.protocol === 'http:' && schemes === 'http_or_https')))
    throw new FetchGuardError('blocked', `the scheme ${url.protocol.slice(0, -1)} is not allowed here`);
  if (url.username !== '' || url.password !== '')
    throw new FetchGuardError('blocked', 'a user name or password in the URL is not accepted');
  if (normalHost(url.hostname) === undefined)
    throw new FetchGuardError('blocked', 'the host is not a valid name or address');
  if (!operated && !isWebPort(url.port))
    throw new FetchGuardError('blocked', `the port ${url.port} is not allowed`);
}

/** @throws FetchGuardError `blocked` when the text is no absolute URL */
export function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new FetchGuardError('blocked', 'the URL is not valid');
  return url;
}

/** The host of a URL as `net` and `dns` want it: IPv6 without brackets, no trailing dot. */
export function bareHost(url: URL): string {
  const { hostname } = url;
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return normalHost(hostname) ?? hostname;
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Redirects of a call to an agent: inside the registrable domain, as browsers would, but fewer. */
export const CALL_REDIRECTS: RedirectRule = { allow: 'same_registrable_domain', max: 5 };

/** Whether an answer sends us elsewhere; a 3xx without Location is an answer like any other. */
export function isRedirect(status: number, location: string | undefined): location is string {
  return location !== undefined && REDIRECT_STATUSES.has(status);
}

/**
 * Where a redirect leads, if the rule allows it. Address, port and userinfo of the target are judged later, by
 * the same guard as the first request.
 *
 * @param visited the URLs so far, the first one first asked, the last one the sender of `location`
 * @throws FetchGuardError `redirect` for one that is not allowed, too many, a loop, or one that leaves https
 */
export function nextHop(rule: RedirectRule, visited: readonly URL[], location: string): URL {
  const first = visited[0];
  const current = visited.at(-1);
  if (first === undefined || current === undefined) throw new TypeError('a redirect without its source URL');
  if (rule.allow === 'none') throw refuse('a redirect is not allowed here');
  if (visited.length > rule.max) throw refuse(`more than ${rule.max} redirects`);
  const next = URL.parse(location, current.href);
  if (next === null) throw refuse('the redirect target is not a valid URL');
  next.hash = '';
  if (next.protocol !== 'https:' && (next.protocol !== 'http:' || current.protocol !== 'http:'))
    throw refuse('the redirect leads from https to http');
  const [began, left, target] = [first, current, next].map((url) => registrableDomain(bareHost(url)));
  const mayLeave = rule.allow === 'one_other_domain' && left === began;
  if (target !== left && !mayLeave)
    throw refuse(
      rule.allow === 'one_other_domain'
        ? `the redirect leads to a third domain, ${next.hostname}`
        : `the redirect leaves the domain, to ${next.hostname}`,
    );
  if (visited.some((url) => url.href === next.href)) throw refuse('redirect loop');
  return next;
}

function refuse(detail: string): FetchGuardError {
  return new FetchGuardError('redirect', detail);
}

/** One loopback origin that a command opens for its visit, and the addresses to dial for it. */
export interface OpenOrigin {
  readonly origin: string;
  readonly addresses: readonly string[];
}

/**
 * The origin of a loopback URL that the user typed as the very argument of a command. Only the literals of
 * 127.0.0.0/8, `::1` and the name `localhost` (RFC 6761, section 6.3; no look-up) qualify; anything else gives
 * undefined and so opens nothing.
 */
export function parseOpenOrigin(text: string | undefined): OpenOrigin | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  const addresses = loopbackAddresses(bareHost(url));
  return addresses === undefined ? undefined : { origin: url.origin, addresses };
}

function loopbackAddresses(host: string): readonly string[] | undefined {
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const loopback = (isIP(host) === 4 && host.startsWith('127.')) || host === '::1';
  return loopback ? [host] : undefined;
}
