import type { CallFailure } from '../../calling/failure.ts';
import type { Inconclusive } from '../../domain/judged-run.ts';
import { OF_THE_NETWORK } from '../../domain/observation.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { ComplianceRun, CreatedThing } from '../run-result.ts';
import { cleanUp, createdThings } from './created.ts';
import { noticesOf, observationsOf } from './remarks.ts';
import { NOTHING_RAN, reportHead, totalsOf } from './report.ts';
import { isOver, type RunFacts, type RunState, stopRun } from './run-state.ts';
import { runStoryboard } from './run-storyboard.ts';
import { type Selection, selectStoryboards } from './selection.ts';

/** An end and a second try in the other form of A2A. */
const CLEAN_UP_REQUESTS = 2;

/** Runs what is selected of a bundle in a conversation, ends what was made, and says what came of it. */
export async function runBundle(facts: RunFacts, conversation: Conversation): Promise<ComplianceRun> {
  const { bundle, only, tracks } = facts;
  const { agent, capabilities } = conversation;
  const tools = new Set(conversation.tools);
  const { storyboards } = bundle;
  const selection = selectStoryboards({ storyboards, agent, tools, capabilities, only, tracks });
  const state = stateOf(facts, conversation, tools);
  facts.tell({ kind: 'agent', ...sizeOf(selection) });
  let made: readonly CreatedThing[] = [];
  try {
    await runSelected(state, selection);
    facts.budget?.reserve(state.created.length * CLEAN_UP_REQUESTS);
    made = await cleanUp(state);
  } catch (error) {
    stopRun(
      state,
      'own_fault',
      `an error of the runner: ${error instanceof Error ? error.message : String(error)}`,
    );
    made = createdThings(state);
  }
  const inconclusive = state.stop ?? withoutCredential(state);
  return {
    ...reportHead(facts),
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
export async function unreachableRun(facts: RunFacts, failure: CallFailure): Promise<ComplianceRun> {
  const inconclusive = await ownReason(facts, failure);
  const { errorClass, message, status } = failure;
  const unreachable = {
    error_class: errorClass,
    message,
    ...(status !== undefined && { http_status: status }),
  };
  return {
    ...reportHead(facts),
    outcome: inconclusive === undefined ? 'unreachable' : 'inconclusive',
    ...(inconclusive && { inconclusive }),
    unreachable,
    ...NOTHING_RAN,
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
    created: [],
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

/** An agent with closed doors is not judged by what stands before them (docs/reference/compliance.md, Whose fault it is). */
function withoutCredential({ wantsCredential }: RunState): Inconclusive | undefined {
  if (!wantsCredential) return undefined;
  return { reason: 'auth_required', detail: 'some steps need credentials, and none were given' };
}
