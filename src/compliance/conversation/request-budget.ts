import { CallFailure } from '../../calling/failure.ts';
import { MAX_PAGES } from '../../calling/limits.ts';
import type { GuardedFetch } from '../../ports/fetcher.ts';

/** Counts what is sent to one agent, and ends what is too much. */
export interface RequestBudget {
  /** Sent so far. */
  readonly used: number;
  /** The run's budget was asked for more than it has. */
  readonly spent: boolean;
  /** A new step begins: it has its own small budget, and a larger one where a list of many pages is read in it. */
  beginStep(reads?: 'lists'): void;
  /** Adds some: what a run made is ended even when its requests are used up. */
  reserve(requests: number): void;
  around(fetch: GuardedFetch): GuardedFetch;
}

/** An agent that makes its client ask on and on inside one call loses the call; pings, cursors, redirects. */
const STEP_REQUESTS = 20;
const LIST_REQUESTS = STEP_REQUESTS + MAX_PAGES;

export function createRequestBudget(requests: number): RequestBudget {
  let most = requests;
  let used = 0;
  let inStep = 0;
  let mostInStep = STEP_REQUESTS;
  let spent = false;
  return {
    get used() {
      return used;
    },
    get spent() {
      return spent;
    },
    beginStep(reads) {
      mostInStep = reads === 'lists' ? LIST_REQUESTS : STEP_REQUESTS;
      inStep = 0;
    },
    reserve(more) {
      most += more;
    },
    around(fetch) {
      return async (input, init) => {
        if (used >= most) {
          spent = true;
          throw new CallFailure('too_large', `the run has no more than ${most} requests for one agent`);
        }
        if (inStep >= mostInStep)
          throw new CallFailure('too_large', `more than ${mostInStep} requests for one call`);
        used += 1;
        inStep += 1;
        return fetch(input, init);
      };
    },
  };
}
