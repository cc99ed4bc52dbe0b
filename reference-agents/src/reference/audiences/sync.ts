import { isDeepStrictEqual } from 'node:util';
import {
  type Audience,
  type Problem,
  problem,
  type SyncAudiencesResponseAudiencesItem as Result,
  type SyncAudiencesRequest,
} from '@agent-registry/surface/agent-kit';
import { findAccount } from '../accounts/find-account.ts';
import { handler, type TaskCall } from '../handler.ts';
import {
  AUDIENCE_USES,
  type AudienceUse,
  audienceStatus,
  audiencesOf,
  MATCHING_MS,
  type StoredAudience,
} from './audiences.ts';
import {
  badMember,
  type Comings,
  comingsOf,
  countComings,
  forgetMembers,
  keepComings,
  MAX_MEMBERS,
} from './members.ts';

/** Audiences of one caller. */
const MAX_AUDIENCES = 1_000;

/**
 * sync_audiences: each audience is taken or not by itself; members come and go by hashes only, and `delete_missing`
 * deletes what the account has beyond the request. Refuses what `findAccount` refuses.
 */
export const syncAudiences = handler('sync_audiences', {
  description: 'Stores audiences by hashes; suppression audiences are left out of delivery',
  callers: 'known',
  run: (request, call) => {
    const { accountId } = findAccount(call, request.account);
    const dryRun = request.dry_run === true;
    const seen = new Set<string>();
    const results = request.audiences.map((audience, at) => {
      const place = { pointer: `/audiences/${at}`, accountId, dryRun, twice: seen.has(audience.audience_id) };
      seen.add(audience.audience_id);
      return synced(call, audience, place);
    });
    const deleted = request.delete_missing === true ? deletedOnes(request, call, accountId) : [];
    return { audiences: [...results, ...deleted] };
  },
});

interface Place {
  readonly pointer: string;
  readonly accountId: string;
  readonly dryRun: boolean;
  /** An earlier audience of the request has the same id. */
  readonly twice: boolean;
}

function synced(call: TaskCall, audience: Audience, place: Place): Result {
  const { audience_id: id } = audience;
  const before = audiencesOf(call).get(id);
  const wrong = wrongWith(call, audience, before, place);
  if (wrong !== undefined) return { audience_id: id, action: 'failed', errors: [wrong] };
  if (audience.delete === true) {
    if (!place.dryRun) deleteAudience(call, id);
    return { audience_id: id, action: 'deleted' };
  }
  const comings = comingsOf(call, id, audience.add ?? [], audience.remove ?? []);
  const after = changed(call, audience, before, { ...place, comings });
  const same = comings.added.length + comings.removed.length === 0 && isDeepStrictEqual(before, after);
  if (!place.dryRun && !same) {
    keepComings(call, id, comings);
    audiencesOf(call).put(id, after);
  }
  const action = before === undefined ? 'created' : same ? 'unchanged' : 'updated';
  return { audience_id: id, action, ...countsOf(call, after) };
}

function countsOf(call: TaskCall, audience: StoredAudience) {
  const { uploaded, matched } = audience;
  return { status: audienceStatus(audience, call.now), uploaded_count: uploaded, matched_count: matched };
}

/** The audience after the request; other members have to be matched again. */
function changed(
  call: TaskCall,
  audience: Audience,
  before: StoredAudience | undefined,
  { accountId, comings }: Place & { readonly comings: Comings },
): StoredAudience {
  const { name = before?.name, description = before?.description } = audience;
  const { uploaded, matched } = countComings(comings);
  const moved = before === undefined || comings.added.length + comings.removed.length > 0;
  return {
    audienceId: audience.audience_id,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    use: useOf(audience) ?? before?.use ?? 'target',
    accountId,
    uploaded: (before?.uploaded ?? 0) + uploaded,
    matched: (before?.matched ?? 0) + matched,
    readyAt: moved ? call.now + MATCHING_MS : before.readyAt,
  };
}

function useOf({ audience_type: type }: Audience): AudienceUse | undefined {
  return AUDIENCE_USES.find((use) => use === type);
}

function wrongWith(
  call: TaskCall,
  audience: Audience,
  before: StoredAudience | undefined,
  { pointer, accountId, twice }: Place,
): Problem | undefined {
  const { add = [], remove = [], audience_type: type } = audience;
  const id = { pointer: `${pointer}/audience_id` };
  if (twice) return problem('VALIDATION_ERROR', 'duplicate audience id in this request', id);
  if (before !== undefined && before.accountId !== accountId) {
    return problem('CONFLICT', 'another of your accounts has an audience with this id', id);
  }
  if (before === undefined && audience.delete === true) {
    return problem('REFERENCE_NOT_FOUND', 'unknown audience', id);
  }
  if (before === undefined && audiencesOf(call).count() >= MAX_AUDIENCES) {
    return problem('INVALID_STATE', `a caller can store at most ${MAX_AUDIENCES} audiences`, id);
  }
  if (type !== undefined && useOf(audience) === undefined) {
    const suggestion = `supported types: ${AUDIENCE_USES.join(', ')}`;
    const place = { pointer: `${pointer}/audience_type`, suggestion };
    return problem('VALIDATION_ERROR', 'unsupported audience type', place);
  }
  if ((before?.uploaded ?? 0) + add.length > MAX_MEMBERS) {
    return problem('REQUEST_TOO_LARGE', `an audience has at most ${MAX_MEMBERS} members`, {
      pointer: `${pointer}/add`,
    });
  }
  return badMember(add, `${pointer}/add`) ?? badMember(remove, `${pointer}/remove`);
}

function deletedOnes(request: SyncAudiencesRequest, call: TaskCall, accountId: string): readonly Result[] {
  const named = new Set(request.audiences.map(({ audience_id: id }) => id));
  const missing = audiencesOf(call)
    .list()
    .filter(({ key, document }) => document.accountId === accountId && !named.has(key));
  return missing.map(({ key }) => {
    if (request.dry_run !== true) deleteAudience(call, key);
    return { audience_id: key, action: 'deleted' };
  });
}

function deleteAudience(call: TaskCall, id: string): void {
  forgetMembers(call, id);
  audiencesOf(call).delete(id);
}
