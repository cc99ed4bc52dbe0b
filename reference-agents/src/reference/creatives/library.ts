import { isDeepStrictEqual } from 'node:util';
import {
  type Creative,
  type Problem,
  type ProtocolError,
  problem,
  type SyncAction,
} from '@agent-registry/surface/agent-kit';
import { type ReferenceAgent, type TaskCall, TaskRefused } from '../handler.ts';
import { creativesChanged } from '../media-buys/creatives-changed.ts';
import { checkAssets } from './check-assets.ts';
import { type CreativeFormat, findFormat } from './formats.ts';
import {
  CREATIVES,
  type CreativeStatus,
  creativeStatusAt,
  findCreative,
  libraryOf,
  reviewOf,
  type StoredCreative,
} from './stored.ts';

/** What became of a creative that was to be kept. Pointers in `errors` lead into the creative. */
export interface SavedCreative {
  readonly action: SyncAction;
  /** Absent when it was not taken and nothing of that name is there. */
  readonly status?: CreativeStatus;
  readonly errors?: readonly ProtocolError[];
}

export interface SaveOptions {
  /** The account to whose library it belongs; without one it belongs to none, and no sync deletes it. */
  readonly accountId?: string;
  /** Says what would become of it, and keeps nothing. */
  readonly dryRun?: boolean;
  /** Takes the ids of creatives that were there before and changed, for one `creativesChanged`; without it, each is told at once. */
  readonly changed?: Set<string>;
}

/** Creatives of one caller. */
const MAX_LIBRARY = 5_000;

/** Errors that are told of one creative. */
const MAX_ERRORS = 100;

/**
 * Keeps a creative in the caller's library, when its assets follow its format; one that does not is not taken, and what
 * was there under its name stays. A new or changed one is reviewed: see `reviewOf`.
 */
export function saveCreative(call: TaskCall, creative: Creative, options: SaveOptions = {}): SavedCreative {
  const before = libraryOf(call).get(creative.creative_id);
  const { accountId = before?.accountId, dryRun = false } = options;
  const status = before && creativeStatusAt(before, call.now);
  const wrong = wrongWith(call, creative, before, accountId);
  if (wrong.length > 0) return { action: 'failed', ...(status && { status }), errors: wrong };
  if (before !== undefined && status !== undefined && isDeepStrictEqual(before.creative, creative)) {
    return { action: 'unchanged', status };
  }
  const review = reviewOf(creative, call.now);
  const stored: StoredCreative = {
    ...review.result,
    creative,
    updatedAt: call.now,
    ...(accountId !== undefined && { accountId }),
  };
  if (!dryRun) keep(call, stored, before !== undefined, options.changed);
  const action = before === undefined ? 'created' : 'updated';
  return { action, status: stored.status, ...(review.errors.length > 0 && { errors: review.errors }) };
}

/** Media buys hear of a creative that they may use already: it is reviewed again, or has another format. */
function keep(
  call: TaskCall,
  stored: StoredCreative,
  known: boolean,
  changed: Set<string> | undefined,
): void {
  const { creative_id: id } = stored.creative;
  libraryOf(call).put(id, stored, stored.reviewUntil);
  if (!known) return;
  if (changed === undefined) creativesChanged(call, [id]);
  else changed.add(id);
}

function wrongWith(
  call: TaskCall,
  creative: Creative,
  before: StoredCreative | undefined,
  accountId: string | undefined,
): readonly Problem[] {
  const format = formatOrProblem(call, creative);
  if ('code' in format) return [format];
  if (before?.accountId !== undefined && accountId !== undefined && before.accountId !== accountId) {
    const pointer = '/creative_id';
    return [problem('CONFLICT', 'another of your accounts has a creative with this id', { pointer })];
  }
  if (before === undefined && libraryOf(call).count() >= MAX_LIBRARY) {
    const suggestion = 'delete unused creatives with delete_missing';
    return [
      problem('INVALID_STATE', `the library is full: ${MAX_LIBRARY} creatives`, { pointer: '', suggestion }),
    ];
  }
  return checkAssets(creative, format)
    .slice(0, MAX_ERRORS)
    .map(({ rule, pointer, message }) =>
      problem('CREATIVE_REJECTED', message, { pointer, details: { rule } }),
    );
}

function formatOrProblem(call: TaskCall, { format_id }: Creative): CreativeFormat | Problem {
  try {
    return findFormat(call, format_id, '/format_id');
  } catch (error) {
    if (error instanceof TaskRefused) return error.problem;
    throw error;
  }
}

/**
 * Gives a creative of the caller another status, whatever its review says, and tells the media buys that use it.
 * Refuses CREATIVE_NOT_FOUND.
 */
export function setCreativeStatus(
  call: Pick<TaskCall, 'agent' | 'caller' | 'now'>,
  creativeId: string,
  status: CreativeStatus,
  pointer = '/creative_id',
): StoredCreative {
  const { reviewUntil: _over, ...found } = findCreative(call, creativeId, pointer);
  const next = { ...found, status, updatedAt: call.now };
  libraryOf(call).put(creativeId, next);
  creativesChanged(call, [creativeId]);
  return next;
}

/**
 * Ends the reviews whose time is over at `now` (epoch milliseconds), at most `limit`, and tells the media buys that
 * wait for them. Whoever looks at a creative sees it as it stands anyway; the buys have to be told. Gives how many
 * there were.
 */
export function advanceCreatives(agent: ReferenceAgent, now: number, limit = 100): number {
  const due = agent.state.due<StoredCreative>(CREATIVES, now, limit);
  for (const { owner, key } of due) {
    const call = { agent, caller: { id: owner, signed: false }, now };
    agent.state.transaction(() => {
      const creative = libraryOf(call).get(key);
      if (creative !== undefined) setCreativeStatus(call, key, creativeStatusAt(creative, now));
    });
  }
  return due.length;
}
