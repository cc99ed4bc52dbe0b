import { LRUCache } from 'lru-cache';
import { elapsedBy } from '../../base/elapsed.ts';
import { BudgetExceeded } from '../../budgets/budgets.ts';
import type { Clock } from '../../ports/clock.ts';
import { HttpProblem } from '../problem.ts';

/** An answer, and when it was looked for, epoch milliseconds. */
export interface SeenAt<T> {
  readonly at: number;
  readonly value: T;
}

/** A question whose answer takes a while. */
export interface Question<T> {
  /** Whoever asks the same within a minute gets the same answer; absent: the answer is for this caller alone. */
  readonly key?: string;
  answer(): Promise<T>;
  /** Whether an answer may be given to whoever asks again; any other is looked for anew. Default: each may. */
  isKept?(value: T): boolean;
  /** Called when the answer of another caller is given again. */
  onRepeated?(): void;
}

/** How long an answer is given again. */
export const FRESH_MS = 60_000;
const MAX_KEPT = 200;
/** The field's clients wait 10 s. */
const PATIENCE_MS = 9_000;
/** The `handlerTimeout` of a route that looks at a site for its caller: longer than a caller is kept waiting, milliseconds. */
export const LOOK_MS = PATIENCE_MS + 3_000;

/**
 * Gives callers who ask the same the same answer, for a minute. What takes longer than a caller waits goes on, and is the
 * answer for whoever asks again. An error is given to those who wait for it, and never kept. `what` is what takes so long,
 * as in "the files are still being checked".
 */
export function createSharedAnswers<T>(clock: Clock, what: string) {
  const kept = new LRUCache<string, SeenAt<T>>({
    ...{ max: MAX_KEPT, ttl: FRESH_MS, ttlResolution: 0 },
    perf: elapsedBy(clock),
  });
  const underWay = new Map<string, Promise<SeenAt<T>>>();

  async function look({ answer }: Question<T>): Promise<SeenAt<T>> {
    const at = clock.now();
    return { at, value: await answer() };
  }

  const mayRepeat = ({ isKept = () => true }: Question<T>, { value }: SeenAt<T>) => isKept(value);

  async function lookAndKeep(key: string, question: Question<T>): Promise<SeenAt<T>> {
    const seen = await look(question);
    if (mayRepeat(question, seen)) kept.set(key, seen);
    return seen;
  }

  async function begin(question: Question<T>): Promise<SeenAt<T>> {
    const { key, onRepeated } = question;
    if (key === undefined) return look(question);
    let isOwn = false;
    const own = () => {
      isOwn = true;
      return lookAndKeep(key, question).finally(() => underWay.delete(key));
    };
    const seen = kept.get(key) ?? (await shareWork(underWay, key, own));
    if (isOwn) return seen;
    if (!mayRepeat(question, seen)) return begin(question);
    onRepeated?.();
    return seen;
  }

  return (question: Question<T>): Promise<SeenAt<T>> =>
    inTime(begin(question), `${what}; ask again in a few seconds`);
}

/**
 * What is under way for whoever asked the same first, or what `begin` begins, which has to remove it at its end. A caller beyond
 * its budget begins nothing: its refusal is not given to others.
 */
export async function shareWork<T>(
  underWay: Map<string, Promise<T>>,
  key: string,
  begin: () => Promise<T>,
): Promise<T> {
  for (let same = underWay.get(key); same !== undefined; same = underWay.get(key)) {
    try {
      return await same;
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
    }
  }
  const own = begin();
  underWay.set(key, own);
  return own;
}

async function inTime<T>(work: Promise<T>, detail: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(unavailableFor(5, detail)), PATIENCE_MS);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The problem that says when to ask again, in seconds. */
function unavailableFor(seconds: number, detail: string): HttpProblem {
  return new HttpProblem('unavailable', detail, {}, { 'retry-after': String(seconds) });
}
