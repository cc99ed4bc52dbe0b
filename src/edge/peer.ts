import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { RegistryError } from '../errors.ts';

/** Groups of an IPv6 address: what a site is given (RFC 6177), and what a provider is given. */
const [SITE_GROUPS, PROVIDER_GROUPS] = [3, 2];

/** Whom a connection is counted for: its IPv4 address, or the /48 of its IPv6 address. */
export function peerOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (isIPv4(address)) return address; // every request is counted, and parsing takes as long as routing
  if (!ipaddr.isValid(address)) return 'unknown';
  const read = ipaddr.process(address);
  return read.kind() === 'ipv4' ? read.toString() : prefixOf(read as ipaddr.IPv6, SITE_GROUPS);
}

/** The network around an address, whose callers without a key share a ceiling: an IPv4 /16 or an IPv6 /32. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const read = ipaddr.process(address);
  if (read.kind() === 'ipv6') return prefixOf(read as ipaddr.IPv6, PROVIDER_GROUPS);
  const [first, second] = (read as ipaddr.IPv4).octets;
  return `${first}.${second}.0.0/16`;
}

function prefixOf({ parts }: ipaddr.IPv6, groups: number): string {
  const shown = parts.slice(0, groups).map((group) => group.toString(16));
  return `${shown.join(':')}::/${groups * 16}`;
}

/** Whether an address is not one of the public Internet: whoever connects from there is near, as a proxy of ours is. */
export function isNearby(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() !== 'unicast';
}

/** Proxies in a row that are looked through. */
const MAX_PROXIES = 8;

/** Says of an address whether it is among these addresses and CIDR ranges, each of them valid. */
export function trusting(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    if (proxies.length === 0 || !ipaddr.isValid(address)) return false;
    const read = ipaddr.process(address);
    return list.check(read.toString(), read.kind());
  };
}

/**
 * Says whom a request is counted for: who connected, or behind proxies of ours the nearest address that is none of them.
 * What X-Forwarded-For says beyond that is a claim of the caller's.
 */
export function callerBehind(
  proxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string {
  if (proxies.length === 0) return ({ socket }) => peerOf(socket.remoteAddress);
  const isTrusted = trusting(proxies);
  return ({ headers, socket }) => {
    let address = socket.remoteAddress ?? '';
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').slice(-MAX_PROXIES);
    while (isTrusted(address) && forwarded.length > 0) address = forwarded.pop()?.trim() || address;
    return peerOf(address);
  };
}

/** Who may say for whom it asks; a list that holds anything but addresses and ranges is refused. */
export function checkedProxies(proxies: readonly string[]): string[] | false {
  const wrong = proxies.find((proxy) => !isAddressOrRange(proxy));
  if (wrong === undefined) return proxies.length > 0 ? [...proxies] : false;
  throw new RegistryError('usage', `${wrong} is not an IP address or CIDR range`, {
    hint: 'list IP addresses or CIDR ranges, for example 192.0.2.1,2001:db8::/32',
  });
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
