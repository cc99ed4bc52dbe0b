import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Of an IPv6 address: what one customer of a provider has at least. */
const NETWORK_GROUPS = 4;

/** Whom a connection is counted for: its IPv4 address, or the /64 of its IPv6 address. */
export function peerOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown';
  const read = ipaddr.process(address);
  if (read.kind() === 'ipv4') return read.toString();
  const network = (read as ipaddr.IPv6).parts.slice(0, NETWORK_GROUPS);
  return `${network.map((group) => group.toString(16)).join(':')}::/64`;
}

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
