import { normalHost } from '../domain/agent-url.ts';

/** The parts of a target that can be signed, in their normal form. */
export interface Target {
  /** `@target-uri`: the whole, without a fragment. */
  readonly uri: string;
  readonly scheme: string;
  /** `@authority`: host in lower case, with the port when it is not the scheme's own. */
  readonly authority: string;
  readonly path: string;
  /** With its question mark; empty when there is none. */
  readonly query: string;
}

export type ReadTarget =
  | { readonly ok: true; readonly target: Target }
  | { readonly ok: false; readonly reason: string };

const URL_PARTS = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/is;
const PATH = /^(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/;
/** Wider than RFC 3986: what clients send in queries as it is, a percent sign with nothing behind it too. */
const QUERY = /^[\x21\x22\x24-\x7e]*$/;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

/**
 * The normal form of a URL for signing (RFC 9421, section 2.2; RFC 3986, section 6.2): scheme and host in lower
 * case, IDN as A-labels, the root dot and the scheme's own port dropped, dot segments resolved, an empty path as `/`, escapes in capitals and those of
 * unreserved characters decoded. Doubled slashes and the query stay byte for byte.
 *
 * What two readers could take for two different targets is refused: hosts with an empty label, addresses of IPv6 without
 * brackets or with a zone, user names, fragments, dots that are escaped.
 */
export function readTarget(url: string): ReadTarget {
  const [, rawScheme = '', rawAuthority = '', rawPath = '', query = '', fragment] = URL_PARTS.exec(url) ?? [];
  const scheme = rawScheme.toLowerCase();
  if (DEFAULT_PORTS[scheme] === undefined) return no('the target is not an absolute http or https URL');
  if (fragment !== undefined) return no('the target has a fragment');
  const authority = readAuthority(rawAuthority, scheme);
  if (authority === undefined) return no('the authority of the target is malformed');
  if (!PATH.test(rawPath)) return no('the path of the target has unescaped characters');
  if (!QUERY.test(query)) return no('the query of the target has unescaped characters');
  if (hasEscapedDots(rawPath)) return no('the path of the target has escaped dot segments');
  const path = normalPath(rawPath);
  return {
    ok: true,
    target: { uri: `${scheme}://${authority}${path}${query}`, scheme, authority, path, query },
  };
}

/** The normal form of a host with its port, as in a `Host` header; undefined when it is none. */
export function readAuthority(text: string, scheme: string): string | undefined {
  const [, rawHost = '', port] = /^(\[[^\]]*\]|[^:@[\]]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = normalHost(rawHost);
  if (host === undefined || port === undefined || Number(port) === DEFAULT_PORTS[scheme]) return host;
  return Number(port) > 65_535 ? undefined : `${host}:${Number(port)}`;
}

function hasEscapedDots(path: string): boolean {
  return path.split('/').some((segment) => /%2e/i.test(segment) && /^(?:\.|%2e){1,2}$/i.test(segment));
}

function normalPath(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  segments.forEach((segment, place) => {
    const isLast = place === segments.length - 1;
    if (segment === '..') kept.pop();
    if (segment !== '.' && segment !== '..') kept.push(segment);
    else if (isLast) kept.push('');
  });
  return `/${kept.join('/')}`.replace(/%[0-9a-f]{2}/gi, normalEscape);
}

function normalEscape(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[A-Za-z0-9._~-]/.test(character) ? character : encoded.toUpperCase();
}

function no(reason: string): ReadTarget {
  return { ok: false, reason };
}
