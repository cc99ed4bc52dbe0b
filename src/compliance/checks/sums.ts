import { elements, isObject, type JsonObject, member, pointerTo } from '../../base/json.ts';
import { type CheckFunction, notApplicable } from './check.ts';

/** What adds up over packages and media buys; rates, reach and frequency do not. */
const COUNTS: readonly string[] = ['impressions', 'clicks', 'views', 'completed_views', 'conversions'];
const AMOUNTS: readonly string[] = ['spend', 'conversion_value'];
const FIGURES = [...COUNTS, ...AMOUNTS];

/** An object of the answer with the JSON Pointer to it. */
interface Place {
  readonly value: JsonObject;
  readonly pointer: string;
}

/** A total and the parts that it is the total of. */
interface Sum {
  readonly total: Place;
  readonly parts: readonly Place[];
  /** As in `the packages`. */
  readonly of: string;
  /** From the name of a figure in the total to its name in the parts. */
  readonly figures: readonly (readonly [string, string])[];
}

interface Fault {
  readonly pointer: string;
  readonly message: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/**
 * `adds_up`: each total of a delivery report or a media buy is the sum of its parts, in the shapes of both vocabularies: ours
 * has `by_package` and `media_buys` beside its totals; the public one has `totals`, `by_package` and `aggregated_totals`
 * (media-buy/get-media-buy-delivery-response.json 3.0.26: "across all packages", "across all returned media buys"), and
 * `total_budget` (media-buy/get-media-buys-response.json). A total of which a part says nothing is not compared.
 */
export const addsUp: CheckFunction = ({ payload }) => {
  if (payload === undefined) return { result: 'fail', message: 'there is no payload with totals' };
  const sums = [...sumsOfDelivery(payload), ...sumsOfBudget(payload)].filter(({ parts }) => parts.length > 0);
  if (sums.length === 0) return notApplicable('the answer has no total with its parts');
  const faults = [...sums.flatMap(faultsOf), ...countFaults(payload)];
  const [first] = faults;
  if (first === undefined) return { result: 'pass', message: 'every total is the sum of its parts' };
  const more = faults.length > 1 ? `, and ${faults.length - 1} more` : '';
  return { ...first, result: 'fail', message: `${first.message}${more}` };
};

function sumsOfDelivery(payload: JsonObject): readonly Sum[] {
  const figures = FIGURES.map((name) => [name, name] as const);
  const ofPackages = (total: Place | undefined, of: Place): readonly Sum[] =>
    total === undefined ? [] : [{ total, parts: placesIn(of, 'by_package'), of: 'the packages', figures }];
  const whole = { value: payload, pointer: '' };
  // our totals are of all media buys, and a page has some of them
  const hasTotals =
    FIGURES.some((name) => Object.hasOwn(payload, name)) && member(payload.pagination, 'has_more') !== true;
  const buys = placesIn(whole, 'media_buys');
  const deliveries = placesIn(whole, 'media_buy_deliveries');
  const aggregated = placeOf(whole, 'aggregated_totals');
  const totals = deliveries.flatMap((delivery) => placeOf(delivery, 'totals') ?? []);
  return [
    ...(hasTotals ? ofPackages(whole, whole) : []),
    ...(hasTotals ? [{ total: whole, parts: buys, of: 'the media buys', figures }] : []),
    ...buys.flatMap((buy) => ofPackages(buy, buy)),
    ...deliveries.flatMap((delivery) =>
      ofPackages(placeOf(delivery, 'totals'), inCurrency(delivery, payload.currency)),
    ),
    ...(aggregated ? [{ total: aggregated, parts: totals, of: 'the media buys', figures }] : []),
  ];
}

/** Budgets of packages, where none was cancelled. */
function sumsOfBudget(payload: JsonObject): readonly Sum[] {
  const whole = { value: payload, pointer: '' };
  return [whole, ...placesIn(whole, 'media_buys')].flatMap((total) => {
    const parts = placesIn(total, 'packages');
    if (parts.some(({ value }) => value.canceled === true)) return [];
    return [{ total, parts, of: 'the packages', figures: [['total_budget', 'budget']] }];
  });
}

/** `media_buy_count` is the number of media buys in the answer. */
function countFaults({ aggregated_totals: all, media_buy_deliveries: list }: JsonObject): readonly Fault[] {
  const count = member(all, 'media_buy_count');
  if (typeof count !== 'number' || !Array.isArray(list) || count === list.length) return [];
  const pointer = '/aggregated_totals/media_buy_count';
  const message = `${pointer} is not the number of media buys`;
  return [{ pointer, message, expected: list.length, actual: count }];
}

function faultsOf({ total, parts, of, figures }: Sum): readonly Fault[] {
  return figures.flatMap(([name, ofPart]): readonly Fault[] => {
    const told = [figureOf(total, name), ...parts.map((part) => figureOf(part, ofPart))];
    const notNumber = told.find((figure) => figure !== undefined && figure.amount === undefined);
    if (notNumber !== undefined) {
      const { pointer, value } = notNumber;
      return [{ pointer, message: `${pointer} must be a number`, expected: 'a number', actual: value }];
    }
    const amounts = told.flatMap((figure) => figure?.amount ?? []);
    const [first, ...rest] = amounts;
    const currencies = new Set(told.flatMap((figure) => figure?.currency ?? []));
    if (first === undefined || amounts.length < told.length || currencies.size > 1) return [];
    const sum = rest.reduce((before, one) => before + one, 0);
    if (Math.abs(sum - first) < toleranceOf(name, parts.length)) return [];
    const pointer = pointerTo(total.pointer, name);
    const expected = Math.round(sum * 100) / 100;
    return [{ pointer, message: `${pointer} is not the sum of ${of}`, expected, actual: first }];
  });
}

/** Each part may have been rounded: money to cents, counts to whole numbers. */
function toleranceOf(name: string, parts: number): number {
  return COUNTS.includes(name) ? 1 : 0.005 * (parts + 1) + 0.001;
}

interface Figure {
  readonly pointer: string;
  readonly value: unknown;
  /** Absent when it is no number. */
  readonly amount?: number;
  readonly currency?: unknown;
}

/** A number, or money `{amount, currency}`; undefined when it is absent. */
function figureOf({ value: object, pointer: parent }: Place, name: string): Figure | undefined {
  const value = member(object, name);
  if (value === undefined) return undefined;
  const pointer = pointerTo(parent, name);
  const amount = isObject(value) ? value.amount : value;
  const currency = member(value, 'currency');
  const isNumber = typeof amount === 'number' && Number.isFinite(amount);
  return { pointer, value, ...(isNumber && { amount }), ...(currency !== undefined && { currency }) };
}

/** A delivery without the money of its packages, where one of them is priced in another currency than the report. */
function inCurrency({ value, pointer }: Place, currency: unknown): Place {
  const parts = elements(value.by_package).filter(isObject);
  const isOther = parts.some(({ currency: own }) => own !== undefined && own !== currency);
  if (!isOther) return { value, pointer };
  const counts = parts.map((part) =>
    Object.fromEntries(Object.entries(part).filter(([name]) => !AMOUNTS.includes(name))),
  );
  return { value: { ...value, by_package: counts }, pointer };
}

function placeOf({ value, pointer }: Place, name: string): Place | undefined {
  const found = member(value, name);
  return isObject(found) ? { value: found, pointer: pointerTo(pointer, name) } : undefined;
}

function placesIn({ value, pointer }: Place, name: string): readonly Place[] {
  return elements(member(value, name)).flatMap((item, index) =>
    isObject(item) ? [{ value: item, pointer: pointerTo(pointerTo(pointer, name), index) }] : [],
  );
}
