import ipaddr from 'ipaddr.js';

/** Of an IPv6 address: what one customer of a provider has at least. */
const NETWORK_GROUPS = 4;

/** Whom a connection is counted for: its IPv4 address, or the /64 of its IPv6 address. */
export function peerOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const read = ipaddr.process(address);
  if (read.kind() === 'ipv4') return read.toString();
  return `${(read as ipaddr.IPv6).parts
    .slice(0, NETWORK_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}
