import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

const GOOD: AddressVerdict = { ok: true };
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Inside the public ranges by number, but no public host. */
const EXTRA_V4 = [
  ['168.63.129.16/32', 'the wire server of a cloud'],
  ['100.100.100.200/32', 'a metadata service of a cloud'],
  ['192.80.8.124/32', 'a metadata service of a cloud'],
  ['161.26.0.0/16', 'a private service of a cloud'],
  ['166.8.0.0/14', 'a private service of a cloud'],
  ['199.36.153.0/28', 'a private service of a cloud'],
].map(([cidr = '', words = '']) => ({ range: ipaddr.IPv4.parseCIDR(cidr), words }));

const EXTRA_V6 = [
  ['2d00::/8', 'a block reserved by IANA'],
  ['2e00::/7', 'a block reserved by IANA'],
  ['3000::/4', 'a block reserved by IANA'], // 3ffe::/16 of the 6bone and 3fff::/20 for documents stand in it
  ['2001::/23', 'a protocol assignment or a Teredo tunnel'],
  ['2001:db8::/32', 'a documentation address'],
  ['2002::/16', 'a 6to4 tunnel'],
  ['2620:4f:8000::/48', 'an AS112 sink'],
].map(([cidr = '', words = '']) => ({ range: ipaddr.IPv6.parseCIDR(cidr), words }));

/** Ranges of ipaddr.js in words; any other name is printed as it is. */
const RANGE_WORDS: Readonly<Record<string, string>> = {
  private: 'a private address',
  uniqueLocal: 'a private address',
  loopback: 'a loopback address',
  linkLocal: 'a link-local address',
  unspecified: 'the unspecified address',
  carrierGradeNat: 'a carrier-grade NAT address',
  reserved: 'a reserved address',
  multicast: 'a multicast address',
  broadcast: 'the broadcast address',
};

/**
 * Whether a connection to this address is allowed: only public unicast, in IPv6 only what IANA has given out of 2000::/3
 * (RFC 4291), nothing of IANA's special-purpose registries (RFC 6890), those marked as globally reachable included, and
 * nothing that carries another address inside (mapped, NAT64, 6to4, Teredo, ISATAP), since the guard cannot see
 * where that leads.
 *
 * @param address canonical text of an IPv4 or IPv6 address, as DNS answers and URL hosts have it; no zone
 */
export function judgeAddress(address: string): AddressVerdict {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return refuse(address, 'not a plain IP address');
  return family === 4 ? judgeV4(address) : judgeV6(address);
}

/**
 * The verdict on a host that needs no look-up: an address as such, and the names of the own machine (RFC 6761, section
 * 6.3). Undefined for any other name: its addresses decide.
 *
 * @param hostname as in a WHATWG URL; IPv6 without brackets
 */
export function judgeHost(hostname: string): AddressVerdict | undefined {
  if (isIP(hostname) !== 0) return judgeAddress(hostname);
  return /(?:^|\.)localhost\.?$/i.test(hostname) ? refuse(hostname, 'a loopback name') : undefined;
}

function judgeV4(text: string): AddressVerdict {
  const address = ipaddr.IPv4.parse(text);
  const range = address.range();
  if (range !== 'unicast') return refuse(text, RANGE_WORDS[range] ?? `in the range ${range}`);
  const extra = EXTRA_V4.find((entry) => address.match(entry.range));
  return extra === undefined ? GOOD : refuse(text, extra.words);
}

function judgeV6(text: string): AddressVerdict {
  const address = ipaddr.IPv6.parse(text);
  const range = address.range();
  if (range !== 'unicast') return refuse(text, RANGE_WORDS[range] ?? `in the range ${range}`);
  if (!address.match(GLOBAL_UNICAST_V6)) return refuse(text, 'outside global unicast 2000::/3');
  const extra = EXTRA_V6.find((entry) => address.match(entry.range));
  if (extra !== undefined) return refuse(text, extra.words);
  return isIsatap(address.parts) ? refuse(text, 'an ISATAP tunnel') : GOOD;
}

/** RFC 5214, section 6.1: the interface identifier 0000:5efe or 0200:5efe before an IPv4 address. */
function isIsatap(parts: readonly number[]): boolean {
  return (parts[4] === 0 || parts[4] === 0x0200) && parts[5] === 0x5efe;
}

function refuse(address: string, what: string): AddressVerdict {
  return { ok: false, reason: `${address} is ${what}` };
}
