import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { judgeAddress, judgeHost } from '../../../src/crawl/fetch/address.ts';

/**
 * IANA's special-purpose address registries (RFC 6890), entry by entry, as of 2025-10, with the blocks of multicast and
 * those that are reserved. Entries that are marked as globally reachable are refused, too: no site lives there.
 */
const IPV4 = [
  ['0.0.0.0/8', 'this network'],
  ['0.0.0.0/32', 'this host on this network'],
  ['10.0.0.0/8', 'private use'],
  ['100.64.0.0/10', 'shared address space'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link local'],
  ['172.16.0.0/12', 'private use'],
  ['192.0.0.0/24', 'protocol assignments'],
  ['192.0.0.0/29', 'service continuity prefix'],
  ['192.0.0.8/32', 'dummy address'],
  ['192.0.0.9/32', 'port control anycast'],
  ['192.0.0.10/32', 'traversal using relays anycast'],
  ['192.0.0.170/31', 'nat64 and dns64 discovery'],
  ['192.0.2.0/24', 'documentation 1'],
  ['192.31.196.0/24', 'as112'],
  ['192.52.193.0/24', 'automatic multicast tunnelling'],
  ['192.88.99.0/24', '6to4 relay anycast'],
  ['192.168.0.0/16', 'private use'],
  ['192.175.48.0/24', 'direct delegation as112'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation 2'],
  ['203.0.113.0/24', 'documentation 3'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['255.255.255.255/32', 'limited broadcast'],
] as const;

const IPV6 = [
  ['::1/128', 'loopback'],
  ['::/128', 'unspecified'],
  ['::/96', 'ipv4-compatible'],
  ['::ffff:0:0/96', 'ipv4-mapped'],
  ['::ffff:0:0:0/96', 'ipv4-translated'],
  ['64:ff9b::/96', 'translation (nat64)'],
  ['64:ff9b:1::/48', 'local translation (nat64)'],
  ['100::/64', 'discard only'],
  ['100:0:0:1::/64', 'dummy prefix'],
  ['2001::/23', 'protocol assignments'],
  ['2001::/32', 'teredo'],
  ['2001:1::1/128', 'port control anycast'],
  ['2001:1::2/128', 'traversal using relays anycast'],
  ['2001:1::3/128', 'service registration anycast'],
  ['2001:2::/48', 'benchmarking'],
  ['2001:3::/32', 'automatic multicast tunnelling'],
  ['2001:4:112::/48', 'as112'],
  ['2001:10::/28', 'orchid'],
  ['2001:20::/28', 'orchid 2'],
  ['2001:30::/28', 'drone remote id'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['2620:4f:8000::/48', 'direct delegation as112'],
  ['2d00::/8', 'reserved by iana'],
  ['2e00::/7', 'reserved by iana'],
  ['3000::/4', 'reserved by iana'],
  ['3ffe::/16', 'the 6bone of old'],
  ['3fff::/20', 'documentation'],
  ['5f00::/16', 'segment routing'],
  ['fc00::/7', 'unique local'],
  ['fe80::/10', 'link local'],
  ['fec0::/10', 'site local'],
  ['ff00::/8', 'multicast'],
] as const;

/** The first address of a block, one inside it, and its last one. */
function samples(cidr: string): readonly string[] {
  const [base, bits] = ipaddr.parseCIDR(cidr);
  const bytes = base.toByteArray();
  const filled = (fill: number) =>
    ipaddr.fromByteArray(
      bytes.map((byte, at) => {
        const free = Math.min(8, Math.max(0, at * 8 + 8 - bits));
        return byte | (fill & ((1 << free) - 1));
      }),
    );
  return [0, 0x5a, 0xff].map((fill) => filled(fill).toString());
}

describe.each([...IPV4, ...IPV6])('%s, %s', (cidr) => {
  it.each(samples(cidr))('%s is refused', (address) => {
    expect(judgeAddress(address)).toMatchObject({ ok: false });
  });
});

describe('a host that needs no look-up', () => {
  it.each(['localhost', 'LOCALHOST', 'localhost.', 'api.localhost', '10.0.0.1', '::1'])(
    '%s is refused',
    (host) => {
      expect(judgeHost(host)).toMatchObject({ ok: false });
    },
  );

  it('may be a public address', () => {
    expect(judgeHost('8.8.8.8')).toEqual({ ok: true });
  });

  it.each(['news.example', 'localhost.example', 'mylocalhost'])('%s is a name for the look-up', (host) => {
    expect(judgeHost(host)).toBeUndefined();
  });
});
