import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { BlockList, isIPv4 } from 'node:net';
import { join } from 'node:path';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { judgeAddress } from '../../src/crawl/fetch/address.ts';
import { ROOT, readComposeFile } from './support/compose-file.ts';
import { programOnPath } from './support/on-path.ts';
import { UNITS } from './support/unit-files.ts';

const UNIT_RULE = readFileSync(join(UNITS, 'agent-registry-.service.d/egress.conf'), 'utf8');
const BRIDGE_RULE = readFileSync(join(ROOT, 'deploy/compose/egress.nft'), 'utf8');

const denied = [...UNIT_RULE.matchAll(/^IPAddressDeny=(.+)$/gm)].flatMap(([, words = '']) =>
  words.split(' '),
);
const dropped = [...BRIDGE_RULE.matchAll(/set forbidden\d \{[^=]+= \{([^}]+)\}/g)].flatMap(([, words = '']) =>
  words.split(/[\s,]+/).filter((word) => word !== ''),
);

/** The forbidden ranges of a rule, `address/bits` each. */
const rules: readonly [string, readonly string[]][] = [
  ['the units', denied],
  ['the bridge of the workers', dropped.map((word) => (word.includes('/') ? word : `${word}/32`))],
];

/** Addresses of both families all over the place, with what the program says of each. */
const SAMPLES = [
  ...Array.from({ length: 65_536 }, (_, at) => `${at >> 8}.${at & 255}.0.1`),
  ...Array.from({ length: 8_192 }, (_, at) => ipaddr.parse(`${(at * 8).toString(16)}::1`).toString()),
  ...Array.from({ length: 4_096 }, (_, at) => ipaddr.parse(`2001:${(at * 16).toString(16)}::1`).toString()),
].map((address) => [address, judgeAddress(address).ok] as const);

describe.each(rules)('the egress rule of %s', (_where, ranges) => {
  // one for each family: a list of both judges an IPv4 address by the ranges of IPv6, too
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    lists[familyOf(address)].addSubnet(address, Number(bits), familyOf(address));
  }
  const isForbidden = (address: string) => lists[familyOf(address)].check(address, familyOf(address));

  it('lets nothing through that the program refuses, and refuses nothing that it calls', () => {
    expect(ranges.length).toBeGreaterThan(20);
    const edges = ranges.flatMap((range) => {
      const [first, bits] = ipaddr.parseCIDR(range);
      const last = first.kind() === 'ipv4' ? ipaddr.IPv4.broadcastAddressFromCIDR(range) : first;
      return bits === 0 ? [] : [first.toString(), last.toString()];
    });
    const all = [...SAMPLES, ...edges.map((address) => [address, judgeAddress(address).ok] as const)];
    const differs = all.filter(([address, ok]) => isForbidden(address) === ok);
    expect(differs.slice(0, 9)).toEqual([]);
  });

  it.each([
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '10.0.0.1',
    '::ffff:10.0.0.1',
  ])('covers %s', (address) => {
    expect(isForbidden(address)).toBe(true);
  });
});

it('the units may reach nothing of it but their own machine', () => {
  const allowed = [...UNIT_RULE.matchAll(/^IPAddressAllow=(.+)$/gm)].map(([, words]) => words);
  expect(allowed).toEqual(['127.0.0.0/8 ::1/128']);
});

const nft = process.getuid?.() === 0 ? programOnPath('nft') : undefined;
it.skipIf(nft === undefined)('the rule of the bridge is accepted by nft, and replaces itself', () => {
  const file = join(ROOT, 'deploy/compose/egress.nft');
  const check = () => execFileSync(nft ?? '', ['--check', '--file', file, '--file', file], { stdio: 'pipe' });
  expect(check).not.toThrow();
});

it('the bridge of the rule is that of the only network with a way out', () => {
  const { networks } = readComposeFile();
  const open = Object.values(networks).filter((network) => network?.internal !== true);
  const names = open.map((network) => network?.driver_opts?.['com.docker.network.bridge.name']);
  const ruled = new Set([...BRIDGE_RULE.matchAll(/iifname "([^"]+)"/g)].map(([, name]) => name));
  expect(names).toEqual([...ruled]);
});

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
