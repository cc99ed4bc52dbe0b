import { trimEnd } from './text.ts';

/** Longest agent address that is accepted, in characters. */
export const MAX_AGENT_URL = 2_000;

/** A name that is in its one form already, when it has no A-label to check: the last label is no number. */
const PLAIN = /^(?:[a-z0-9-]{1,63}\.)*[a-z]{1,63}$/;
/**
 * An address in its one form already: a plain name, and segments of unreserved characters that do not begin with a dot. An
 * A-label is looked at by `includes`.
 */
const PLAIN_URL =
  /^https:\/\/(?:[a-z0-9-]{1,63}\.)*[a-z]{1,63}\/(?:[A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*)?$/;
/** Underscores are no letters of a host name, and yet names of services have them. */
const LABELS = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

export type AgentUrlProblem = 'not_absolute' | 'scheme' | 'userinfo' | 'too_long' | 'bad_escape' | 'bad_host';

export type ParsedAgentUrl =
  | { readonly ok: true; readonly url: string; readonly host: string }
  | { readonly ok: false; readonly problem: AgentUrlProblem };

/** One sentence for each reason why a text is no agent address. */
export const AGENT_URL_PROBLEMS: Readonly<Record<AgentUrlProblem, string>> = {
  not_absolute: 'use an absolute http or https URL',
  scheme: 'the scheme must be https or http',
  userinfo: 'a user name or password in the URL is not allowed',
  too_long: `an agent URL may have at most ${MAX_AGENT_URL} characters`,
  bad_escape: 'the URL contains an invalid percent-escape or a control character',
  bad_host: 'the host is not a valid name or address',
};

/**
 * The agent's identity: RFC 3986 normal form of its URL. Scheme and host lower case, IDN as A-labels, root dot,
 * default port and fragment dropped, dot segments resolved, escapes upper-cased and unreserved ones decoded, a trailing
 * slash on a non-root path dropped; path case and query kept, an empty query too. What is dialled stays as declared.
 */
export function parseAgentUrl(text: string): ParsedAgentUrl {
  if (text.length > MAX_AGENT_URL) return refuse('too_long');
  if (PLAIN_URL.test(text) && !text.includes('xn--')) {
    const host = text.slice(8, text.indexOf('/', 8));
    if (host.length <= 253) return { ok: true, url: text, host };
  }
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return refuse('not_absolute');
  if (!/^https?:/i.test(text)) return refuse('scheme');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(text) || /%(?![0-9a-f]{2})/i.test(text)) return refuse('bad_escape');
  const authority = authorityOf(text);
  if (authority.includes('@')) return refuse('userinfo');
  // With an empty authority the URL parser would take the start of the path for the host.
  const parsed = authority === '' ? null : URL.parse(text);
  const host = parsed === null ? undefined : normalHost(parsed.hostname);
  if (parsed === null || host === undefined) return refuse('bad_host');
  const path = normalEscapes(parsed.pathname);
  const pathname = path.length > 1 && path.endsWith('/') ? trimEnd(path, '/') || '/' : path;
  const port = parsed.port === '' ? '' : `:${parsed.port}`;
  const query = /^[^#]*\?/.test(text) ? parsed.search || '?' : '';
  const url = `${parsed.protocol}//${host}${port}${pathname}${normalEscapes(query)}`;
  // Escaping can make it longer; the identity has to be an address that is accepted itself.
  return url.length > MAX_AGENT_URL ? refuse('too_long') : { ok: true, url, host };
}

/** The identity of an address that is known to be good; throws a TypeError for any other text. */
export function agentKey(text: string): string {
  const parsed = parseAgentUrl(text);
  if (!parsed.ok) throw new TypeError(`${AGENT_URL_PROBLEMS[parsed.problem]}: ${text.slice(0, 200)}`);
  return parsed.url;
}

/**
 * The one form of a host's name: A-labels in lower case (UTS 46), the root dot dropped, since both spellings are one name
 * in DNS, and an IP address in its shortest form, IPv6 in brackets. Undefined for a host with an empty label, an escape,
 * a port, or more characters than a name can have.
 */
export function normalHost(text: string): string | undefined {
  if (text.length <= 253 && PLAIN.test(text) && !text.includes('xn--')) return text;
  const ascii = asciiOf(text);
  if (ascii.startsWith('[')) return ascii;
  const host = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  return host.length <= 253 && LABELS.test(host) ? host : undefined;
}

/** Empty for what is more than a host: the parser of URLs would leave that out, or read it. It is the browser's, too. */
function asciiOf(text: string): string {
  const isMore = /[%/?#@\\\s]/.test(text) || (text.includes(':') && !/^\[[^\]]*\]$/.test(text));
  return isMore ? '' : (URL.parse(`ws://${text}/`)?.hostname ?? '');
}

function refuse(problem: AgentUrlProblem): ParsedAgentUrl {
  return { ok: false, problem };
}

function authorityOf(text: string): string {
  return /^[^:]+:\/\/([^/?#]*)/.exec(text)?.[1] ?? '';
}

/** Unreserved characters bare, everything that RFC 3986 does not allow in a path or query escaped. */
function normalEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}|[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gi, (found) => {
    if (found.length === 1) return encodeURIComponent(found);
    const char = String.fromCharCode(Number.parseInt(found.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(char) ? char : found.toUpperCase();
  });
}
