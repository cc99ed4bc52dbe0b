import { isDeepStrictEqual } from 'node:util';
import type { PackageRequest, UpdateMediaBuyRequest } from 'agent-registry/agent-kit';
import { findAccount, findAnyAccount } from '../accounts/find-account.ts';
import { approvalIn, useApproval } from '../governance/approvals.ts';
import { type Approval, type Call, handler, refuse } from '../handler.ts';
import { postsTo } from '../posts-to.ts';
import { productsFor } from '../products/find-product.ts';
import { checkLimit } from './budgets.ts';
import { cancelBuy } from './cancel.ts';
import { buysOf, type Desk, deskOf, findBuy, keepChanged } from './desk.ts';
import { changedFlight, insideFlight } from './flight.ts';
import { isFinal } from './life.ts';
import { orderedPackages } from './order-package.ts';
import { storeCreatives } from './package-creatives.ts';
import { renderBuy } from './render.ts';
import type { StoredMediaBuy, StoredPackage } from './stored.ts';
import { approvedPart, riseOf } from './under-plan.ts';
import { changedPackages } from './update-packages.ts';

/** The most packages of one media buy. */
const MAX_PACKAGES = 500;

export const updateMediaBuy = handler('update_media_buy', {
  description: 'Changes budgets, dates, creatives and packages of a media buy; pauses, resumes or cancels it',
  callers: 'known',
  prepare: (request, call) => approvalIn('update_media_buy', request, call, planOf(request, call)),
  run: (request, call, approval: Approval | undefined) => {
    // First of all: a creative that is replaced may change the very buy that is looked up next.
    storeCreatives(call, request.packages, '/packages');
    storeCreatives(call, request.new_packages, '/new_packages');
    const desk = deskOf(call);
    const buy = findBuy(desk, request.media_buy_id, '/media_buy_id');
    checkOwnership(call, request, buy);
    checkRevision(request, buy);
    const changed =
      request.canceled === true
        ? cancelBuy(desk, buy, request)
        : changedBuy(call, desk, buy, request, approval);
    const { needed, cost } = approvedPart(request, buy, changed, desk.now);
    samePlan(approval, changed);
    useApproval(call, approval, needed, cost);
    return { ...renderBuy(changed, desk.now), affected_packages: affected(buy, changed) };
  },
});

function planOf(request: UpdateMediaBuyRequest, call: Call): string | undefined {
  return request.plan_id ?? buysOf(deskOf(call)).get(request.media_buy_id)?.planId;
}

function checkOwnership(
  call: Call,
  { account, plan_id: planId }: UpdateMediaBuyRequest,
  buy: StoredMediaBuy,
): void {
  // Also of an account that may not buy any more: its buys can still be stopped.
  if (account !== undefined && findAnyAccount(call, account).accountId !== buy.accountId) {
    refuse('MEDIA_BUY_NOT_FOUND', 'the account has no such media buy', '/media_buy_id');
  }
  if (planId !== undefined && buy.planId !== undefined && planId !== buy.planId) {
    refuse('VALIDATION_ERROR', 'the media buy was ordered under another plan', '/plan_id');
  }
}

/** While the approval was being read, the buy may have joined another plan. */
function samePlan(approval: Approval | undefined, { planId }: StoredMediaBuy): void {
  if (approval === undefined || planId === undefined || approval.planId === planId) return;
  refuse('APPROVAL_INVALID', 'the governance approval was given under another plan', '/governance_approval');
}

function checkRevision({ revision }: UpdateMediaBuyRequest, buy: StoredMediaBuy): void {
  if (revision === undefined || revision === buy.revision) return;
  refuse(
    'CONFLICT',
    'the media buy was changed in between',
    '/revision',
    `look at what has changed; the revision is ${buy.revision} now`,
  );
}

/** The buy after the change, with every change of status that follows from it; the same object when nothing changes. */
function changedBuy(
  call: Call,
  desk: Desk,
  buy: StoredMediaBuy,
  request: UpdateMediaBuyRequest,
  approval: Approval | undefined,
): StoredMediaBuy {
  if (isFinal(buy.status)) {
    refuse('INVALID_STATE', 'the media buy is over and stays as it is', '/media_buy_id', 'order a new one');
  }
  const flight = changedFlight(buy, request, desk.now);
  const posts = request.push_notification_config;
  const planId = request.plan_id ?? buy.planId ?? approval?.planId;
  const moved: StoredMediaBuy = {
    ...buy,
    ...flight,
    paused: request.paused ?? buy.paused,
    ...(posts !== undefined && { posts: postsTo(posts) }),
    ...(planId !== undefined && { planId }),
  };
  const packages = [
    ...changedPackages(call, moved, request.packages ?? [], desk.now),
    ...added(call, moved, request),
  ];
  stillInside(moved, packages, request);
  const next = { ...moved, packages };
  if (riseOf(buy, next, desk.now) > 0) {
    checkLimit(desk, findAccount(call, buy.account, '/media_buy_id'), buy, next, '/packages');
  }
  return keepChanged(desk, buy, next);
}

function added(call: Call, buy: StoredMediaBuy, request: UpdateMediaBuyRequest): readonly StoredPackage[] {
  const wanted: readonly PackageRequest[] = request.new_packages ?? [];
  if (wanted.length === 0) return [];
  if (buy.packages.length + wanted.length > MAX_PACKAGES) {
    refuse('VALIDATION_ERROR', `a media buy has at most ${MAX_PACKAGES} packages`, '/new_packages');
  }
  // Only an account that may buy takes more.
  findAccount(call, buy.account);
  const order = {
    currency: buy.currency,
    brand: buy.brand,
    flight: buy,
    products: productsFor(call),
    mediaBuyId: buy.mediaBuyId,
  };
  return orderedPackages(call, order, wanted, buy.packages.length, '/new_packages');
}

/** When the dates of the buy moved, those of packages that nobody named have to be within them too. */
function stillInside(
  buy: StoredMediaBuy,
  packages: readonly StoredPackage[],
  request: UpdateMediaBuyRequest,
): void {
  const pointers = {
    start: request.start_time === undefined ? '/end_time' : '/start_time',
    end: request.end_time === undefined ? '/start_time' : '/end_time',
  };
  for (const part of packages) if (!part.canceled) insideFlight(buy, part, pointers);
}

function affected(before: StoredMediaBuy, after: StoredMediaBuy): readonly string[] {
  return after.packages
    .filter((part, index) => !isDeepStrictEqual(part, before.packages[index]))
    .map(({ packageId }) => packageId);
}
