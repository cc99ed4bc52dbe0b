import { refuse, type TaskCall } from '../handler.ts';
import { type BuyerScope, buysOf, scopeOf } from './buyer-scope.ts';
import { findBuy, keepChanged } from './keep-buy.ts';
import { isFinal } from './life.ts';
import { buyOfPackage } from './order-package.ts';
import { assignmentOf } from './package-creatives.ts';
import type { StoredMediaBuy, StoredPackage } from './stored.ts';
import { joined, noSuchPackage } from './update-packages.ts';

/** Creatives that are to run in a package. */
export interface WantedAssignment {
  /** Without it, the media buy is that of the package. */
  readonly mediaBuyId?: string | undefined;
  readonly packageId: string;
  readonly creativeIds: readonly string[];
  /** The place of the wish; refusals name `package_id`, `media_buy_id` and `creative_ids/<n>` below it. */
  readonly pointer: string;
}

/** Media buys that are being changed, by their ids: each is read and kept once, however often it is named. */
type Touched = Map<string, { readonly before: StoredMediaBuy; readonly after: StoredMediaBuy }>;

/**
 * Lets creatives of the caller's library run in packages, beside those that run there already. Refuses
 * MEDIA_BUY_NOT_FOUND, PACKAGE_NOT_FOUND, CREATIVE_NOT_FOUND, CREATIVE_REJECTED and INVALID_STATE.
 */
export function assignCreatives(call: TaskCall, wanted: readonly WantedAssignment[]): void {
  const scope = scopeOf(call);
  const touched: Touched = new Map();
  for (const one of wanted) assign(call, scope, touched, one);
  for (const { before, after } of touched.values()) keepChanged(scope, before, after);
}

function assign(call: TaskCall, scope: BuyerScope, touched: Touched, wanted: WantedAssignment): void {
  const { packageId, creativeIds, pointer } = wanted;
  const { before, after } = buyFor(scope, touched, wanted);
  const part = after.packages.find((one) => one.packageId === packageId);
  if (part === undefined) noSuchPackage(`${pointer}/package_id`);
  if (isFinal(after.status) || part.canceled) {
    refuse('INVALID_STATE', 'the package has ended and accepts no creatives', `${pointer}/package_id`);
  }
  const named = creativeIds.map((id, index) =>
    assignmentOf(call, { creative_id: id }, part.formats, `${pointer}/creative_ids/${index}`),
  );
  const changed = { ...part, assignments: joined(part.assignments, named) };
  touched.set(after.mediaBuyId, { before, after: withPackage(after, changed) });
}

function buyFor(scope: BuyerScope, touched: Touched, { mediaBuyId, packageId, pointer }: WantedAssignment) {
  const id = mediaBuyId ?? buyOfPackage(packageId) ?? noSuchPackage(`${pointer}/package_id`);
  const known = touched.get(id);
  if (known !== undefined) return known;
  if (mediaBuyId === undefined && buysOf(scope).get(id) === undefined) noSuchPackage(`${pointer}/package_id`);
  const buy = findBuy(scope, id, `${pointer}/media_buy_id`);
  return { before: buy, after: buy };
}

function withPackage(buy: StoredMediaBuy, changed: StoredPackage): StoredMediaBuy {
  const packages = buy.packages.map((part) => (part.packageId === changed.packageId ? changed : part));
  return { ...buy, packages };
}
