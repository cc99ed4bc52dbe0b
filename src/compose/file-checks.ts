import { setTimeout as wait } from 'node:timers/promises';
import { AskedThread, ThreadEnded } from '../base/asked-thread.ts';
import type { Config } from '../config.ts';
import { CheckRefused, type FileChecks, type FileReport } from '../discovery/file-checks.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { AgentExams, AgentProducts, LabResult } from '../domain/lab-report.ts';
import type { TokenAnswer, TokenExchange } from '../owners/token-exchange.ts';
import { DomainClaims } from '../pipeline/domain-claims.ts';
import type { Clock } from '../ports/clock.ts';
import type { Politeness } from '../ports/politeness.ts';
import { holderName } from '../this-process.ts';
import type { CheckOutcome, CheckQuestion, CheckWorkerData } from './check-worker.ts';
import type { Network } from './network.ts';

interface FileCheckParts {
  readonly config: Config;
  readonly network: Network;
  readonly politeness: Politeness;
  readonly clock: Clock;
  readonly onFault: (error: unknown) => void;
}

/** What the thread may take. Its buffers are outside the heap. */
const HEAP_MIB = 384;
/** A check that takes longer ends the thread, with all that it was at. */
const CEILING_MS = 45_000;
const IDLE_MS = 30_000;
/** How long is waited for another process that visits the same site. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 1_000;

/**
 * Checks files, examines agents and asks token endpoints, on a thread of its own, which has its own way to the network: the same guard that a crawl has. So a
 * hostile file costs neither the loop nor the memory of the process that serves.
 */
export function composeFileChecks({
  config,
  network,
  ...parts
}: FileCheckParts): FileChecks & AgentExams & { readonly exchange: TokenExchange } {
  const { contact, maxAgentsPerFile, maxDomainsPerFile } = config;
  const made: CheckWorkerData = { config: { contact, maxAgentsPerFile, maxDomainsPerFile }, network };
  const claims = new DomainClaims({ ...parts, holder: holderName(), pauseMs: PAUSE_MS });
  let thread: AskedThread<CheckQuestion, CheckOutcome> | undefined;
  let isClosed = false;

  async function ask<Report extends CheckOutcome>(question: CheckQuestion): Promise<Report> {
    if (isClosed) throw new CheckRefused('closed');
    if (thread === undefined || thread.hasEnded) thread = checkThread(made);
    return thread.ask(question).catch(refused) as Promise<Report>;
  }

  /** One process at a time visits a site. */
  async function claim(site: string): Promise<void> {
    const until = parts.clock.now() + PATIENCE_MS;
    while (!(await claims.claim(new Set([site]), CEILING_MS)).has(site)) {
      if (isClosed || parts.clock.now() >= until) throw new CheckRefused('visited_now');
      await wait(PAUSE_MS / 2);
    }
  }

  async function inTurn<T>(host: string, work: () => Promise<T>): Promise<T> {
    const site = registrableDomain(host);
    await claim(site);
    try {
      return await work();
    } finally {
      claims.leave(site, true);
    }
  }

  return {
    async check(question) {
      const { domain, text } = question;
      if (domain === undefined || text !== undefined) return ask<FileReport>(question);
      return inTurn(domain, () => ask<FileReport>(question));
    },
    examine: (url) => inTurn(new URL(url).hostname, () => ask<LabResult>({ examine: url })),
    products: (url) => inTurn(new URL(url).hostname, () => ask<AgentProducts>({ products: url })),
    exchange(client) {
      const { hostname } = new URL(client.token_endpoint);
      return inTurn(hostname, () => ask<TokenAnswer>({ exchange: client })).catch(notAsked);
    },
    async close() {
      isClosed = true;
      await thread?.end(new ThreadEnded(false));
      await claims.flush();
    },
  };
}

/** Somebody else visits the site, or this process ends. */
function notAsked(error: unknown): TokenAnswer {
  if (!(error instanceof CheckRefused)) throw error;
  return { failure: { kind: 'network', message: 'the site is being visited; try again in a few seconds' } };
}

function checkThread(workerData: CheckWorkerData): AskedThread<CheckQuestion, CheckOutcome> {
  return new AskedThread({
    file: new URL('./check-worker.ts', import.meta.url),
    name: 'checks of files',
    workerData,
    limits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: 32 },
    ceilingMs: CEILING_MS,
    idleMs: IDLE_MS,
  });
}

/** Of several checks nobody can say which one was too costly. */
function refused(error: unknown): never {
  if (error instanceof ThreadEnded) throw new CheckRefused(error.isTooCostly ? 'too_costly' : 'closed');
  throw error;
}
