import type {
  Brand,
  Creative,
  CreativeAssignment,
  FormatId,
  PackageRequest,
  PricingOption,
} from '@agent-registry/surface/agent-kit';
import { hundredths } from '../amounts.ts';
import { findAudience } from '../audiences/audiences.ts';
import { takes } from '../creatives/formats.ts';
import { refuse, type TaskCall } from '../handler.ts';
import type { CatalogueProduct } from '../products/catalogue-product.ts';
import { findPricingOption, productIn } from '../products/find-product.ts';
import { forecastFor } from '../products/forecast.ts';
import { findSegment } from '../signals/find-segment.ts';
import { packageBudget } from './budgets.ts';
import { type Flight, packageDates } from './flight.ts';
import { amountOf } from './money.ts';
import { assignmentsOf, generated } from './package-creatives.ts';
import { ratesOf } from './price.ts';
import type { StoredAssignment, StoredPackage } from './stored.ts';

/** What the packages of one order have in common. */
export interface Order {
  /** That of the media buy: all of its packages are in one. */
  readonly currency: string;
  readonly brand: Brand;
  readonly flight: Flight;
  /** What the caller can buy. */
  readonly products: readonly CatalogueProduct[];
  /** For packages of generative products that bring nothing of their own. */
  readonly brief?: string | undefined;
  readonly mediaBuyId: string;
}

/**
 * Packages as they are ordered, every reference in them looked up; their creatives are in the library already.
 * Nothing is delivered yet. Refuses with the code of what is wrong and its place below `pointer`.
 *
 * @param before How many packages the buy has already.
 */
export function orderedPackages(
  call: TaskCall,
  order: Order,
  asked: readonly PackageRequest[],
  before: number,
  pointer: string,
): readonly StoredPackage[] {
  return asked.map((one, index) => {
    const packageId = `${order.mediaBuyId}.${before + index + 1}`;
    return { packageId, ...orderedPackage(call, order, one, `${pointer}/${index}`) };
  });
}

/** The media buy that a package is of; undefined for what is no id of a package. */
export function buyOfPackage(packageId: string): string | undefined {
  return /^(.+)\.\d+$/.exec(packageId)?.[1];
}

function orderedPackage(
  call: TaskCall,
  order: Order,
  asked: PackageRequest,
  pointer: string,
): Omit<StoredPackage, 'packageId'> {
  const product = productIn(order.products, asked.product_id, `${pointer}/product_id`);
  const option = findPricingOption(product, asked.pricing_option_id, `${pointer}/pricing_option_id`);
  inCurrency(order.currency, option, pointer);
  const minSpend = hundredths(option.min_spend ?? 0);
  const budget = packageBudget(asked.budget, minSpend, `${pointer}/budget`);
  const dates = packageDates(order.flight, asked, pointer);
  checkFormats(call, asked.format_ids, product, pointer);
  return {
    productId: product.product_id,
    ...(asked.name !== undefined && { name: asked.name }),
    pricingOptionId: asked.pricing_option_id,
    price: { model: option.model, price: option.price },
    minSpend,
    rates: ratesOf(product),
    budget,
    ...dates,
    paused: false,
    canceled: false,
    assignments: creativesFor(call, order, asked, product, pointer),
    formats: asked.format_ids ?? product.format_ids,
    audienceIds: knownAudiences(call, asked.audience_ids, `${pointer}/audience_ids`),
    segmentIds: knownSegments(call, asked.signal_agent_segment_ids, `${pointer}/signal_agent_segment_ids`),
    pace: 1,
    forecast: forecastFor(product, amountOf(budget), option, periodOf(order.flight, dates)),
    segments: [],
    extras: [],
  };
}

/** From when to when a package runs, its own dates before those of its media buy. */
export function periodOf(flight: Flight, own: Pick<StoredPackage, 'startsAt' | 'endsAt'>) {
  return { start: own.startsAt ?? flight.startsAt, end: own.endsAt ?? flight.endsAt };
}

function inCurrency(currency: string, option: PricingOption, pointer: string): void {
  if (option.currency === currency) return;
  refuse(
    'VALIDATION_ERROR',
    'the pricing option is not in the currency of the media buy',
    `${pointer}/pricing_option_id`,
    `use a pricing option in ${currency}, or an account in another currency`,
  );
}

function checkFormats(
  call: TaskCall,
  wanted: readonly FormatId[] | undefined,
  product: CatalogueProduct,
  pointer: string,
): void {
  const odd = (wanted ?? []).findIndex((format) => !takes(call, product.format_ids, format));
  if (odd === -1) return;
  const names = product.format_ids.map(({ id }) => id).join(', ');
  refuse(
    'FORMAT_NOT_FOUND',
    'unknown format of this product',
    `${pointer}/format_ids/${odd}`,
    `known formats: ${names}`,
  );
}

function creativesFor(
  call: TaskCall,
  order: Order,
  asked: PackageRequest,
  product: CatalogueProduct,
  pointer: string,
): readonly StoredAssignment[] {
  const { creatives = [], creative_assignments: assigned = [], brief } = asked;
  if (brief !== undefined && product.generative !== true) briefNotTaken(`${pointer}/brief`);
  const taken = product.format_ids;
  const sent = assignmentsOf(call, creatives.map(assignmentOfId), taken, `${pointer}/creatives`);
  const named = assignmentsOf(call, assigned, taken, `${pointer}/creative_assignments`);
  const own = [
    ...sent,
    ...named.filter(({ creativeId }) => sent.every((one) => one.creativeId !== creativeId)),
  ];
  const words = brief ?? (own.length === 0 && product.generative === true ? order.brief : undefined);
  if (words === undefined) return own;
  const place = brief === undefined ? '/brief' : `${pointer}/brief`;
  const made = generated(call, words, order.brand, { wanted: asked.format_ids, taken }, place);
  return [...own, ...assignmentsOf(call, made, taken, place)];
}

/** Of a creative only the id counts here: its other members were not held against an assignment. */
export function assignmentOfId({ creative_id }: Creative): CreativeAssignment {
  return { creative_id };
}

/** Only generative products take a brief in place of creatives. */
export function briefNotTaken(pointer: string): never {
  refuse(
    'UNSUPPORTED_FEATURE',
    'only generative products accept a brief instead of creatives',
    pointer,
    'send creatives, or order a product with generative: true',
  );
}

/** The ids, each of which names an audience of the caller. Refuses REFERENCE_NOT_FOUND. */
export function knownAudiences(
  call: TaskCall,
  ids: readonly string[] | undefined,
  pointer: string,
): readonly string[] {
  (ids ?? []).forEach((id, index) => void findAudience(call, id, `${pointer}/${index}`));
  return ids ?? [];
}

/** The ids, each of which names a segment. That it is activated for this seller is for the signals agent to know. */
function knownSegments(
  call: TaskCall,
  ids: readonly string[] | undefined,
  pointer: string,
): readonly string[] {
  (ids ?? []).forEach((id, index) => void findSegment(call, id, `${pointer}/${index}`));
  return ids ?? [];
}
