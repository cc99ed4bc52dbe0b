import { type JsonObject, member } from '../../base/json.ts';
import type { TaskAnswer } from '../../calling/connection.ts';
import type { CreatedThing } from '../run-result.ts';
import type { CreatedEntry, RunState } from './run-state.ts';

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
        cancellation_reason: 'the end of a compliance run',
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
  if (answer.outcome === 'failed') created.detail = answer.failure.message.slice(0, MAX_DETAIL);
}
