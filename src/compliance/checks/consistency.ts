import { elements, isObject, type JsonObject, member, pointerTo } from '../../base/json.ts';
import { type CheckFunction, notApplicable } from './check.ts';

/*
 * Checks that compare an answer with its request, with an earlier answer, or one part of it with another.
 */

/** Top-level fields that describe one response: a replay may have others. `ext` belongs to the agent's vendor. */
const OF_ONE_RESPONSE: ReadonlySet<string> = new Set([
  'replayed',
  'context',
  'context_id',
  'correlation_id',
  'request_id',
  'timestamp',
  'message',
  'ext',
]);

/** A place where two answers differ. */
interface Difference {
  readonly pointer: string;
  readonly first: unknown;
  readonly second: unknown;
}

/**
 * `replay_equals`: the answer equals that of an earlier step, whole (universal/idempotency.yaml 3.0: a retry with the same
 * key gets the cached response).
 */
export const replayEquals: CheckFunction = ({ validation: { step }, prior, answer }) => {
  if (step === undefined) return notApplicable('the check has no step');
  const first = prior?.get(step);
  if (first === undefined) return notApplicable(`nothing to compare with: the step ${step} did not pass`);
  if (answer.outcome !== 'answered')
    return { result: 'fail', message: 'no answer to the retry', expected: 'the first answer' };
  const difference = firstDifference(comparable(first), comparable(answer.data));
  if (difference === undefined)
    return { result: 'pass', message: `the answer equals the answer of step ${step}` };
  const { pointer, first: expected = 'nothing', second: actual } = difference;
  const message = `${pointer} differs from the answer of step ${step}`;
  return { result: 'fail', message, pointer, expected, ...(actual !== undefined && { actual }) };
};

function comparable(answer: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !OF_ONE_RESPONSE.has(name)));
}

/** Where two JSON values differ first; the order of fields does not matter. */
function firstDifference(first: unknown, second: unknown, pointer = ''): Difference | undefined {
  for (const name of commonShape(first, second) ?? []) {
    const found = firstDifference(childOf(first, name), childOf(second, name), pointerTo(pointer, name));
    if (found !== undefined) return found;
  }
  const isSame = commonShape(first, second) !== undefined || first === second;
  return isSame ? undefined : { pointer, first, second };
}

/** The fields of two objects, or the indexes of two lists; undefined for values that are not compared by parts. */
function commonShape(first: unknown, second: unknown): readonly (string | number)[] | undefined {
  if (Array.isArray(first) && Array.isArray(second))
    return Array.from({ length: Math.max(first.length, second.length) }, (_, index) => index);
  if (!isObject(first) || !isObject(second)) return undefined;
  return [...new Set([...Object.keys(first), ...Object.keys(second)])];
}

function childOf(value: unknown, name: string | number): unknown {
  return Array.isArray(value) ? value[Number(name)] : member(value, String(name));
}

/** An account that an answer names, and where. */
interface Named {
  readonly account: JsonObject;
  readonly pointer: string;
}

const MAX_DEPTH = 32;
const MAX_NAMED = 10_000;
/** These repeat what the caller sent, or belong to the agent's vendor. */
const OPAQUE: ReadonlySet<string> = new Set(['context', 'ext']);

/**
 * `own_account`: every object of the answer that names an account names the caller's. A request that names its account or
 * brand limits the answer to it (core/account-ref.json, account/list_accounts-request.json); `value` is the account that
 * the run acts for, and an account with neither its operator nor its brand belongs to somebody else
 * (account/list-accounts-response.json 3.0: accounts that the caller has access to).
 */
export const ownAccount: CheckFunction = ({ validation, payload, request = {} }) => {
  if (payload === undefined) return notApplicable('the answer has no payload');
  const named = accountsIn(payload);
  if (named.length === 0) return { result: 'pass', message: 'the answer has no accounts' };
  const asked = [request.account, ...elements(request.accounts)].filter(isObject);
  const { brand } = request;
  const foreign = named.find(({ account }) => {
    if (asked.length > 0)
      return !asked.some((one) => agrees(account, one, ['operator', 'brand', 'account_id']));
    if (isObject(brand) && !agrees(account, { brand }, ['brand'])) return true;
    return isObject(validation.value) && isForeign(account, validation.value);
  });
  if (foreign === undefined)
    return { result: 'pass', message: `all ${named.length} accounts belong to the caller` };
  return {
    result: 'fail',
    message: `${foreign.pointer} belongs to another caller`,
    pointer: foreign.pointer,
    expected: asked[0] ?? (isObject(brand) ? { brand } : validation.value),
    actual: shown(foreign.account),
  };
};

/** Objects under `account` anywhere, and the items of `accounts`. */
function accountsIn(payload: JsonObject): readonly Named[] {
  const found: Named[] = [];
  const look = (value: unknown, pointer: string, depth: number): void => {
    if (depth > MAX_DEPTH || found.length >= MAX_NAMED) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) look(item, pointerTo(pointer, index), depth + 1);
    } else if (isObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        const at = pointerTo(pointer, name);
        if (OPAQUE.has(name)) continue;
        if (name === 'account' && isObject(item)) found.push({ account: item, pointer: at });
        else if (name === 'accounts' && Array.isArray(item)) {
          for (const [index, account] of item.slice(0, MAX_NAMED - found.length).entries())
            if (isObject(account)) found.push({ account, pointer: pointerTo(at, index) });
        } else look(item, at, depth + 1);
      }
    }
  };
  look(payload, '', 0);
  return found.filter(({ account }) =>
    ['operator', 'brand', 'account_id'].some((key) => nameOf(account, key) !== undefined),
  );
}

/** True unless both name the same thing differently; what only one of them names does not count. */
function agrees(account: JsonObject, asked: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => {
    const [own, other] = [nameOf(account, key), nameOf(asked, key)];
    return own === undefined || other === undefined || own === other;
  });
}

/** It names an operator or a brand, and none of them is ours. */
function isForeign(account: JsonObject, ours: JsonObject): boolean {
  const told = ['operator', 'brand'].filter(
    (key) => nameOf(account, key) !== undefined && nameOf(ours, key) !== undefined,
  );
  return told.length > 0 && told.every((key) => nameOf(account, key) !== nameOf(ours, key));
}

/** Domains are equal whatever their case. */
function nameOf(account: JsonObject, key: string): string | undefined {
  const value = key === 'brand' ? member(account.brand, 'domain') : account[key];
  if (typeof value !== 'string') return undefined;
  return key === 'account_id' ? value : value.toLowerCase();
}

function shown({ account_id, brand, operator }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries({ account_id, brand, operator }).filter(([, value]) => value !== undefined),
  );
}

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
  if (payload === undefined) return { result: 'fail', message: 'the answer has no payload with totals' };
  const sums = [...sumsOfDelivery(payload), ...sumsOfBudget(payload)].filter(({ parts }) => parts.length > 0);
  if (sums.length === 0) return notApplicable('the answer has no total to add up');
  const faults = [...sums.flatMap(faultsOf), ...countFaults(payload)];
  const [first] = faults;
  if (first === undefined) return { result: 'pass', message: 'every total equals the sum of its parts' };
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
  const message = `${pointer} does not equal the number of media buys`;
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
    return [{ pointer, message: `${pointer} does not equal the sum of ${of}`, expected, actual: first }];
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
