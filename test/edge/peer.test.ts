import { expect, it } from 'vitest';
import { callerBehind, networkOf, peerOf } from '../../src/edge/peer.ts';

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8:1:ffff::9', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  [undefined, 'unknown'],
])('a connection from %s is counted for %s', (address, peer) => {
  expect(peerOf(address)).toBe(peer);
});

it.each([
  ['192.0.2.7', '192.0.0.0/16'],
  ['::ffff:192.0.2.7', '192.0.0.0/16'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8::/32'],
  ['2001:db8:ffff::9', '2001:db8::/32'],
  [undefined, 'unknown'],
])('and one from %s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ['127.0.0.1', '192.0.2.7', '192.0.2.7'],
  ['::ffff:127.0.0.1', '192.0.2.9, 192.0.2.7', '192.0.2.7'],
  ['127.0.0.1', '192.0.2.9, 192.0.2.7 , 10.0.0.4', '192.0.2.7'],
  ['127.0.0.1', '2001:db8:1:2::3', '2001:db8:1::/48'],
  ['192.0.2.7', '192.0.2.9', '192.0.2.7'],
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '', '127.0.0.1'],
  ['127.0.0.1', 'nobody', 'unknown'],
])('a request from %s for %s is counted for %s', (remoteAddress, forwarded, caller) => {
  const callerOf = callerBehind(['127.0.0.1', '10.0.0.0/8']);
  const headers = { 'x-forwarded-for': forwarded };
  expect(callerOf({ headers, socket: { remoteAddress } } as never)).toBe(caller);
});

it('a request to a registry behind no proxy is counted for who connected, whatever it says', () => {
  const headers = { 'x-forwarded-for': '192.0.2.7' };
  for (const [remoteAddress, caller] of [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:198.51.100.4', '198.51.100.4'],
    [undefined, 'unknown'],
  ])
    expect(callerBehind([])({ headers, socket: { remoteAddress } } as never)).toBe(caller);
});
