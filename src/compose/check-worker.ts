import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../base/asked-thread.ts';
import { defined } from '../base/json.ts';
import { BUDGETS } from '../budgets/table.ts';
import type { Config } from '../config.ts';
import { checkBytes, checkDomain, type FileCheck } from '../discovery/check-file.ts';
import { type FileQuestion, type FileReport, reportOf } from '../discovery/file-checks.ts';
import { limitSites, SiteBusy } from '../discovery/limited-sites.ts';
import { createSharedFiles, readBytes } from '../discovery/shared-files.ts';
import type { AgentProducts, LabResult } from '../domain/lab-report.ts';
import type { OAuthClient } from '../owners/oauth-client.ts';
import { exchangeToken, type TokenAnswer } from '../owners/token-exchange.ts';
import { askProducts } from '../probe/products.ts';
import { systemClock } from './clock.ts';
import { gradedExam } from './exam.ts';
import { composeFetcher, fileBounds, type Network } from './network.ts';
import { composeKeyDirectory } from './signature-keys.ts';

/** What the thread is made of. */
export interface CheckWorkerData {
  readonly config: Pick<Config, 'contact' | 'maxAgentsPerFile' | 'maxDomainsPerFile'>;
  readonly network: Network;
}

/** A file to be checked; or an agent's URL, for the lab or for its products; or an OAuth client that wants a token. */
export type CheckQuestion =
  | FileQuestion
  | { readonly examine: string }
  | { readonly products: string }
  | { readonly exchange: OAuthClient };

/** What comes of them; `busyMs`: nothing for so long, as callers ask for too much. */
export type CheckOutcome = FileReport | LabResult | AgentProducts | TokenAnswer | { readonly busyMs: number };

/** Behind the loop, which everybody waits for. Linux alone gives a thread a priority of its own. */
const NICE = 5;
const MIB = 1024 * 1024;
/** For the file of the domain itself. */
const VISIT_MS = 8_000;
/** For all sites that are asked for one check. */
const CHECK_MS = 20_000;
/** For an exam with its keys: less than what ends the thread, with all that others have asked it. */
const EXAM_MS = 40_000;
/** Cache lifetime of referred files, short so that authors see their fixes. */
const FRESH_MS = 60_000;
/** When to ask again after a visit that was ended for others. */
const BUSY_MS = 5_000;
/** When files of others were read for so long in all, an answer may have been there in time and have waited for us. */
const HELD_MS = 3_000;
const LIMITS = { perMinute: BUDGETS.referredFiles.perSite, maxBytes: 5 * MIB };

if (process.platform === 'linux') setPriority(NICE);
const { config, network } = workerData as CheckWorkerData;
const fetcher = composeFetcher(config, network, systemClock);
const limitedTo = limitSites(fetcher, LIMITS);
const bounds = fileBounds(config, network.domains);
// this is the thread beside the loop: what is large is read here
const shared = createSharedFiles(
  () => systemClock.now(),
  { read: async ({ kind, body, bounds: most }) => readBytes(kind, body, most) },
  FRESH_MS,
);
const heldMs = watchThread();

answerQuestions(answerTo);

/** Milliseconds for which the event loop of this thread was blocked, without short blocks. */
function watchThread(): () => number {
  const [tickMs, momentMs] = [100, 50];
  let held = 0;
  let tickedAt = performance.now();
  const look = () => {
    const now = performance.now();
    const lateMs = now - tickedAt - tickMs;
    if (lateMs > momentMs) held += lateMs;
    tickedAt = now;
    return held;
  };
  setInterval(look, tickMs).unref();
  return look;
}

async function answerTo(question: CheckQuestion, signal: AbortSignal): Promise<CheckOutcome> {
  const heldBefore = heldMs();
  try {
    const outcome = await outcomeOf(question, signal);
    const mayHaveWaitedForUs = heldMs() - heldBefore > HELD_MS && dependsOnTime(question, outcome);
    return mayHaveWaitedForUs ? { busyMs: BUSY_MS } : outcome;
  } catch (error) {
    if (error instanceof SiteBusy) return { busyMs: error.waitMs };
    throw error;
  }
}

/** Whether it would be another one if we had listened all the time. */
function dependsOnTime(question: CheckQuestion, outcome: CheckOutcome): boolean {
  if ('findings' in outcome) return outcome.findings.some(({ code }) => code === 'timeout');
  return 'examine' in question || ('failure' in outcome && outcome.failure !== undefined);
}

async function outcomeOf(question: CheckQuestion, signal: AbortSignal): Promise<CheckOutcome> {
  if ('examine' in question) return examine(question.examine, signal);
  if ('products' in question)
    return askProducts(
      question.products,
      limitedTo(new URL(question.products).hostname),
      systemClock,
      signal,
    );
  if ('exchange' in question) {
    const { token_endpoint } = question.exchange;
    return exchangeToken(
      question.exchange,
      limitedTo(new URL(token_endpoint).hostname),
      systemClock,
      undefined,
      signal,
    );
  }
  const found = await check(question, signal);
  // we ended the visit ourselves, which says nothing about the file
  if (found.findings.some(({ code }) => code === 'interrupted')) return { busyMs: BUSY_MS };
  return reportOf(found, question);
}

function examine(url: string, signal: AbortSignal): Promise<LabResult> {
  const limited = limitedTo(new URL(url).hostname);
  const directory = composeKeyDirectory(limited, systemClock);
  const late = AbortSignal.any([signal, AbortSignal.timeout(EXAM_MS)]);
  return gradedExam(url, { fetcher: limited, clock: systemClock, directory, late });
}

async function check({ kind, domain, text }: FileQuestion, signal: AbortSignal): Promise<FileCheck> {
  const now = systemClock.now();
  if (domain === undefined || text !== undefined) {
    const publisher = domain === undefined ? {} : { domain, bounds: bounds(domain) };
    return checkBytes(Buffer.from(text ?? ''), { ...defined({ kind }), now, ...publisher });
  }
  return checkDomain({
    ...{ domain, kind: kind ?? 'adagents', fetcher: limitedTo(domain), bounds, shared, now },
    ...{ deadlineMs: VISIT_MS, signal: AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]) },
  });
}
