import { type Creative, type Problem, pointerOf, problem } from '@agent-registry/surface/agent-kit';
import { refuse, type TaskCall } from '../handler.ts';

export type CreativeStatus = 'processing' | 'pending_review' | 'approved' | 'rejected';

/** A creative of one caller, as the agent keeps it. */
export interface StoredCreative {
  readonly creative: Creative;
  readonly status: CreativeStatus;
  /** The account to whose library it belongs; absent for one that came with a media buy. */
  readonly accountId?: string;
  /** With pending_review: when the review ends well, epoch milliseconds. */
  readonly reviewUntil?: number;
  /** When it was last kept, epoch milliseconds. */
  readonly updatedAt: number;
}

/** The collection of creatives; each belongs to its caller. */
export const CREATIVES = 'creatives';

/** How long a review takes, milliseconds. */
const CREATIVE_REVIEW_MS = 30_000;

/** What plays, and what is a document of its own, is looked at by somebody before it runs. */
const REVIEWED: ReadonlySet<string> = new Set(['video', 'audio', 'html']);

/** Promises that the sellers of the sandbox do not print. */
const REFUSED_PROMISES = /\b(miracle cures?|guaranteed (?:wins?|winnings|returns)|risk[ -]free money)\b/i;

export interface Review {
  readonly result: Pick<StoredCreative, 'status' | 'reviewUntil'>;
  /** Why it was rejected; pointers lead into the creative. */
  readonly errors: readonly Problem[];
}

/**
 * The review of a creative that follows its format: rejected for a promise that nobody prints, approved at once when
 * it is pictures and words, and after `CREATIVE_REVIEW_MS` when it holds video, audio or a document.
 */
export function reviewOf({ assets }: Creative, now: number): Review {
  const refused = Object.entries(assets).find(([, { content = '' }]) => REFUSED_PROMISES.test(content));
  if (refused !== undefined) {
    const pointer = pointerOf(['assets', refused[0], 'content']);
    const error = problem('CREATIVE_REJECTED', 'the text contains a forbidden claim', {
      pointer,
      suggestion: 'remove claims about cures, winnings and returns',
    });
    return { result: { status: 'rejected' }, errors: [error] };
  }
  const waits = Object.values(assets).some(({ asset_type }) => REVIEWED.has(asset_type));
  if (!waits) return { result: { status: 'approved' }, errors: [] };
  return { result: { status: 'pending_review', reviewUntil: now + CREATIVE_REVIEW_MS }, errors: [] };
}

/** The status at a moment: a review ends when its time is over. */
export function creativeStatusAt({ status, reviewUntil }: StoredCreative, now: number): CreativeStatus {
  return status === 'pending_review' && reviewUntil !== undefined && now >= reviewUntil ? 'approved' : status;
}

export function libraryOf({ agent, caller }: Pick<TaskCall, 'agent' | 'caller'>) {
  return agent.state.collection<StoredCreative>(CREATIVES, caller.id);
}

/** The caller's creative as it stands at this moment. Refuses CREATIVE_NOT_FOUND. */
export function findCreative(
  call: Pick<TaskCall, 'agent' | 'caller' | 'now'>,
  creativeId: string,
  pointer: string,
): StoredCreative {
  const found = libraryOf(call).get(creativeId);
  if (found === undefined) {
    return refuse('CREATIVE_NOT_FOUND', 'unknown creative', pointer, 'create it with sync_creatives');
  }
  return { ...found, status: creativeStatusAt(found, call.now) };
}
