import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../base/asked-thread.ts';
import { defined } from '../base/json.ts';
import type { Config } from '../config.ts';
import { checkBytes, checkDomain, type FileCheck } from '../discovery/check-file.ts';
import { type FileQuestion, type FileReport, reportOf } from '../discovery/file-checks.ts';
import { limitSites } from '../discovery/limited-sites.ts';
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

/** What comes of them. */
export type CheckOutcome = FileReport | LabResult | AgentProducts | TokenAnswer;

/** Behind the loop, which everybody waits for. Linux alone gives a thread a priority of its own. */
const NICE = 5;
const MIB = 1024 * 1024;
/** For the file of the domain itself. */
const VISIT_MS = 8_000;
/** For all sites that are asked for one check. */
const CHECK_MS = 20_000;
/** For an exam with its keys: less than what ends the thread, with all that others have asked it. */
const EXAM_MS = 40_000;
/** A file that others lead to is taken as read for so long: whoever mends it wants to see it. */
const FRESH_MS = 60_000;
const LIMITS = { clock: systemClock, perMinute: 10, maxBytes: 5 * MIB };

if (process.platform === 'linux') setPriority(NICE);
const { config, network } = workerData as CheckWorkerData;
const fetcher = limitSites(composeFetcher(config, network, systemClock), LIMITS);
const bounds = fileBounds(config, network.domains);
const EXAMS = {
  ...{ fetcher, clock: systemClock },
  directory: composeKeyDirectory(fetcher, systemClock),
};
// this is the thread beside the loop: what is large is read here
const shared = createSharedFiles(
  () => systemClock.now(),
  { read: async ({ kind, body, bounds: most }) => readBytes(kind, body, most) },
  FRESH_MS,
);

answerQuestions(answerTo);

async function answerTo(question: CheckQuestion): Promise<CheckOutcome> {
  if ('examine' in question)
    return gradedExam(question.examine, { ...EXAMS, late: AbortSignal.timeout(EXAM_MS) });
  if ('products' in question) return askProducts(question.products, fetcher, systemClock);
  if ('exchange' in question) return exchangeToken(question.exchange, fetcher, systemClock);
  return reportOf(await check(question), question);
}

async function check({ kind, domain, text }: FileQuestion): Promise<FileCheck> {
  const now = systemClock.now();
  if (text !== undefined) {
    const publisher = domain === undefined ? {} : { domain, bounds: bounds(domain) };
    return checkBytes(Buffer.from(text), { ...defined({ kind }), now, ...publisher });
  }
  const signal = AbortSignal.timeout(CHECK_MS);
  return checkDomain({
    ...{ domain: domain ?? '', kind: kind ?? 'adagents', fetcher, bounds, shared, now },
    ...{ deadlineMs: VISIT_MS, signal },
  });
}
