import type { CreateMediaBuyRequest, CreateMediaBuyResponse, Money } from '@agent-registry/surface/agent-kit';
import { findAccount } from '../accounts/find-account.ts';
import type { StoredAccount } from '../accounts/stored-account.ts';
import { approvalIn, useApproval } from '../governance/approvals.ts';
import { type Approval, handler, refuse, type TaskCall } from '../handler.ts';
import { type KnownTarget, knownTarget } from '../posts-to.ts';
import type { CatalogueProduct } from '../products/catalogue-product.ts';
import { productIn, productsFor } from '../products/find-product.ts';
import { checkLimit, checkTotal } from './budgets.ts';
import { type BuyerScope, scopeOf } from './buyer-scope.ts';
import { newFlight } from './flight.ts';
import { saveBuy } from './keep-buy.ts';
import { buyStatusAt } from './life.ts';
import { moneyOf } from './money.ts';
import { briefNotTaken, orderedPackages } from './order-package.ts';
import { storeCreatives } from './package-creatives.ts';
import { renderBuy, totalOf } from './render.ts';
import { reportsFor } from './reports.ts';
import { pacedBuy } from './segments.ts';
import type { StoredMediaBuy } from './stored.ts';

export const createMediaBuy = handler('create_media_buy', {
  description: 'Orders packages of products; a generative product accepts a brief instead of creatives',
  callers: 'known',
  prepare: (request, call) => approvalIn('create_media_buy', request, call),
  run: (request, call, approval: Approval | undefined) => {
    noArtifacts(request);
    const scope = scopeOf(call);
    const account = findAccount(call, request.account);
    sameBrand(request, account);
    // an order that says nothing of webhooks has them posted where the account, else the buyer, was registered with them
    const target = knownTarget(request.push_notification_config, account, call);
    const ordered = orderedBuy(request, call, scope, account, target);
    checkTotal(request.total_budget, ordered.packages, ordered.currency);
    const place = request.total_budget === undefined ? '/packages' : '/total_budget';
    checkLimit(scope, account, undefined, ordered, place);
    useApproval(call, approval, request.plan_id !== undefined, costOf(ordered));
    const planId = request.plan_id ?? approval?.planId;
    const buy = begun({ ...ordered, ...(planId !== undefined && { planId }) }, scope.now);
    saveBuy(scope, undefined, buy);
    return { ...renderBuy(buy, scope.now), notifications: notificationsOf(target) };
  },
});

function orderedBuy(
  request: CreateMediaBuyRequest,
  call: TaskCall,
  { now }: BuyerScope,
  account: StoredAccount,
  target: KnownTarget | undefined,
): StoredMediaBuy {
  const flight = newFlight(request, now);
  const products = productsFor(call);
  someGenerative(request, products);
  const mediaBuyId = call.newId('mb');
  const { brand, operator, sandbox, accountId } = account;
  const order = { mediaBuyId, currency: account.currency, brand, flight, products, brief: request.brief };
  storeCreatives(call, request.packages, '/packages');
  const reports = request.reporting_webhook;
  return {
    mediaBuyId,
    accountId,
    account: { brand, operator, sandbox, account_id: accountId },
    brand,
    ...(request.name !== undefined && { name: request.name }),
    currency: account.currency,
    status: 'pending_start',
    statusSince: now,
    paused: false,
    ...flight,
    packages: orderedPackages(call, order, request.packages, 0, '/packages'),
    revision: 1,
    createdAt: now,
    updatedAt: now,
    ...(target !== undefined && { posts: target.config }),
    ...(reports !== undefined && { reports: reportsFor(reports, call.agent, { from: flight.startsAt }) }),
    sequence: 0,
  };
}

/** The public protocol's wish for the content that ads stood beside. Whoever is not told waits for it for ever. */
function noArtifacts(request: CreateMediaBuyRequest): void {
  if (!Object.hasOwn(request, 'artifact_webhook')) return;
  refuse('UNSUPPORTED_FEATURE', 'content artifacts are not supported', '/artifact_webhook', 'leave it out');
}

/** What the buyer learns of its webhooks: an order without any address is not refused, and tells no one of its start. */
function notificationsOf(
  target: KnownTarget | undefined,
): NonNullable<CreateMediaBuyResponse['notifications']> {
  if (target === undefined)
    return {
      message:
        'No webhook will be sent when this media buy changes, because the order, its account and your registration have no webhook URL. Send push_notification_config with update_media_buy.',
    };
  const { config, from } = target;
  const named = { order: 'the order', account: 'the account', registration: 'your registration' }[from];
  return { url: config.url, from, message: `Changes are posted to the webhook URL of ${named}.` };
}

function costOf({ packages, currency }: StoredMediaBuy): Money {
  return moneyOf(totalOf(packages), currency);
}

/** A new buy begins in the status that it belongs in; that is no change, and nothing is posted. */
function begun(buy: StoredMediaBuy, now: number): StoredMediaBuy {
  return pacedBuy({ ...buy, status: buyStatusAt(buy, now) }, now);
}

function sameBrand({ brand }: CreateMediaBuyRequest, account: StoredAccount): void {
  const same = brand.domain.toLowerCase() === account.brand.domain.toLowerCase();
  if (same && (brand.brand_id ?? account.brand.brand_id) === account.brand.brand_id) return;
  refuse(
    'VALIDATION_ERROR',
    'the account belongs to another brand',
    '/brand',
    'send the brand of the account',
  );
}

/** A brief that no package could be made from would be left unread. */
function someGenerative(
  { brief, packages }: CreateMediaBuyRequest,
  products: readonly CatalogueProduct[],
): void {
  if (brief === undefined) return;
  const ordered = packages.map(({ product_id: id }, index) =>
    productIn(products, id, `/packages/${index}/product_id`),
  );
  if (!ordered.some(({ generative }) => generative === true)) briefNotTaken('/brief');
}
