import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { CheckRefused, type FileChecks, type FileReport } from '../discovery/file-checks.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { AgentExams, AgentProducts, LabResult } from '../domain/lab-report.ts';
import type { TokenAnswer, TokenExchange } from '../owners/token-exchange.ts';
import { DomainClaims } from '../pipeline/domain-claims.ts';
import type { Clock } from '../ports/clock.ts';
import type { Politeness } from '../ports/politeness.ts';
import { holderName } from '../this-process.ts';
import type {
  CheckAnswer,
  CheckOrder,
  CheckOutcome,
  CheckQuestion,
  CheckWorkerData,
} from './check-worker.ts';
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
const TOO_COSTLY = new CheckRefused('too_costly');

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
  const made = { config: { contact, maxAgentsPerFile, maxDomainsPerFile }, network };
  const claims = new DomainClaims({ ...parts, holder: holderName(), pauseMs: PAUSE_MS });
  let thread: CheckThread | undefined;
  let isClosed = false;

  async function ask<Report extends CheckOutcome>(question: CheckQuestion): Promise<Report> {
    if (isClosed) throw new CheckRefused('closed');
    if (thread === undefined || thread.hasEnded) thread = new CheckThread(made);
    return thread.ask(question);
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
      await thread?.end(new CheckRefused('closed'));
      await claims.flush();
    },
  };
}

/** Somebody else visits the site, or this process ends. */
function notAsked(error: unknown): TokenAnswer {
  if (!(error instanceof CheckRefused)) throw error;
  return { failure: { kind: 'network', message: 'the site is being visited; try again in a few seconds' } };
}

interface Pending {
  readonly resolve: (report: never) => void;
  readonly reject: (fault: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

class CheckThread {
  hasEnded = false;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  #last = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(workerData: CheckWorkerData) {
    this.#worker = new Worker(new URL('./check-worker.ts', import.meta.url), {
      name: 'checks of files',
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: 32 },
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: CheckAnswer) => this.#settle(answer));
    this.#worker.on('error', (fault: NodeJS.ErrnoException) => {
      const isTooCostly = fault.code === 'ERR_WORKER_OUT_OF_MEMORY';
      void this.end(isTooCostly ? TOO_COSTLY : fault);
    });
    this.#worker.on('exit', () => void this.end(TOO_COSTLY));
  }

  ask<Report extends CheckOutcome>(question: CheckQuestion): Promise<Report> {
    clearTimeout(this.#idle);
    this.#last += 1;
    const order: CheckOrder = { id: this.#last, question };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void this.end(TOO_COSTLY), CEILING_MS);
      this.#pending.set(order.id, { resolve, reject, timer });
      this.#worker.postMessage(order);
    });
  }

  #settle(answer: CheckAnswer): void {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    clearTimeout(pending.timer);
    this.#pending.delete(answer.id);
    if ('report' in answer) pending.resolve(answer.report as never);
    else pending.reject(answer.fault);
    if (this.#pending.size === 0)
      this.#idle = setTimeout(() => void this.end(new CheckRefused('closed')), IDLE_MS).unref();
  }

  /** Ends the thread; what is not answered is rejected. Of several checks nobody can say which one was too costly. */
  async end(why: unknown): Promise<void> {
    this.hasEnded = true;
    clearTimeout(this.#idle);
    const isOneOfMany = why === TOO_COSTLY && this.#pending.size > 1;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(isOneOfMany ? new CheckRefused('closed') : why);
    }
    this.#pending.clear();
    await this.#worker.terminate();
  }
}
