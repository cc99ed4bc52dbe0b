import { type JsonObject, member } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import { inFull } from '../../calling/failure.ts';
import { shortText } from '../../domain/text.ts';
import { TEST_CONTROLLER } from '../../protocol/tasks.ts';
import { mayChange } from '../conversation/consent.ts';
import type { CreatedThing } from '../run-result.ts';
import type { Skip } from '../step-result.ts';
import type { Storyboard } from '../storyboard.ts';
import { type CreatedEntry, effectiveAgent, isOver, isOwnFault, type RunState } from './run-state.ts';
import { wantsCredential } from './step-skips.ts';

/** A task that creates something which costs or runs until somebody ends it. */
interface Undo {
  readonly kind: string;
  /** Where in the answer, or else in the request, its name stands. */
  readonly id: string;
  readonly task: string;
  request(created: CreatedEntry): JsonObject;
}

const UNDO: ReadonlyMap<string, Undo> = new Map([
  [
    'create_media_buy',
    {
      kind: 'media_buy',
      id: 'media_buy_id',
      task: 'update_media_buy',
      request: ({ id, request }) => ({
        media_buy_id: id,
        canceled: true,
        cancellation_reason: 'cleanup after a compliance run',
        ...(request.account !== undefined && { account: request.account }),
      }),
    },
  ],
  [
    'activate_signal',
    {
      kind: 'signal_activation',
      id: 'signal_agent_segment_id',
      task: 'activate_signal',
      request: ({ request }) => ({ ...request, action: 'deactivate' }),
    },
  ],
]);

/** Long enough for an end that is tried even when the run is over; milliseconds. */
export const CLEAN_UP_MS = 20_000;
const MAX_DETAIL = 200;

/** Notes what a call created, whether the storyboard wanted it to or not, and what another one ended. */
export function noteCreated(
  state: RunState,
  task: string,
  request: JsonObject,
  answer: TaskAnswer,
  key: string,
): void {
  if (answer.outcome !== 'answered') return;
  if (request.canceled === true || request.action === 'deactivate') {
    for (const created of state.created) if (isNamedBy(request, created)) created.cancelled = 'yes';
    return;
  }
  const undo = UNDO.get(task);
  const id = undo === undefined ? undefined : (member(answer.data, undo.id) ?? request[undo.id]);
  if (undo === undefined || typeof id !== 'string' || member(answer.data, 'errors') !== undefined) return;
  if (state.created.some((created) => created.kind === undo.kind && created.id === id)) return;
  state.created.push({ kind: undo.kind, id, step: key, task, request, cancelled: 'not_tried' });
}

function isNamedBy(request: JsonObject, { task, id }: CreatedEntry): boolean {
  const undo = UNDO.get(task);
  return undo !== undefined && request[undo.id] === id;
}

/** Ends what the run created and nobody ended. Each is tried once, and its outcome is reported. */
export async function cleanUp(state: RunState): Promise<readonly CreatedThing[]> {
  const open = state.created.filter(({ cancelled }) => cancelled !== 'yes');
  for (const [index, created] of open.entries()) {
    if (state.stop?.reason === 'interrupted' || state.signal?.aborted) break;
    await undoOne(state, created, index + 1);
  }
  return createdThings(state);
}

/** What the run created, as it is reported: an id is the agent's, and may be of any length. */
export function createdThings({ created }: Pick<RunState, 'created'>): readonly CreatedThing[] {
  return created.map(({ kind, id, step, cancelled, detail }) => ({
    kind,
    id: id.slice(0, MAX_DETAIL),
    step,
    cancelled,
    ...(detail !== undefined && { detail }),
  }));
}

async function undoOne(state: RunState, created: CreatedEntry, number: number): Promise<void> {
  const undo = UNDO.get(created.task);
  if (undo === undefined) return;
  const key = `clean-up/${number}`;
  const { idempotency_key: _, ...rest } = undo.request(created);
  const payload = { ...rest, idempotency_key: `${state.values.runId}-${number}` };
  const { answer } = await state.conversation.call({
    key,
    task: undo.task,
    payload,
    auth: 'given',
    callMs: CLEAN_UP_MS,
  });
  created.cancelled = answer.outcome === 'answered' ? 'yes' : 'no';
  if (answer.outcome === 'refused') created.detail = answer.error.message.slice(0, MAX_DETAIL);
  if (answer.outcome === 'failed') created.detail = inFull(answer.failure).slice(0, MAX_DETAIL);
}

/** Puts the fixtures of a storyboard into the agent through its test controller; why that cannot be, else undefined. */
export async function seedFixtures(state: RunState, { id, fixtures }: Storyboard): Promise<Skip | undefined> {
  if (fixtures.length === 0) return undefined;
  if (!state.conversation.agent.test_controller)
    return {
      reason: 'missing_test_controller',
      detail: 'the fixtures require a test controller',
      coverage_gap: true,
    };
  const agent = effectiveAgent(state);
  for (const [index, { scenario, params }] of fixtures.entries()) {
    if (isOver(state) || state.exhausted !== undefined) return undefined; // its steps say so
    const payload = { scenario, params };
    const refused = mayChange({
      task: TEST_CONTROLLER,
      payload,
      agent,
      tools: state.tools,
      dryRun: state.dryRun,
    });
    if (refused !== undefined) return refused;
    const left = state.endsAt - state.clock.now();
    const outcome = await state.conversation.call({
      key: `${id}/fixtures/${index + 1}`,
      task: TEST_CONTROLLER,
      payload,
      auth: 'given',
      callMs: Math.max(1, Math.min(state.stepMs, left)),
    });
    const { answer } = outcome;
    const problem = problemOf(answer);
    if (problem === undefined) continue;
    if (await isOwnFault(state, outcome, left < state.stepMs))
      return skip('requirement_unmet', 'the run stopped before this step');
    if (wantsCredential(answer, 'given', state.hasCredential)) {
      state.wants = 'credential';
      return skip('requirement_unmet', 'the agent requires a credential, and the run had none');
    }
    return {
      reason: 'fixture_unavailable',
      detail: `fixture ${scenario} failed: ${problem}`,
      coverage_gap: true,
    };
  }
  return undefined;
}

function skip(reason: Skip['reason'], detail: string): Skip {
  return { reason, detail, coverage_gap: false };
}

function problemOf(answer: TaskAnswer): string | undefined {
  if (answer.outcome === 'failed') return answer.failure.errorClass;
  if (answer.outcome === 'refused') return shortText(answer.error.code, 64) ?? 'refused';
  if (member(answer.data, 'success') !== false) return undefined;
  return shortText(member(answer.data, 'error'), 64) ?? 'refused';
}
