import {
  type Creative,
  problem,
  type SyncCreativesResponseCreativesItem as Result,
  type SyncCreativesRequest,
} from '@agent-registry/surface/agent-kit';
import { findAccount } from '../accounts/find-account.ts';
import { handler, refuse, type TaskCall } from '../handler.ts';
import { assignCreatives, type WantedAssignment } from '../media-buys/assign-creatives.ts';
import { scopeOf } from '../media-buys/buyer-scope.ts';
import { buysUsing } from '../media-buys/creative-uses.ts';
import { creativesChanged } from '../media-buys/creatives-changed.ts';
import { saveCreative } from './library.ts';
import { findCreative, libraryOf } from './stored.ts';

const description = 'Stores creatives; their assets are checked against the format';

/**
 * sync_creatives of a seller: each creative is taken or not by itself, assignments let them run in packages, and
 * `delete_missing` deletes what the account has beyond them and no media buy uses. Refuses what `findAccount` and
 * `assignCreatives` refuse; then nothing of the request is kept.
 */
export const syncCreatives = handler('sync_creatives', {
  description,
  callers: 'known',
  run: (request, call) => synced(request, call, findAccount(call, request.account).accountId),
});

/** The same of a creative agent: a library without packages, for which no account has to be opened. */
export const syncCreativesOnly = handler('sync_creatives', {
  description,
  callers: 'known',
  run: (request, call) => {
    const { brand, operator } = request.account;
    if ((request.assignments ?? []).length > 0) {
      refuse(
        'UNSUPPORTED_FEATURE',
        'a creative agent has no packages',
        '/assignments',
        'assign the creative at the seller',
      );
    }
    return synced(request, call, JSON.stringify([brand.domain, brand.brand_id ?? '', operator]));
  },
});

function synced(request: SyncCreativesRequest, call: TaskCall, accountId: string) {
  const results = savedOnes(request, call, accountId);
  const assigned = request.dry_run === true ? new Map() : assignedOnes(request, call, results);
  const deleted = request.delete_missing === true ? deletedOnes(request, call, accountId) : [];
  const creatives = results.map((result) => {
    const packages = assigned.get(result.creative_id);
    return packages === undefined ? result : { ...result, assigned_to: packages };
  });
  return { creatives: [...creatives, ...deleted] };
}

function savedOnes(request: SyncCreativesRequest, call: TaskCall, accountId: string): readonly Result[] {
  const { creatives, dry_run: dryRun = false } = request;
  const seen = new Set<string>();
  const changed = new Set<string>();
  const results = creatives.map((creative, at): Result => {
    const { creative_id: id } = creative;
    const pointer = `/creatives/${at}`;
    if (seen.has(id)) return { creative_id: id, action: 'failed', errors: [twice(pointer)] };
    seen.add(id);
    return resultOf(creative, pointer, saveCreative(call, creative, { accountId, dryRun, changed }));
  });
  creativesChanged(call, [...changed]);
  return results;
}

function resultOf(
  { creative_id }: Creative,
  pointer: string,
  saved: ReturnType<typeof saveCreative>,
): Result {
  const errors = saved.errors?.map((error) => ({ ...error, pointer: `${pointer}${error.pointer ?? ''}` }));
  return {
    creative_id,
    action: saved.action,
    ...(saved.status !== undefined && { status: saved.status }),
    ...(errors !== undefined && { errors }),
  };
}

function twice(pointer: string) {
  const message = 'duplicate creative id in this request';
  return problem('VALIDATION_ERROR', message, {
    pointer: `${pointer}/creative_id`,
    suggestion: 'send it once',
  });
}

/** Packages by creative. What was just refused or rejected is left out: its own result says why. */
function assignedOnes(
  { assignments = [] }: SyncCreativesRequest,
  call: TaskCall,
  results: readonly Result[],
): ReadonlyMap<string, readonly string[]> {
  const usable = results.filter(({ status }) => status !== undefined && status !== 'rejected');
  const taken = new Set(usable.map(({ creative_id: id }) => id));
  const leftOut = new Set(results.map(({ creative_id: id }) => id).filter((id) => !taken.has(id)));
  const packages = new Map<string, Set<string>>();
  const wanted: WantedAssignment[] = [];
  for (const [at, { media_buy_id, package_id, creative_ids }] of assignments.entries()) {
    const pointer = `/assignments/${at}`;
    for (const [place, id] of creative_ids.entries()) {
      if (!leftOut.has(id)) findCreative(call, id, `${pointer}/creative_ids/${place}`);
    }
    const ids = creative_ids.filter((id) => !leftOut.has(id));
    wanted.push({ mediaBuyId: media_buy_id, packageId: package_id, creativeIds: ids, pointer });
    for (const id of ids) packages.set(id, (packages.get(id) ?? new Set()).add(package_id));
  }
  assignCreatives(call, wanted);
  return new Map([...packages].map(([id, names]) => [id, [...names]]));
}

/** What the account has and the request does not name; a creative that a live media buy uses stays. */
function deletedOnes(request: SyncCreativesRequest, call: TaskCall, accountId: string): readonly Result[] {
  const assigned = (request.assignments ?? []).flatMap(({ creative_ids: ids }) => ids);
  const named = new Set([...request.creatives.map(({ creative_id: id }) => id), ...assigned]);
  const missing = libraryOf(call)
    .list()
    .filter(({ key, document }) => document.accountId === accountId && !named.has(key));
  return missing.map(({ key }) => deleted(key, call, request.dry_run === true));
}

function deleted(id: string, call: TaskCall, dryRun: boolean): Result {
  if (buysUsing(scopeOf(call), id).length > 0) {
    const message = 'the creative cannot be deleted, because an active media buy uses it';
    const error = problem('INVALID_STATE', message, {
      pointer: '/delete_missing',
      suggestion: 'remove it from its packages first, with update_media_buy',
    });
    return { creative_id: id, action: 'failed', errors: [error] };
  }
  if (!dryRun) libraryOf(call).delete(id);
  return { creative_id: id, action: 'deleted' };
}
