import { setTimeout as wait } from 'node:timers/promises';
import { AskedThread, ThreadEnded } from '../base/asked-thread.ts';
import type { Config } from '../config.ts';
import { CheckRefused, type FileChecks, type FileReport } from '../discovery/file-checks.ts';
import { registrableDomain } from '../domain/domain-name.ts';
import type { AgentExams, AgentProducts, LabResult } from '../domain/lab-report.ts';
import type { TokenAnswer, TokenExchange } from '../owners/token-exchange.ts';
import type { Clock } from '../ports/clock.ts';
import type { Politeness } from '../records/sources/politeness.ts';
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
/** How long is waited for the turn of a site. */
const PATIENCE_MS = 8_000;
/** Nobody visits a site for so long after a visit. */
const PAUSE_MS = 1_000;
/** Between two looks whether the turn of a site is free, or wanted by a visit of the registry itself. */
const LOOK_MS = 500;

/**
 * Checks files, examines agents and asks token endpoints, on a thread of its own, which has its own way to the network: the same guard that a crawl has. So a
 * hostile file costs neither the loop nor the memory of the process that serves.
 */
export function composeFileChecks({
  config,
  network,
  politeness,
  clock,
  onFault,
}: FileCheckParts): FileChecks & AgentExams & { readonly exchange: TokenExchange } {
  const { contact, maxAgentsPerFile, maxDomainsPerFile } = config;
  const made: CheckWorkerData = { config: { contact, maxAgentsPerFile, maxDomainsPerFile }, network };
  let turns = 0;
  let thread: AskedThread<CheckQuestion, CheckOutcome> | undefined;
  let isClosed = false;

  async function ask<Report extends CheckOutcome>(
    question: CheckQuestion,
    signal?: AbortSignal,
  ): Promise<Report> {
    if (isClosed) throw new CheckRefused('closed');
    if (thread === undefined || thread.hasEnded) thread = checkThread(made);
    const outcome = await thread.ask(question, signal).catch(refused);
    if ('busyMs' in outcome) throw new CheckRefused('busy', outcome.busyMs);
    return outcome as Report;
  }

  /** Of several checks nobody can say which one was too costly. */
  function refused(error: unknown): never {
    if (!(error instanceof ThreadEnded)) throw error;
    if (isClosed) throw new CheckRefused('closed');
    throw new CheckRefused(error.isTooCostly ? 'too_costly' : 'busy');
  }

  /** Takes the turn of a site for one piece of work, among all processes. */
  async function takeTurn(site: string, holder: string): Promise<void> {
    const until = clock.now() + PATIENCE_MS;
    const mine = [site];
    while (!(await politeness.claim(mine, holder, clock.now(), CEILING_MS, { yields: true })).has(site)) {
      if (isClosed) throw new CheckRefused('closed');
      if (clock.now() >= until) throw new CheckRefused('visited_now');
      await wait(LOOK_MS);
    }
  }

  /** Does work within the turn of a site. It is stopped as soon as a visit of the registry itself waits for the turn. */
  async function inTurn<T>(host: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const site = registrableDomain(host);
    turns += 1;
    const holder = `${holderName()} check ${turns}`;
    await takeTurn(site, holder);
    const yielding = new AbortController();
    const looking = setInterval(() => {
      politeness.isWanted(site, clock.now()).then((isWanted) => isWanted && yielding.abort(), onFault);
    }, LOOK_MS);
    try {
      const outcome = await work(yielding.signal);
      yielding.signal.throwIfAborted(); // what it saw was cut off
      return outcome;
    } catch (error) {
      throw yielding.signal.aborted ? new CheckRefused('visited_now') : error;
    } finally {
      clearInterval(looking);
      await politeness.release([site], holder, clock.now() + PAUSE_MS).catch(onFault);
    }
  }

  return {
    async check(question) {
      const { domain, text } = question;
      if (domain === undefined || text !== undefined) return ask<FileReport>(question);
      return inTurn(domain, (signal) => ask<FileReport>(question, signal));
    },
    examine: (url) => inTurn(new URL(url).hostname, (signal) => ask<LabResult>({ examine: url }, signal)),
    products: (url) =>
      inTurn(new URL(url).hostname, (signal) => ask<AgentProducts>({ products: url }, signal)),
    exchange: (client) =>
      inTurn(new URL(client.token_endpoint).hostname, (signal) =>
        ask<TokenAnswer>({ exchange: client }, signal),
      ),
    async close() {
      isClosed = true;
      await thread?.end(new ThreadEnded(false));
    },
  };
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
