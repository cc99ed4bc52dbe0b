import { isWebPort } from '../../domain/web-port.ts';
import { FetchGuardError } from './failure.ts';

/** RFC 1035, with the dot at the end. A longer name leads nowhere, and nothing is kept under it. */
const MAX_HOST = 254;

/** Which schemes a request may use: files only https, calls to agents http as well. */
export type SchemeRule = 'https' | 'http_or_https';

/**
 * The URL that a request may go to.
 *
 * @param operated true for an origin that the operator or user named (connect-to, the opened origin): any port
 * @throws FetchGuardError `blocked` for another scheme, userinfo, a host longer than a name can be, or a port that is
 *   not 80, 443 or a harmless one from 1024 (below are mail, name and login services, which no agent uses)
 */
export function checkUrl(url: URL, schemes: SchemeRule, operated: boolean): void {
  if (!(url.protocol === 'https:' || (url.protocol === 'http:' && schemes === 'http_or_https')))
    throw new FetchGuardError('blocked', `the scheme ${url.protocol.slice(0, -1)} is not allowed here`);
  if (url.username !== '' || url.password !== '')
    throw new FetchGuardError('blocked', 'a user name or password in the url is not accepted');
  if (url.hostname.length > MAX_HOST)
    throw new FetchGuardError('blocked', `the host has more than ${MAX_HOST} characters`);
  if (!operated && !isWebPort(url.port))
    throw new FetchGuardError('blocked', `the port ${url.port} is not allowed`);
}

/** @throws FetchGuardError `blocked` when the text is no absolute URL */
export function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new FetchGuardError('blocked', 'the url is not valid');
  return url;
}

/** The host of a URL as `net` and `dns` want it: IPv6 without brackets, no trailing dot. */
export function bareHost(url: URL): string {
  const { hostname } = url;
  if (hostname.startsWith('[')) return hostname.slice(1, -1);
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}
