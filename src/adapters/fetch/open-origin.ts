import { isIP } from 'node:net';
import { bareHost } from './url-rule.ts';

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
