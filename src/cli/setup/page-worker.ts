import { setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { packedNow } from '../../api/answers.ts';
import { cursorSecretOf } from '../../api/operations/list-agents.ts';
import { readPageParts } from '../../api/pages/html-pages.ts';
import type { Elsewhere, MadePage } from '../../api/pages/made-page.ts';
import { type MakePage, makePageOf, type PageOrder } from '../../api/pages/page-makers.ts';
import { HttpProblem } from '../../api/problem.ts';
import { answerQuestions } from '../../base/asked-thread.ts';
import type { TierTable } from '../../compliance/badges/conditions.ts';
import { openStore } from '../../compose/engines.ts';
import type { Config } from '../../config.ts';
import { RegistryError } from '../../errors.ts';
import { VERSION } from '../../version.ts';
import { READ } from './store.ts';

/** What the thread is made of. */
export interface PageWorkerData {
  readonly config: Config;
  /** What memberships are called; absent: the usual ones. */
  readonly tiers?: TierTable;
  /** The public address without a trailing slash; absent: links are relative. */
  readonly baseUrl?: string;
}

/** What comes of an order. An error loses its class on its way between threads, so its parts go. */
export type PageAnswer =
  | { readonly made: Elsewhere }
  | { readonly made: Omit<MadePage, 'body'>; readonly body: Uint8Array; readonly packed?: Uint8Array }
  | { readonly problem: ConstructorParameters<typeof HttpProblem> }
  | { readonly fault: ConstructorParameters<typeof RegistryError> };

/**
 * Behind the loop, which programs wait for: beside 400 pages a second they wait twice as long as without any, and three times
 * as long when it is half of this. Linux alone gives a thread a priority of its own.
 */
const NICE = 10;
/** Between two looks at the file of the records, which may have been replaced, milliseconds. */
const LOOK_MS = 1_000;

if (process.platform === 'linux') setPriority(NICE);
const { config, tiers, ...face } = workerData as PageWorkerData;
const { site } = readPageParts({ ...face, version: VERSION });
let opening: Promise<MakePage> | undefined;

answerQuestions(async (order: PageOrder): Promise<PageAnswer> => {
  try {
    opening ??= open();
    const make = await opening.catch((error: unknown) => {
      opening = undefined; // the next order tries again
      throw error;
    });
    return packedFor(order, await make(order));
  } catch (error) {
    return answerOf(error);
  }
});

/** Here nobody waits for the packing but who asked; on the loop each would leave memory that all wait for to be collected. */
function packedFor({ encoding }: PageOrder, made: MadePage | Elsewhere): PageAnswer {
  if (!('body' in made)) return { made };
  const { body, ...page } = made;
  const packed = encoding && packedNow(body, encoding);
  return { made: page, body: ofItsOwn(body), ...(packed && { packed: ofItsOwn(packed) }) };
}

/** Bytes that share no memory with others: all of it would be copied for the loop. */
function ofItsOwn(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes);
}

/** The records and the index of this thread, for reading. */
async function open(): Promise<MakePage> {
  const { records, index } = await openStore(config, READ);
  const { clock } = records;
  const cursorSecret = await cursorSecretOf(records);
  const { complianceTarget } = config;
  const parts = { records, index, clock, cursorSecret, complianceTarget, site };
  const make = makePageOf({ ...parts, ...(tiers && { tiers }) });
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async (order) => {
    if (performance.now() - lookedAt > LOOK_MS) await records.check();
    lookedAt = performance.now();
    return make(order);
  };
}

function answerOf(error: unknown): PageAnswer {
  if (error instanceof HttpProblem)
    return { problem: [error.code, error.message, error.details, error.headers] };
  if (!(error instanceof RegistryError)) throw error;
  const { code, message, hint, retryable } = error;
  return { fault: [code, message, { retryable, ...(hint !== undefined && { hint }) }] };
}
