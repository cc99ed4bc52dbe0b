import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createSecureContext } from 'node:tls';
import { crawl, openRun } from '../../pipelines/crawl.ts';
import { systemClock } from '../../src/compose/clock.ts';
import { openStore } from '../../src/compose/engines.ts';
import { composeCrawl } from '../../src/compose/visits.ts';
import { readConfig } from '../../src/config.ts';
import { createHostResolver } from '../../src/crawl/dns/host-resolver.ts';
import { systemConnector } from '../../src/crawl/fetch/connect.ts';
import { createFetcher } from '../../src/crawl/fetch/fetcher.ts';
import { createLog } from '../../src/ops/log.ts';
import { asSide } from '../support/as-side.ts';
import { cpuMs } from '../support/cpu.ts';
import { PARENT } from '../support/publishers.ts';

export interface AbusedInput {
  /** Of the web on loopback, and the authority of its certificate. */
  readonly port: number;
  /** Of the one that sends hostile files; the same by default. */
  readonly hostilePort?: number;
  readonly ca: string;
  /** The name server, `127.0.0.1:port`. */
  readonly nameServer: string;
  readonly domains: readonly string[];
  /** Domains that the file of one publisher names, leased before the others; the crawl ends when all of the others are done. */
  readonly namedByOne?: readonly string[];
  readonly store: string;
}

export interface AbusedResult {
  /** From the start to the last commit of a good domain, and of a good agent. */
  readonly goodMs: number;
  readonly agentsMs: number;
  /** What the process used until the last commit of a good domain: user and system time. */
  readonly goodCpuMs: number;
  /** Good domains both of whose files were read, and the others. */
  readonly read: number;
  readonly failed: number;
  /** Error codes of those, with their number. */
  readonly reasons: Record<string, number>;
  /** Other domains whose visit was kept. */
  readonly others: number;
  readonly longestPauseMs: number;
}

/**
 * A crawl with the settings of the program, without a mapped host: each name is looked up at the name server and its
 * address, a public one, is vetted. Only the last step differs: the socket goes to the web on loopback.
 */
await asSide(async (input: AbusedInput): Promise<AbusedResult> => {
  const { nameServer, domains, namedByOne = [], store: path } = input;
  const config = {
    ...readConfig({}),
    store: `sqlite:${path}`,
    controlUrls: [`https://control-0.${PARENT}/`],
    logLevel: 'warn' as const,
  };
  const store = await openStore(config, { create: true });
  const fetcher = createFetcher({
    clock: systemClock,
    userAgent: { product: 'agent-registry', version: 'bench', contact: new URL(config.contact) },
    robots: store.records.robots,
    resolver: createHostResolver({ clock: systemClock, servers: [nameServer] }),
    connector: connectorTo(input),
  });
  const log = createLog({ level: config.logLevel, pretty: false });
  const stop = new AbortController();
  const context = composeCrawl({ config, store, fetcher, clock: systemClock, log, signal: stop.signal });
  const seen = watch(store.records.sources, ({ read, failed }) => {
    if (namedByOne.length > 0 && read + failed === domains.length) stop.abort();
  });
  const pauses = monitorEventLoopDelay({ resolution: 5 });
  pauses.enable();
  const seeds = [
    ...namedByOne.map((key) => ({ kind: 'domain', key, foundVia: `trap-0.${PARENT} brand` }) as const),
    ...domains.map((key) => ({ kind: 'domain', key, foundVia: 'operator' }) as const),
  ];
  await crawl(await openRun({ seeds, fingerprint: 'bench', maxDepth: 0 }, context));
  await fetcher.close();
  await store.close();
  return { ...seen, longestPauseMs: pauses.max / 1e6 };
});

function connectorTo({ port: others, hostilePort = others, ca }: AbusedInput): typeof systemConnector {
  const secureContext = createSecureContext({ ca });
  return ({ address, tls }) => {
    const port = tls?.hostname.startsWith('hostile-') ? hostilePort : others;
    const dial = { address: '127.0.0.1', port };
    const socket = systemConnector(tls === undefined ? dial : { ...dial, tls: { ...tls, secureContext } });
    return Object.defineProperty(socket, 'remoteAddress', { value: address });
  };
}

type Sources = Awaited<ReturnType<typeof openStore>>['records']['sources'];

/** Notes what is committed of good domains and agents. */
function watch(
  sources: Sources,
  onGood: (seen: Pick<AbusedResult, 'read' | 'failed'>) => void,
): Omit<AbusedResult, 'longestPauseMs'> {
  const startedAt = performance.now();
  const cpuBefore = cpuMs();
  const reasons: Record<string, number> = {};
  const seen = { goodMs: 0, agentsMs: 0, goodCpuMs: 0, read: 0, failed: 0, reasons, others: 0 };
  const { commitDomainVisit, commitProbe } = sources;
  sources.commitDomainVisit = async (visit) => {
    const committed = await commitDomainVisit(visit);
    if (!visit.domain.startsWith('good-')) {
      seen.others += 1;
      return committed;
    }
    seen.goodMs = performance.now() - startedAt;
    seen.goodCpuMs = cpuMs() - cpuBefore;
    if (visit.files.every(({ outcome }) => outcome === 'indexed')) seen.read += 1;
    else {
      seen.failed += 1;
      for (const { error } of visit.files)
        if (error !== undefined) reasons[error.code] = (reasons[error.code] ?? 0) + 1;
    }
    onGood(seen);
    return committed;
  };
  sources.commitProbe = async (visit) => {
    const committed = await commitProbe(visit);
    if (visit.lease.key.startsWith('https://agent-')) seen.agentsMs = performance.now() - startedAt;
    return committed;
  };
  return seen;
}
