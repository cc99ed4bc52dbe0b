import type { CallFailure } from '../../calling/failure.ts';
import type { Inconclusive } from '../../domain/judged-run.ts';
import { OF_THE_NETWORK } from '../../domain/observation.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Unread } from '../conversation/live-conversation.ts';
import type { ComplianceRun, CreatedThing } from '../run-result.ts';
import type { StepResult } from '../step-result.ts';
import { cleanUp, createdThings } from './created.ts';
import { limitationNotice, limitationsOf } from './limitations.ts';
import {
  declarationNotices,
  NOTHING_RAN,
  noticesOf,
  observationsOf,
  reportHead,
  totalsOf,
  unclearDeclarations,
} from './report.ts';
import {
  blockingRefusal,
  inMs,
  isOver,
  type RunFacts,
  type RunState,
  shareOfTime,
  stopRun,
  usedTheTime,
} from './run-state.ts';
import { runStoryboard, storyboardResult } from './run-storyboard.ts';
import { type Selection, selectStoryboards } from './selection.ts';
import { NO_CREDENTIAL, UNSIGNED } from './step-skips.ts';

/** An end and a second try in the other form of A2A. */
const CLEAN_UP_REQUESTS = 2;

/** Runs what is selected of a bundle in a conversation, ends what was made, and says what came of it. */
export async function runBundle(facts: RunFacts, conversation: Conversation): Promise<ComplianceRun> {
  const { bundle, only, tracks } = facts;
  const { agent, capabilities } = conversation;
  const tools = new Set(conversation.tools);
  const { storyboards } = bundle;
  const selection = selectStoryboards({ storyboards, agent, tools, capabilities, only, tracks });
  const size = sizeOf(selection);
  const state = stateOf(facts, conversation, tools, size.steps);
  facts.tell({ kind: 'agent', ...size });
  let made: readonly CreatedThing[] = [];
  try {
    await runSelected(state, selection);
    chargeAgent(state, selection);
    facts.budget?.reserve(state.created.length * CLEAN_UP_REQUESTS);
    made = await cleanUp(state);
  } catch (error) {
    stopRun(
      state,
      'own_fault',
      `internal error of the test runner: ${error instanceof Error ? error.message : String(error)}`,
    );
    made = createdThings(state);
  }
  const inconclusive = state.stop ?? withoutCredential(state);
  const limitations = limitationsOf(selection.selected.map(({ storyboard }) => storyboard));
  const blocked = blockingRefusal(state);
  const unclear = unclearDeclarations(capabilities, bundle);
  return {
    ...reportHead(facts),
    outcome: inconclusive === undefined ? 'complete' : 'inconclusive',
    ...(inconclusive && { inconclusive }),
    agent,
    storyboards: state.storyboards,
    not_selected: selection.notSelected,
    steps: state.steps,
    totals: totalsOf(state),
    ...(limitations.length > 0 && { limitations }),
    ...(blocked && { blocked_by: blocked }),
    ...(unclear.length > 0 && { unclear_declarations: unclear }),
    notices: [
      ...noticesOf(facts, agent, made, inconclusive),
      ...declarationNotices(unclear),
      ...limitationNotice(limitations),
    ],
    observations: observationsOf(state.steps, made, { hasSchemas: bundle.schemas !== undefined }),
    made,
    requests: facts.budget?.used ?? 0,
  };
}

/** The run of an agent with which no handshake succeeded. */
export async function unreachableRun(facts: RunFacts, failure: CallFailure): Promise<ComplianceRun> {
  const inconclusive = await ownReason(facts, failure);
  const { errorClass, message, status, words } = failure;
  const unreachable = {
    error_class: errorClass,
    message,
    ...(status !== undefined && { http_status: status }),
    ...(words !== undefined && { words }),
  };
  return {
    ...reportHead(facts),
    outcome: inconclusive === undefined ? 'unreachable' : 'inconclusive',
    ...(inconclusive && { inconclusive }),
    unreachable,
    ...NOTHING_RAN,
    notices: noticesOf(facts, null, [], inconclusive),
    observations: [],
    made: [],
    requests: facts.budget?.used ?? 0,
  };
}

/**
 * The run of an agent whose tools or capabilities stayed unread. Nothing can be selected by a declaration that nobody has
 * read, so the run is inconclusive, and says why (docs/reference/compliance.md, Whose fault it is).
 */
export async function unreadRun(facts: RunFacts, { request, failure }: Unread): Promise<ComplianceRun> {
  const { errorClass, message, status, words, facts: came } = failure;
  const inconclusive = (await ownReason(facts, failure)) ?? {
    reason: 'declaration_unread' as const,
    detail: `${request} gave no valid answer (${message}), so no storyboard could be selected`,
  };
  return {
    ...reportHead(facts),
    outcome: 'inconclusive',
    inconclusive,
    unread: {
      request,
      error_class: errorClass,
      ...(status !== undefined && { http_status: status }),
      ...(came.contentType !== undefined && { content_type: came.contentType }),
      ...(words !== undefined && { words }),
      ...(came.retried && { retried: true as const }),
      message,
    },
    ...NOTHING_RAN,
    notices: noticesOf(facts, null, [], inconclusive),
    observations: [],
    made: [],
    requests: facts.budget?.used ?? 0,
  };
}

async function ownReason(
  facts: RunFacts,
  { errorClass, status }: CallFailure,
): Promise<Inconclusive | undefined> {
  if (facts.signal?.aborted) return { reason: 'interrupted', detail: 'the run was interrupted' };
  if (facts.token?.lost) return facts.token.lost;
  if (facts.budget?.spent) return { reason: 'request_budget', detail: 'the run reached its request limit' };
  if (errorClass === 'auth_required' && !facts.hasCredential)
    return {
      ...{ reason: 'auth_required', lacks: 'credential' },
      detail: 'the agent requires a credential, and the run had none',
    };
  const isLate = facts.clock.now() >= facts.endsAt || facts.visit?.aborted;
  if (isLate && !usedTheTime(facts))
    return { reason: 'own_deadline', detail: 'the run reached its time limit' };
  const doubtful = OF_THE_NETWORK.includes(errorClass) && status === undefined;
  if (!doubtful || facts.control === undefined || (await facts.control())) return undefined;
  return { reason: 'own_network', detail: 'the network of the test runner failed, too' };
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

/**
 * What an agent has used up is its own doing: the steps for which it took more than their share of the time fail, or else
 * the first that could not be sent any more. An optional step counts too, or slowness would cost nothing there.
 */
function chargeAgent(state: RunState, { selected }: Selection): void {
  const { exhausted, steps, late } = state;
  if (exhausted === undefined) return;
  const charged = new Map<StepResult, StepResult>();
  for (const { result, evidence, waitedMs } of exhausted.by === 'time' ? late : []) {
    const kept = steps.find((step) => isSame(step, result));
    if (kept === undefined) continue;
    const told = `the agent took ${inMs(waitedMs)}, and the run ran out of time while it waited`;
    const { checks } = result;
    charged.set(kept, {
      ...result,
      ...failedBy(told, `at most ${inMs(shareOfTime(state))}`, inMs(waitedMs), checks),
      evidence,
    });
  }
  const unsent = steps.find(({ skip_detail }) => skip_detail === exhausted.detail);
  if (charged.size === 0 && unsent !== undefined) {
    const { skip_reason: _reason, skip_detail: _detail, coverage_gap: _gap, ...rest } = unsent;
    charged.set(unsent, {
      ...rest,
      ...failedBy(exhausted.detail, 'time left to send the request', 'no time left', []),
    });
  }
  state.steps.splice(0, steps.length, ...steps.map((step) => charged.get(step) ?? step));
  for (const [at, result] of state.storyboards.entries()) {
    const own = state.steps.filter(({ storyboard_id: id }) => id === result.storyboard_id);
    const one = selected.find(({ storyboard }) => storyboard.id === result.storyboard_id);
    if (one !== undefined && own.length > 0) state.storyboards[at] = storyboardResult(one, own);
  }
}

function failedBy(message: string, expected: string, actual: string, checks: StepResult['checks']) {
  const waiting = { check: 'time_taken', result: 'fail', message, expected, actual } as const;
  return { result: 'fail' as const, checks: [...checks, waiting] };
}

function isSame(one: StepResult, other: StepResult): boolean {
  return (
    one.storyboard_id === other.storyboard_id &&
    one.phase_id === other.phase_id &&
    one.step_id === other.step_id
  );
}

function stateOf(
  facts: RunFacts,
  conversation: Conversation,
  tools: ReadonlySet<string>,
  planned: number,
): RunState {
  return {
    ...facts,
    conversation,
    tools,
    planned,
    late: [],
    taken: new Map(),
    steps: [],
    storyboards: [],
    created: [],
    refusals: [],
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

/** An agent is not judged by what it shows to callers without its credential (docs/reference/compliance.md, Whose fault it is). */
function withoutCredential({ wants, steps }: RunState): Inconclusive | undefined {
  if (wants === undefined) return undefined;
  const lacking = wants === 'credential' ? NO_CREDENTIAL.detail : UNSIGNED;
  const [first, ...more] = steps.filter(({ skip_detail: detail = '' }) => detail.includes(lacking));
  // a storyboard may be skipped before its first step
  const where =
    first === undefined ? '' : `; blocked step: ${first.storyboard_id}/${first.phase_id}/${first.step_id}`;
  const others = more.length === 0 ? '' : `, and ${more.length} more`;
  const required =
    wants === 'credential'
      ? lacking
      : `the agent requires ${first?.task ?? 'requests'} to be signed, and ${lacking}`;
  return { reason: 'auth_required', detail: `${required}${where}${others}`, lacks: wants };
}
