import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type DnsServer, startDnsServer } from '../../test/support/dns-server.ts';
import type { AbusedInput, AbusedResult } from '../sides/crawl-abused.ts';
import { PARENT, publisherName, publisherNames } from '../support/publishers.ts';
import { withScratchStore } from '../support/scratch.ts';
import { runSide } from '../support/side.ts';
import { median } from '../support/statistics.ts';
import { printTable } from '../support/table.ts';
import { startWeb, type Web } from '../support/web.ts';
import type { AbuseOptions } from './part.ts';

/** The good ones of the disturbed crawl are done within so many times what they take undisturbed. */
const TARGET = 1.3;
/** Public, so that it is vetted like any other; no connection leads there. */
const ADDRESS = '93.184.215.14';

interface Size {
  readonly good: number;
  readonly silent: number;
  readonly drip: number;
  readonly slowAgents: number;
  readonly rounds: number;
}

/** Silent name servers, dripping hosts and slow agents in a crawl of good domains. */
export async function measure({ quick }: AbuseOptions): Promise<boolean> {
  const size = quick
    ? { good: 60, silent: 10, drip: 10, slowAgents: 5, rounds: 1 }
    : { good: 1_000, silent: 100, drip: 100, slowAgents: 50, rounds: 3 };
  const web = await startWeb({ agents: 40, slowAgents: size.slowAgents });
  const silence = await startSilence(size.silent);
  try {
    return (await compare(web, silence.nameServer, size)) || quick;
  } finally {
    silence.stop();
    await web.stop();
  }
}

/** A caching name server that knows every name but those of silent domains: their servers are asked, and never answer. */
async function startSilence(count: number) {
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = createSocket('udp4').bind(0, '127.0.0.1');
      await once(socket, 'listening');
      return socket;
    }),
  );
  const nameServer: DnsServer = await startDnsServer((name, type) => {
    const silent = /^silent-(\d+)\./.exec(name)?.[1];
    const server = silent === undefined ? undefined : sockets[Number(silent)];
    if (server === undefined)
      return { answers: type === 'A' ? [{ type: 'A', name, ttl: 60, data: ADDRESS }] : [] };
    server.send(name, (server.address() as AddressInfo).port, '127.0.0.1');
    return 'silence';
  });
  const stop = (): void => {
    nameServer.close();
    for (const socket of sockets) socket.close();
  };
  return { nameServer, stop };
}

async function compare(web: Web, { address }: DnsServer, size: Size): Promise<boolean> {
  const { good, silent, drip, slowAgents, rounds } = size;
  const bad = [
    ...Array.from({ length: silent }, (_, at) => publisherName(at, 'silent')),
    ...Array.from({ length: drip }, (_, at) => publisherName(at, 'drip')),
    `trap-0.${PARENT}`,
  ];
  const run = async (domains: readonly string[]): Promise<AbusedResult> => {
    const { port, ca } = web;
    const { result } = await withScratchStore((store) =>
      runSide<AbusedResult>('crawl-abused', {
        port,
        ca,
        nameServer: address,
        domains,
        store,
      } satisfies AbusedInput),
    );
    return result;
  };
  await run(publisherNames(good / 10)); // warms up
  const quiet: AbusedResult[] = [];
  const disturbed: AbusedResult[] = [];
  for (let round = 0; round < rounds; round += 1) {
    quiet.push(await run(publisherNames(good)));
    disturbed.push(await run(mixed(publisherNames(good), bad)));
  }
  const ratio = median(disturbed.map((one, at) => one.goodMs / (quiet[at] ?? one).goodMs));
  printTable(
    `${good} good domains beside ${silent} with silent name servers, ${drip} that drip and ${slowAgents} slow agents (n = ${rounds})`,
    [
      { ...row('undisturbed', quiet), 'of the undisturbed': '', target: '' },
      { ...row('disturbed', disturbed), 'of the undisturbed': ratio, target: `≤ ${TARGET}` },
    ],
  );
  return (
    ratio <= TARGET && [...quiet, ...disturbed].every(({ read, failed }) => read === good && failed === 0)
  );
}

/** The bad ones spread evenly, the first one first. */
function mixed(good: readonly string[], bad: readonly string[]): readonly string[] {
  const every = good.length / bad.length;
  return bad.flatMap((one, at) => [one, ...good.slice(Math.round(at * every), Math.round((at + 1) * every))]);
}

function row(crawl: string, results: readonly AbusedResult[]) {
  const of = (read: (one: AbusedResult) => number): number => median(results.map(read));
  return {
    crawl,
    'good read': of(({ read }) => read),
    'good failed': Math.max(...results.map(({ failed }) => failed)),
    why: JSON.stringify(
      results.map(({ reasons }) => reasons).find((one) => Object.keys(one).length > 0) ?? {},
    ),
    'good domains done s': of(({ goodMs }) => goodMs) / 1_000,
    'CPU s until then': of(({ goodCpuMs }) => goodCpuMs) / 1_000,
    'good agents done s': of(({ agentsMs }) => agentsMs) / 1_000,
  };
}
