import type { CallFailure } from '../../calling/failure.ts';
import { OF_THE_NETWORK } from '../../domain/observation.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { RequestBudget } from '../conversation/request-budget.ts';
import type { ComplianceRun, Inconclusive, MadeThing, RunTrigger } from '../run-result.ts';
import type { Bundle } from '../storyboards/bundle.ts';
import type { RunValues } from './context.ts';
import { cleanUp, toldOf } from './made.ts';
import { noticesOf } from './notices.ts';
import { observationsOf } from './observations.ts';
import { isOver, type Progress, type RunState, stopRun } from './run-state.ts';
import { runStoryboard } from './run-storyboard.ts';
import { type Selection, selectStoryboards } from './select.ts';
import { totalsOf } from './totals.ts';

/** Of what runs storyboards and judges steps; kept with each run. Changed when the same answers would be judged otherwise. */
export const RUNNER_VERSION = '1';

/** An end and a second try in the other form of A2A. */
const CLEAN_UP_REQUESTS = 2;

/** What a run goes by, before anything was said. */
export interface RunFacts {
  readonly bundle: Bundle;
  readonly values: RunValues;
  readonly clock: Clock;
  readonly trigger: RunTrigger | null;
  readonly target: string;
  readonly version: string;
  readonly dryRun: boolean;
  readonly afterLoss?: boolean;
  readonly only: readonly string[];
  readonly tracks: readonly string[];
  readonly hasCredential: boolean;
  readonly canSign: boolean;
  /** Milliseconds. */
  readonly stepMs: number;
  /** Epoch milliseconds. */
  readonly beganAt: number;
  readonly endsAt: number;
  readonly signal?: AbortSignal;
  /** Of the visit: aborted when its time is over, whatever the clock says. */
  readonly visit?: AbortSignal;
  readonly budget?: Pick<RequestBudget, 'used' | 'spent' | 'reserve'>;
  readonly control?: () => Promise<boolean>;
  readonly tell: (progress: Progress) => void;
}

/** Runs what is selected of a bundle in a conversation, ends what was made, and says what came of it. */
export async function runBundle(facts: RunFacts, conversation: Conversation): Promise<ComplianceRun> {
  const { bundle, only, tracks } = facts;
  const { agent, capabilities } = conversation;
  const tools = new Set(conversation.tools);
  const { storyboards } = bundle;
  const selection = selectStoryboards({ storyboards, agent, tools, capabilities, only, tracks });
  const state = stateOf(facts, conversation, tools);
  facts.tell({ kind: 'agent', ...sizeOf(selection) });
  let made: readonly MadeThing[] = [];
  try {
    await runSelected(state, selection);
    facts.budget?.reserve(state.made.length * CLEAN_UP_REQUESTS);
    made = await cleanUp(state);
  } catch (error) {
    stopRun(
      state,
      'own_fault',
      `an error of the runner: ${error instanceof Error ? error.message : String(error)}`,
    );
    made = toldOf(state);
  }
  const inconclusive = state.stop ?? withoutCredential(state);
  return {
    ...head(facts),
    outcome: inconclusive === undefined ? 'complete' : 'inconclusive',
    ...(inconclusive && { inconclusive }),
    agent,
    storyboards: state.storyboards,
    not_selected: selection.notSelected,
    steps: state.steps,
    totals: totalsOf(state),
    notices: noticesOf(facts, agent, made),
    observations: observationsOf(state.steps, made),
    made,
    requests: facts.budget?.used ?? 0,
  };
}

/** The run of an agent with which no handshake succeeded. */
export async function unspoken(facts: RunFacts, failure: CallFailure): Promise<ComplianceRun> {
  const inconclusive = await ownReason(facts, failure);
  const { errorClass, message, status } = failure;
  const unreachable = {
    error_class: errorClass,
    message,
    ...(status !== undefined && { http_status: status }),
  };
  return {
    ...head(facts),
    outcome: inconclusive === undefined ? 'unreachable' : 'inconclusive',
    ...(inconclusive && { inconclusive }),
    unreachable,
    agent: null,
    storyboards: [],
    not_selected: [],
    steps: [],
    totals: totalsOf({ storyboards: [], steps: [] }),
    notices: noticesOf(facts, null, []),
    observations: [],
    made: [],
    requests: facts.budget?.used ?? 0,
  };
}

async function ownReason(
  facts: RunFacts,
  { errorClass, status }: CallFailure,
): Promise<Inconclusive | undefined> {
  if (facts.signal?.aborted) return { reason: 'interrupted', detail: 'the run was stopped' };
  if (facts.budget?.spent)
    return { reason: 'request_budget', detail: 'the requests for one agent were used up' };
  if (errorClass === 'auth_required' && !facts.hasCredential)
    return { reason: 'auth_required', detail: 'the agent asks for credentials, and none were given' };
  if (facts.clock.now() >= facts.endsAt || facts.visit?.aborted)
    return { reason: 'own_deadline', detail: 'the time for the run was over' };
  const doubtful = OF_THE_NETWORK.includes(errorClass) && status === undefined;
  if (!doubtful || facts.control === undefined || (await facts.control())) return undefined;
  return { reason: 'own_network', detail: 'our own way to the network did not work either' };
}

async function runSelected(state: RunState, { selected }: Selection): Promise<void> {
  for (const [index, one] of selected.entries()) {
    if (isOver(state)) return;
    const { id, title } = one.storyboard;
    state.tell({ kind: 'storyboard', index, id, title });
    const result = await runStoryboard(state, one);
    state.storyboards.push(result);
    state.tell({ kind: 'result', result });
  }
}

function stateOf(facts: RunFacts, conversation: Conversation, tools: ReadonlySet<string>): RunState {
  return {
    ...facts,
    conversation,
    tools,
    budgetSpent: () => facts.budget?.spent === true,
    steps: [],
    storyboards: [],
    made: [],
    wantsCredential: false,
    withdrawn: false,
    silentCalls: 0,
  };
}

function sizeOf({ selected }: Selection) {
  const steps = selected.flatMap(({ skip, storyboard }) =>
    skip === undefined ? storyboard.phases.flatMap((phase) => phase.steps) : [],
  );
  return { storyboards: selected.length, steps: steps.length };
}

/** An agent with closed doors is not judged by what stands before them (rulings, Compliance). */
function withoutCredential({ wantsCredential }: RunState): Inconclusive | undefined {
  if (!wantsCredential) return undefined;
  return { reason: 'auth_required', detail: 'some steps need credentials, and none were given' };
}

function head(facts: RunFacts) {
  const finishedAt = Math.max(facts.beganAt, facts.clock.now()); // the clock may have been put back meanwhile
  return {
    run_id: facts.values.runId,
    agent_url: facts.values.agentUrl,
    started_at: new Date(facts.beganAt).toISOString(),
    finished_at: new Date(finishedAt).toISOString(),
    duration_ms: Math.round(finishedAt - facts.beganAt),
    trigger: facts.trigger,
    dry_run: facts.dryRun,
    ...(facts.only.length + facts.tracks.length > 0 && { partial: true as const }),
    requested_compliance_target: facts.target,
    proto_version: facts.bundle.version,
    runner_version: RUNNER_VERSION,
  };
}
