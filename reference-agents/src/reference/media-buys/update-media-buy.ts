import { isDeepStrictEqual } from 'node:util';
import type { PackageRequest, UpdateMediaBuyRequest } from '@agent-registry/surface/agent-kit';
import { findAccount, findAnyAccount } from '../accounts/find-account.ts';
import { approvalIn, useApproval } from '../governance/approvals.ts';
import { type Approval, handler, refuse, type TaskCall } from '../handler.ts';
import { postsTo } from '../posts-to.ts';
import { productsFor } from '../products/find-product.ts';
import { checkLimit } from './budgets.ts';
import { type BuyerScope, buysOf, scopeOf } from './buyer-scope.ts';
import { changedFlight, insideFlight } from './flight.ts';
import { findBuy, keepChanged, saveBuy, withStatus } from './keep-buy.ts';
import { isFinal } from './life.ts';
import { orderedPackages } from './order-package.ts';
import { storeCreatives } from './package-creatives.ts';
import { renderBuy } from './render.ts';
import { reportsFor } from './reports.ts';
import type { StoredMediaBuy, StoredPackage } from './stored.ts';
import { approvedPart, riseOf } from './under-plan.ts';
import { changedPackages } from './update-packages.ts';

/** Members that change something, and that a buy which ends cannot take. */
const CHANGES = [
  'start_time',
  'end_time',
  'paused',
  'packages',
  'new_packages',
  'reporting_webhook',
] as const;

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
    const scope = scopeOf(call);
    const buy = findBuy(scope, request.media_buy_id, '/media_buy_id');
    checkOwnership(call, request, buy);
    checkRevision(request, buy);
    const changed =
      request.canceled === true
        ? cancelBuy(scope, buy, request)
        : changedBuy(call, scope, buy, request, approval);
    const { needed, cost } = approvedPart(request, buy, changed, scope.now);
    samePlan(approval, changed);
    useApproval(call, approval, needed, cost);
    return { ...renderBuy(changed, scope.now), affected_packages: affected(buy, changed) };
  },
});

function planOf(request: UpdateMediaBuyRequest, call: TaskCall): string | undefined {
  return request.plan_id ?? buysOf(scopeOf(call)).get(request.media_buy_id)?.planId;
}

function checkOwnership(
  call: TaskCall,
  { account, plan_id: planId }: UpdateMediaBuyRequest,
  buy: StoredMediaBuy,
): void {
  // Also of an account that may not buy any more: its buys can still be stopped.
  if (account !== undefined && findAnyAccount(call, account).accountId !== buy.accountId) {
    refuse('MEDIA_BUY_NOT_FOUND', 'unknown media buy of this account', '/media_buy_id');
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
    'the media buy has changed since that revision',
    '/revision',
    `read it again; the current revision is ${buy.revision}`,
  );
}

/** The buy after the change, with every change of status that follows from it; the same object when nothing changes. */
function changedBuy(
  call: TaskCall,
  scope: BuyerScope,
  buy: StoredMediaBuy,
  request: UpdateMediaBuyRequest,
  approval: Approval | undefined,
): StoredMediaBuy {
  if (isFinal(buy.status)) {
    refuse('INVALID_STATE', 'the media buy has ended and cannot change', '/media_buy_id', 'order a new one');
  }
  const flight = changedFlight(buy, request, scope.now);
  const { push_notification_config: posts, reporting_webhook: reports } = request;
  const planId = request.plan_id ?? buy.planId ?? approval?.planId;
  const moved: StoredMediaBuy = {
    ...buy,
    ...flight,
    paused: request.paused ?? buy.paused,
    ...(posts !== undefined && { posts: postsTo(posts, call.agent) }),
    ...(reports !== undefined && {
      reports: reportsFor(reports, call.agent, {
        from: Math.max(buy.startsAt, scope.now),
        earlier: buy.reports,
      }),
    }),
    ...(planId !== undefined && { planId }),
  };
  const packages = [
    ...changedPackages(call, moved, request.packages ?? [], scope.now),
    ...added(call, moved, request),
  ];
  stillInside(moved, packages, request);
  const next = { ...moved, packages };
  if (riseOf(buy, next, scope.now) > 0) {
    checkLimit(scope, findAccount(call, buy.account, '/media_buy_id'), buy, next, '/packages');
  }
  return keepChanged(scope, buy, next);
}

function added(
  call: TaskCall,
  buy: StoredMediaBuy,
  request: UpdateMediaBuyRequest,
): readonly StoredPackage[] {
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

/** Ends a buy for good. Refuses NOT_CANCELLABLE when it has ended, VALIDATION_ERROR beside other changes. */
function cancelBuy(scope: BuyerScope, buy: StoredMediaBuy, request: UpdateMediaBuyRequest): StoredMediaBuy {
  if (isFinal(buy.status)) {
    refuse('NOT_CANCELLABLE', 'the media buy has ended already', '/canceled');
  }
  const other = CHANGES.find((name) => request[name] !== undefined);
  if (other !== undefined) {
    refuse(
      'VALIDATION_ERROR',
      'a cancellation cannot be combined with other changes',
      `/${other}`,
      'send the cancellation alone',
    );
  }
  const reason = request.cancellation_reason ?? 'the buyer canceled it';
  const canceled = withStatus(scope, buy, { status: 'canceled', at: scope.now, reason });
  saveBuy(scope, buy, canceled);
  return canceled;
}
