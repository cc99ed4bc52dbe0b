import { refuse, type TaskCall } from '../handler.ts';

/** What an audience is for. */
export const AUDIENCE_USES = ['suppression', 'target', 'seed'] as const;
export type AudienceUse = (typeof AUDIENCE_USES)[number];

export type AudienceStatus = 'processing' | 'ready' | 'too_small';

/** An audience of one caller, as the agent keeps it. */
export interface StoredAudience {
  readonly audienceId: string;
  readonly name?: string;
  readonly description?: string;
  readonly use: AudienceUse;
  readonly accountId: string;
  /** Members that came and are still there. */
  readonly uploaded: number;
  /** Those of them that are known here. */
  readonly matched: number;
  /** Until when it is being matched, epoch milliseconds. */
  readonly readyAt: number;
}

/** An audience as it stands at a moment. */
export interface FoundAudience extends StoredAudience {
  readonly status: AudienceStatus;
}

/** How long matching takes, milliseconds. */
export const MATCHING_MS = 60_000;

/** Known members below which nobody may be reached by an audience: it would single people out. Leaving people out does not. */
const MIN_MATCHED = 100;

export function audiencesOf({ agent, caller }: Pick<TaskCall, 'agent' | 'caller'>) {
  return agent.state.collection<StoredAudience>('audiences', caller.id);
}

/** The caller's audience as it stands at this moment. Refuses REFERENCE_NOT_FOUND. */
export function findAudience(
  call: Pick<TaskCall, 'agent' | 'caller' | 'now'>,
  audienceId: string,
  pointer: string,
): FoundAudience {
  const found = audiencesOf(call).get(audienceId);
  if (found === undefined) {
    return refuse('REFERENCE_NOT_FOUND', 'unknown audience', pointer, 'create it with sync_audiences');
  }
  return { ...found, status: audienceStatus(found, call.now) };
}

/** Being matched, too small to reach anybody by, or ready. */
export function audienceStatus({ use, matched, readyAt }: StoredAudience, now: number): AudienceStatus {
  if (now < readyAt) return 'processing';
  return use !== 'suppression' && matched < MIN_MATCHED ? 'too_small' : 'ready';
}
