import type { UpdateMediaBuyRequestPackagesItem } from '@agent-registry/surface/agent-kit';
import { refuse, type TaskCall } from '../handler.ts';
import type { CatalogueProduct } from '../products/catalogue-product.ts';
import { findPricingOption, productIn, productsFor } from '../products/find-product.ts';
import { forecastFor } from '../products/forecast.ts';
import { packageBudget } from './budgets.ts';
import { movablePackage, packageDates } from './flight.ts';
import { amountOf } from './money.ts';
import { assignmentOfId, knownAudiences, periodOf } from './order-package.ts';
import { assignmentsOf } from './package-creatives.ts';
import { figuresAt } from './segments.ts';
import type { StoredAssignment, StoredMediaBuy, StoredPackage } from './stored.ts';

type PackageChange = UpdateMediaBuyRequestPackagesItem;

/** The packages of a buy after the changes, in their old order. Refuses with the code and place of the first that is wrong. */
export function changedPackages(
  call: TaskCall,
  buy: StoredMediaBuy,
  changes: readonly PackageChange[],
  now: number,
): readonly StoredPackage[] {
  const parts = new Map(buy.packages.map((part) => [part.packageId, part]));
  const named = new Set<string>();
  const products = changes.length === 0 ? [] : productsFor(call);
  changes.forEach((change, index) => {
    const pointer = `/packages/${index}`;
    const part = parts.get(change.package_id) ?? noSuchPackage(`${pointer}/package_id`);
    if (named.has(part.packageId)) {
      refuse('VALIDATION_ERROR', 'duplicate package', `${pointer}/package_id`);
    }
    named.add(part.packageId);
    parts.set(part.packageId, changedPackage(call, { buy, products, now }, part, change, pointer));
  });
  return [...parts.values()];
}

export function noSuchPackage(pointer: string): never {
  refuse('PACKAGE_NOT_FOUND', 'unknown package of this media buy', pointer);
}

/** What a change meets. */
interface Present {
  readonly buy: StoredMediaBuy;
  readonly products: readonly CatalogueProduct[];
  readonly now: number;
}

function changedPackage(
  call: TaskCall,
  { buy, products, now }: Present,
  part: StoredPackage,
  change: PackageChange,
  pointer: string,
): StoredPackage {
  if (part.canceled) {
    const again = change.canceled === true;
    refuse(
      again ? 'NOT_CANCELLABLE' : 'INVALID_STATE',
      'the package is canceled and cannot change',
      again ? `${pointer}/canceled` : `${pointer}/package_id`,
    );
  }
  movablePackage(buy, part, change, now, pointer);
  const changed = {
    ...part,
    ...packageDates(buy, change, pointer, part),
    budget: budgetOf(part, change, now, pointer),
    paused: change.paused ?? part.paused,
    canceled: change.canceled === true,
    assignments: assignmentsAfter(call, part, change, pointer),
    audienceIds:
      change.audience_ids === undefined
        ? part.audienceIds
        : knownAudiences(call, change.audience_ids, `${pointer}/audience_ids`),
  };
  return changed.budget === part.budget ? changed : forecastAnew(products, buy, changed);
}

/** Never below what is spent, nor below what the pricing option asks for. */
function budgetOf(part: StoredPackage, { budget }: PackageChange, now: number, pointer: string): number {
  if (budget === undefined) return part.budget;
  const cents = packageBudget(budget, part.minSpend, `${pointer}/budget`);
  const spent = figuresAt(part, now).cents;
  if (cents < spent) {
    refuse(
      'BUDGET_TOO_LOW',
      'the budget is less than the amount already spent',
      `${pointer}/budget`,
      `at least ${amountOf(spent)}`,
    );
  }
  return cents;
}

/** Named assignments replace those there were; creatives that are sent along come on top. */
function assignmentsAfter(
  call: TaskCall,
  part: StoredPackage,
  change: PackageChange,
  pointer: string,
): readonly StoredAssignment[] {
  const { creative_assignments: named, creatives = [] } = change;
  const kept =
    named === undefined
      ? part.assignments
      : assignmentsOf(call, named, part.formats, `${pointer}/creative_assignments`);
  const sent = assignmentsOf(call, creatives.map(assignmentOfId), part.formats, `${pointer}/creatives`);
  return joined(kept, sent);
}

/** Both lists; of a creative in both, the weight of the first and the approval of the second. */
export function joined(
  first: readonly StoredAssignment[],
  second: readonly StoredAssignment[],
): readonly StoredAssignment[] {
  const all = new Map(first.map((one) => [one.creativeId, one]));
  for (const one of second) all.set(one.creativeId, { ...all.get(one.creativeId), ...one });
  return [...all.values()];
}

function forecastAnew(
  products: readonly CatalogueProduct[],
  buy: StoredMediaBuy,
  part: StoredPackage,
): StoredPackage {
  const product = productIn(products, part.productId, '/media_buy_id');
  const option = findPricingOption(product, part.pricingOptionId, '/media_buy_id');
  const forecast = forecastFor(product, amountOf(part.budget), option, periodOf(buy, part));
  return { ...part, forecast };
}
