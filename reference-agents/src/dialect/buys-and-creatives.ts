import type { JsonObject, TaskRequests } from '@agent-registry/surface/agent-kit';
import { isObject, problem } from '@agent-registry/surface/agent-kit';
import { findAnyAccount } from '../reference/accounts/find-account.ts';
import { CREATIVES, creativeStatusAt, type StoredCreative } from '../reference/creatives/stored.ts';
import { type TaskCall, TaskRefused } from '../reference/handler.ts';
import { buysOf, scopeOf } from '../reference/media-buys/buyer-scope.ts';
import { findBuy, upToDate } from '../reference/media-buys/keep-buy.ts';
import { renderBuy } from '../reference/media-buys/render.ts';
import { pageOf } from '../reference/paging.ts';
import { publicBuy } from './media-buys.ts';

/** A task that the public protocol has and ours has not; it only reads. */
export interface PublicTask {
  readonly description: string;
  readonly run: (request: JsonObject, call: TaskCall) => JsonObject;
}

/** What a seller is asked for there, beside our own tasks. */
export const SELLER_TASKS: Readonly<Record<string, PublicTask>> = {
  get_media_buys: { description: 'Returns the current state of media buys', run: getMediaBuys },
  list_creatives: { description: 'Lists the creatives of the caller', run: listCreatives },
};

function getMediaBuys(request: JsonObject, call: TaskCall): JsonObject {
  const scope = scopeOf(call);
  const { media_buy_ids: ids, status_filter: filter } = request;
  const accountId = accountOf(request, call);
  const named = texts(ids, '/media_buy_ids');
  const found =
    named === undefined
      ? buysOf(scope)
          .list()
          .map(({ document }) => upToDate(scope, document))
      : named.map((id, index) => findBuy(scope, id, `/media_buy_ids/${index}`));
  const wanted = texts(typeof filter === 'string' ? [filter] : filter, '/status_filter');
  const shown = found.filter(
    (buy) =>
      (accountId === undefined || buy.accountId === accountId) &&
      (wanted === undefined || wanted.includes(buy.status)),
  );
  const { items, pagination } = pageOf(shown, pageAsked(request));
  return {
    media_buys: items.map((buy) => publicBuy({ ...renderBuy(buy, scope.now) }, {}, call)),
    pagination,
  };
}

function listCreatives(request: JsonObject, call: TaskCall): JsonObject {
  const filters = isObject(request.filters) ? request.filters : {};
  const [statuses, ids] = [
    texts(filters.statuses, '/filters/statuses'),
    texts(filters.creative_ids, '/filters/creative_ids'),
  ];
  const accountId = accountOf(request, call);
  const all = call.agent.state
    .collection<StoredCreative>(CREATIVES, call.caller.id)
    .list()
    .map(({ document }) => document);
  const found = all.filter(
    (one) =>
      (accountId === undefined || one.accountId === accountId) &&
      (statuses === undefined || statuses.includes(creativeStatusAt(one, call.now))) &&
      (ids === undefined || ids.includes(one.creative.creative_id)),
  );
  const { items, pagination } = pageOf(found, pageAsked(request));
  return {
    query_summary: { total_matching: found.length, returned: items.length },
    pagination,
    creatives: items.map((one) => ({
      ...one.creative,
      status: creativeStatusAt(one, call.now),
      created_date: new Date(one.updatedAt).toISOString(),
      updated_date: new Date(one.updatedAt).toISOString(),
    })),
  };
}

function accountOf({ account }: JsonObject, call: TaskCall): string | undefined {
  if (!isObject(account)) return undefined;
  return findAnyAccount(call, account as unknown as NonNullable<TaskRequests['sync_creatives']['account']>)
    .accountId;
}

function pageAsked({ pagination }: JsonObject): TaskRequests['list_accounts']['pagination'] {
  if (pagination === undefined) return undefined;
  if (!isObject(pagination)) throw invalid('/pagination', 'must be an object');
  const { max_results: most, cursor } = pagination;
  if (most !== undefined && (!Number.isInteger(most) || Number(most) < 1))
    throw invalid('/pagination/max_results', 'must be an integer of at least 1');
  if (cursor !== undefined && typeof cursor !== 'string')
    throw invalid('/pagination/cursor', 'must be a string');
  return {
    ...(most !== undefined && { max_results: Number(most) }),
    ...(cursor !== undefined && { cursor }),
  };
}

function texts(value: unknown, pointer: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw invalid(pointer, 'must be a list of strings');
}

function invalid(pointer: string, message: string): TaskRefused {
  return new TaskRefused(problem('INVALID_REQUEST', `${pointer}: ${message}`, { pointer }));
}
