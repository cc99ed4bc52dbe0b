import { elements, isObject, type JsonObject, member } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import type { Inconclusive, RunTrigger } from '../../domain/judged-run.ts';
import { OF_THE_NETWORK } from '../../domain/observation.ts';
import { shortText } from '../../domain/text.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WebhookListener } from '../../ports/webhook-listener.ts';
import { codeOf, saidNo } from '../checks/answers.ts';
import type {
  CallOutcome,
  Conversation,
  RequestBudget,
  Waited,
  WaitMeter,
} from '../conversation/conversation.ts';
import { hideSecrets } from '../conversation/evidence.ts';
import type { RunToken } from '../conversation/renewed-token.ts';
import { NOT_SAVED } from '../conversation/saved-run.ts';
import type { AgentUnderTest, BlockingRefusal, CreatedThing, StoryboardResult } from '../run-result.ts';
import type { StepEvidence, StepResult } from '../step-result.ts';
import { type Step, stepKey } from '../storyboard.ts';
import type { Bundle } from '../storyboards/bundle.ts';
import type { RunValues } from './context.ts';

/** What a run tells of itself while it goes on. */
export type Progress =
  | { readonly kind: 'agent'; readonly storyboards: number; readonly steps: number }
  | { readonly kind: 'storyboard'; readonly index: number; readonly id: string; readonly title: string }
  | { readonly kind: 'step'; readonly step: StepResult }
  | { readonly kind: 'result'; readonly result: StoryboardResult };

/** What a run goes by, before anything was said. */
export interface RunFacts {
  readonly bundle: Bundle;
  readonly values: RunValues;
  readonly clock: Clock;
  readonly trigger: RunTrigger | null;
  readonly target: string;
  readonly version: string;
  /** Why the bundle is not of a version that the agent declares. */
  readonly mismatch?: string;
  readonly dryRun: boolean;
  readonly afterLoss?: boolean;
  readonly only: readonly string[];
  readonly tracks: readonly string[];
  /** A token was given; a key of ours that signs opens no doors that an owner has locked. */
  readonly hasCredential: boolean;
  readonly canSign: boolean;
  /** One call, milliseconds. */
  readonly stepMs: number;
  /** Epoch milliseconds: from one to the other; later no step begins. */
  readonly beganAt: number;
  readonly endsAt: number;
  readonly signal?: AbortSignal;
  /** Of the visit: aborted when its time is over, whatever the clock says. */
  readonly visit?: AbortSignal;
  readonly budget?: Pick<RequestBudget, 'used' | 'spent' | 'reserve'>;
  /** Our own way out to the network, asked when the agent's fails; true when it works. */
  readonly control?: () => Promise<boolean>;
  readonly tell: (progress: Progress) => void;
  /** Absent where nobody is waited for, as in a replay. */
  readonly waits?: Pick<WaitMeter, 'totalMs'>;
  /** Where its webhooks come in; absent in a replay, and where the agent cannot reach us. */
  readonly listener?: WebhookListener;
  /** Absent where none was given. */
  readonly token?: Pick<RunToken, 'lost'>;
}

/** A step for which the agent took more than its share of the run's time. */
export interface LateStep extends Waited {
  readonly result: StepResult;
  readonly evidence: StepEvidence;
}

/** A thing that the run made, and how it was asked for. */
export interface CreatedEntry extends Omit<CreatedThing, 'cancelled' | 'detail'> {
  readonly task: string;
  readonly request: JsonObject;
  cancelled: CreatedThing['cancelled'];
  detail?: string;
}

/** The inside of one run: what it goes by, and what it has gathered so far. */
export interface RunState extends RunFacts {
  readonly conversation: Conversation;
  readonly tools: ReadonlySet<string>;
  /** Steps that may be called in all. */
  readonly planned: number;
  /** The latest request of each task that the agent took. */
  readonly taken: Map<string, JsonObject>;
  readonly steps: StepResult[];
  readonly storyboards: StoryboardResult[];
  readonly created: CreatedEntry[];
  readonly late: LateStep[];
  /** Why the run has to end before its end, by our own doing. */
  stop?: Inconclusive;
  /** The same by the agent's doing, with a sentence: nothing more is sent, and the run is judged. */
  exhausted?: { readonly by: 'time' | 'requests'; readonly detail: string };
  /** Refusals of an account, brand or operator. */
  readonly refusals: Omit<BlockingRefusal, 'steps_skipped'>[];
  /** A step was skipped because the agent requires what this run does not have: a credential, or a signing key. */
  wants?: 'credential' | 'signing_key';
  /** The agent has said meanwhile that it is no sandbox: nothing more is changed, and what was made is still ended. */
  withdrawn: boolean;
  /** Calls in a row without any answer. */
  silentCalls: number;
}

/** The agent as it may be treated now. */
export function effectiveAgent({ conversation: { agent }, withdrawn }: RunState): AgentUnderTest {
  return withdrawn ? { ...agent, sandbox: false } : agent;
}

/** An agent that did not answer so many calls in a row is not called any more. */
export const MAX_SILENT_CALLS = 3;

/** Ends the run; the first reason stays. */
export function stopRun(state: RunState, reason: Inconclusive['reason'], detail: string): void {
  state.stop ??= { reason, detail };
}

/** Requests that an agent may need for each step, on average: a new session and the call. */
const FAIR_REQUESTS = 3;

/** True when no further step may begin, by our own doing. Looks at the clock and the signal first. */
export function isOver(state: RunState): boolean {
  const { budget } = state;
  if (state.signal?.aborted) stopRun(state, 'interrupted', 'the run was interrupted');
  else if (state.token?.lost) state.stop ??= state.token.lost;
  else if (state.clock.now() >= state.endsAt || state.visit?.aborted) endTime(state);
  else if (budget?.spent && budget.used < state.planned * FAIR_REQUESTS)
    stopRun(state, 'request_budget', 'the run reached its request limit');
  else if (budget?.spent)
    state.exhausted ??= {
      by: 'requests',
      detail: `the agent caused all ${budget.used.toLocaleString('en-GB')} requests of the run to be used`,
    };
  return state.stop !== undefined;
}

function endTime(state: RunState): void {
  if (!usedTheTime(state)) stopRun(state, 'own_deadline', 'the run reached its time limit');
  else {
    const waited = `${inMs(state.waits?.totalMs)} of its ${inMs(state.endsAt - state.beganAt)}`;
    state.exhausted ??= { by: 'time', detail: `the run waited for the agent for ${waited}` };
  }
}

/** Whether the time of a run that is over was the agent's: it has kept us waiting for half of it or more. */
export function usedTheTime({
  waits,
  beganAt,
  endsAt,
}: Pick<RunFacts, 'waits' | 'beganAt' | 'endsAt'>): boolean {
  return waits !== undefined && waits.totalMs * 2 >= endsAt - beganAt;
}

/** What a step may take of the run's time when all of them take the same, milliseconds. */
export function shareOfTime({ beganAt, endsAt, planned }: RunState): number {
  return Math.round((endsAt - beganAt) / Math.max(planned, 1));
}

/** As in `600,000 ms`. */
export function inMs(ms = 0): string {
  return `${ms.toLocaleString('en-GB')} ms`;
}

/**
 * Whether a call came to nothing by a fault of ours: then the run is stopped, and the agent is not judged by it.
 * `cut` says that the call had less time than a step has, as the run was near its end. What of a call's time was not the
 * agent's cannot be held against it.
 */
export async function isOwnFault(
  state: RunState,
  { answer, waited }: Pick<CallOutcome, 'answer' | 'waited'>,
  cut: boolean,
): Promise<boolean> {
  if (answer.outcome !== 'failed') return false;
  const { errorClass, message } = answer.failure;
  if (message === NOT_SAVED) {
    stopRun(state, 'own_fault', NOT_SAVED);
    return true;
  }
  if (errorClass === 'timeout' && waited !== undefined && waited.waitedMs * 2 < waited.elapsedMs)
    stopRun(state, 'own_deadline', 'the test runner itself used up the time for a call');
  else if (cut && errorClass === 'timeout') endTime(state);
  if (isOver(state)) return true;
  const doubtful = OF_THE_NETWORK.includes(errorClass) && answer.status === undefined;
  if (!doubtful || state.control === undefined || (await state.control())) return false;
  stopRun(state, 'own_network', 'the network of the test runner failed, too');
  return true;
}

/** Codes about who calls or pays: accounts, brands, operators, billing and permissions of the public protocol and ours. */
const OF_THE_PARTY =
  /ACCOUNT|BRAND|OPERATOR|BILLING|ADVERTISER|AGENT_(?:BLOCKED|SUSPENDED)|PERMISSION|FORBIDDEN/i;
/** Places of a request that name them. */
const PARTY_PLACE = /^\/(?:accounts?|brand|operator)(?:\/|$)/;
const MAX_WORDS = 300;
const MAX_NOTED = 1_000;

/** Notes that the agent refused the account, brand or operator of a step that expected success. */
export function noteRefusal(
  state: RunState,
  { step, key }: { readonly step: Step; readonly key: string },
  answer: TaskAnswer,
): void {
  if (step.expectsError || step.mayRefuse || step.auth !== 'given' || state.refusals.length >= MAX_NOTED)
    return;
  const refusal = saidNo(answer) ? refusalOf(answer) : refusedAccount(step.task, answer);
  if (refusal === undefined) return;
  const { code, message } = refusal;
  const words = shortText(hideSecrets(message), MAX_WORDS) ?? '';
  state.refusals.push({ step: key, task: step.task, ...(code !== undefined && { code }), message: words });
}

interface Refusal {
  readonly code?: string;
  readonly message: string;
}

function refusalOf(answer: TaskAnswer): Refusal | undefined {
  if (answer.outcome === 'failed') return undefined;
  const code = codeOf(answer);
  const place = answer.outcome === 'refused' ? (answer.error.pointer ?? '') : '';
  if (!OF_THE_PARTY.test(code ?? '') && !PARTY_PLACE.test(place)) return undefined;
  const first = answer.outcome === 'answered' ? elements(answer.data.errors)[0] : undefined;
  const message = answer.outcome === 'refused' ? answer.error.message : member(first, 'message');
  return { ...(code !== undefined && { code }), message: typeof message === 'string' ? message : '' };
}

/** `sync_accounts` answers account by account: one that is rejected or failed carries its own errors. */
function refusedAccount(task: string, answer: TaskAnswer): Refusal | undefined {
  if (task !== 'sync_accounts' || answer.outcome !== 'answered') return undefined;
  const account = elements(answer.data.accounts).find(
    (one) => isObject(one) && (one.status === 'rejected' || one.action === 'failed'),
  );
  if (account === undefined) return undefined;
  const error = elements(member(account, 'errors'))[0];
  const code = member(error, 'code');
  const message = member(error, 'message');
  return {
    ...(typeof code === 'string' && { code }),
    message: typeof message === 'string' ? message : 'the account was rejected',
  };
}

/**
 * The first refusal because of which steps could not run, with those of all storyboards that met a refusal of the same code;
 * undefined when no refusal kept a step of its storyboard from running.
 */
export function blockingRefusal({ refusals, steps }: RunState): BlockingRefusal | undefined {
  for (const refusal of refusals) {
    const same = refusals.filter(({ code }) => code === refusal.code).map(({ step }) => step);
    // the id of a storyboard may have slashes of its own
    const storyboards = new Set(same.map((key) => key.split('/').slice(0, -2).join('/')));
    const skipped = steps.filter(
      ({ skip_reason: reason, storyboard_id: storyboard, phase_id: phase, step_id: id }) =>
        (reason === 'prerequisite_failed' && storyboards.has(storyboard)) ||
        (reason === 'requirement_unmet' && same.includes(stepKey(storyboard, phase, id))),
    ).length;
    if (skipped > 0) return { ...refusal, steps_skipped: skipped };
  }
  return undefined;
}
