import { parseAgentUrl } from '../../domain/agent-url.ts';

/** ARD v0.91, Appendix C, with the bound of an agent's URL. */
const IDENTIFIER = /^urn:air:([a-zA-Z0-9.-]{1,253})(?::([a-zA-Z0-9._:-]{1,300}))?:([a-zA-Z0-9._-]{1,6000})$/;

/** `agent` for https at its port; else with the scheme or the port, as in `agent-http-8080`. */
const NAMESPACE = /^agent(-http)?(?:-(\d{1,5}))?$/;

/**
 * The ARD identifier of an agent: its host is the publisher, its path the name, with escapes such as `_2F`. It contains the whole
 * URL, so that no table of names is needed. Undefined for an IPv6 address, which cannot be a publisher.
 */
export function identifierOfAgent(agent: string): string | undefined {
  const { protocol, hostname, port, origin } = new URL(agent);
  const scheme = protocol === 'https:' ? '' : '-http';
  const namespace = `agent${scheme}${port === '' ? '' : `-${port}`}`;
  const identifier = `urn:air:${hostname}:${namespace}:${escaped(agent.slice(origin.length + 1)) || '_'}`;
  return IDENTIFIER.test(identifier) ? identifier : undefined;
}

/** Whether a text has the form of an identifier, also of another registry. */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

/** The agent with this identifier; undefined for an identifier that is not written exactly as we write it. */
export function agentOfIdentifier(identifier: string): string | undefined {
  const [, host, namespace = '', name = ''] = IDENTIFIER.exec(identifier) ?? [];
  const [isOurs, scheme, port] = NAMESPACE.exec(namespace) ?? [];
  const path = unescaped(name === '_' ? '' : name);
  if (host === undefined || isOurs === undefined || path === undefined) return undefined;
  const address = `${scheme === undefined ? 'https' : 'http'}://${host}${port === undefined ? '' : `:${port}`}/${path}`;
  const parsed = parseAgentUrl(address);
  return parsed.ok && identifierOfAgent(parsed.url) === identifier ? parsed.url : undefined;
}

function escaped(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const one = String.fromCharCode(byte);
      return /[A-Za-z0-9.-]/.test(one) ? one : `_${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

function unescaped(name: string): string | undefined {
  if (/_(?![0-9A-F]{2})/.test(name)) return undefined;
  const bytes = name.replaceAll('_', '%');
  try {
    return decodeURIComponent(bytes);
  } catch {
    return undefined;
  }
}
