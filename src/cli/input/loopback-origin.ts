import { isIP } from 'node:net';

/**
 * The origin of a URL that the user typed and that is on this machine, which is where agent builders start; undefined
 * for any other. Only literal loopback addresses and `localhost` count: a name that resolves to one does not.
 */
export function loopbackOrigin(typed: string): string | undefined {
  if (!URL.canParse(typed)) return undefined;
  const { origin, hostname } = new URL(typed);
  const address = hostname.replace(/^\[|\]$/g, '');
  const loopback =
    hostname === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
  return loopback ? origin : undefined;
}
