import type { CatalogueProduct } from './catalogue-product.ts';
import { inCurrency } from './currencies.ts';
import { labelOf, listed } from './describe.ts';
import { type AnswerDraft, keepWhere, type RefinementStep, rescore } from './draft.ts';
import { withOptions } from './filters.ts';
import { effectiveCpm, USUAL_DAYS } from './forecast.ts';
import type { Facet } from './lexicon.ts';
import { isAllowed, meets } from './meets.ts';
import { bestFirst, tidyScore } from './rank.ts';
import type { Amount, BriefWish, PriceLimit, WishTerm } from './wish.ts';

type Change = (draft: AnswerDraft) => RefinementStep;

/** Facets of which a plain word is already a limit: `in the Netherlands` leaves out all else. */
const LIMITING: ReadonlySet<Facet> = new Set(['country', 'place', 'delivery', 'making']);

/** The steps of a wish about the whole, in the order in which they are taken. */
export function changesFor(asked: BriefWish): readonly Change[] {
  const mentions = asked.mentions.filter(({ facet }) => facet !== 'command');
  const limits = mentions.filter(
    ({ mode, facet }) => mode === 'only' || (mode === 'plain' && LIMITING.has(facet)),
  );
  const others = mentions.filter((one) => !limits.includes(one));
  const commands = asked.mentions.filter(({ facet }) => facet === 'command');
  const { budget, maxPrice, days, limit } = asked;
  return [
    ...others
      .filter(({ mode }) => mode === 'not')
      .map(
        (one): Change =>
          (draft) =>
            leaveOut(draft, one),
      ),
    ...[...Map.groupBy(limits, ({ facet }) => facet).values()].map(
      (some): Change =>
        (draft) =>
          narrow(draft, some),
    ),
    ...others
      .filter(({ mode }) => mode !== 'not')
      .map(
        (one): Change =>
          (draft) =>
            weigh(draft, one),
      ),
    ...(maxPrice === undefined ? [] : [(draft: AnswerDraft) => below(draft, maxPrice)]),
    ...(budget === undefined ? [] : [(draft: AnswerDraft) => withBudget(draft, budget)]),
    ...(days === undefined ? [] : [(draft: AnswerDraft) => withDays(draft, days)]),
    ...commands.flatMap(({ value }) => COMMANDS[value] ?? []),
    ...(limit === undefined ? [] : [(draft: AnswerDraft) => firstOf(draft, limit)]),
  ];
}

function leaveOut(draft: AnswerDraft, mention: WishTerm): RefinementStep {
  const step = keepWhere(draft, `free of ${labelOf(mention)}`, (product) => isAllowed(product, [mention]));
  return remembering(step, [mention]);
}

function narrow(draft: AnswerDraft, some: readonly WishTerm[]): RefinementStep {
  const only = some.map((one): WishTerm => ({ ...one, mode: 'only' }));
  const what = `for ${listed(only.map(labelOf))}`;
  return remembering(
    keepWhere(draft, what, (product) => isAllowed(product, only)),
    only,
  );
}

/** What was done holds for later refinements too. */
function remembering(step: RefinementStep, mentions: readonly WishTerm[]): RefinementStep {
  if (!step.done) return step;
  const { wish } = step.draft;
  const named = new Set(mentions.map(({ facet, value }) => `${facet} ${value}`));
  const others = wish.mentions.filter(({ facet, value }) => !named.has(`${facet} ${value}`));
  return { ...step, draft: { ...step.draft, wish: { ...wish, mentions: [...others, ...mentions] } } };
}

/** More of something raises what has it and lowers the rest; less of it lowers what has it. */
function weigh(draft: AnswerDraft, mention: WishTerm): RefinementStep {
  const label = labelOf(mention);
  const count = draft.list.filter(({ product }) => meets(product, mention) > 0).length;
  if (mention.mode === 'less' && count === 0) return { draft, done: true, note: `none has ${label} anyway` };
  if (mention.mode === 'less') {
    const lowered = rescore(draft, ({ product, score }) =>
      tidyScore(meets(product, mention) > 0 ? score * 0.4 : score),
    );
    return { draft: lowered, done: true, note: `${count} with ${label} moved down` };
  }
  if (count === 0) return { draft, done: false, note: `none of those shown has anything of ${label}` };
  const raised = rescore(draft, ({ product, score }) => {
    const match = meets(product, mention);
    return tidyScore(match > 0 ? 0.5 * score + 0.5 * match : score * 0.7);
  });
  return { draft: raised, done: true, note: `${count} with ${label} moved up` };
}

function below(draft: AnswerDraft, most: PriceLimit): RefinementStep {
  const step = keepWhere(draft, 'within that price', (product) => pricedWithin([product], most).length > 0);
  if (!step.done) return step;
  return { ...step, draft: { ...step.draft, wish: { ...step.draft.wish, maxPrice: most } } };
}

/** The products with those options that cost no more; without those that have none. */
export function pricedWithin(
  products: readonly CatalogueProduct[],
  { amount, currency: named, model: only }: PriceLimit,
): readonly CatalogueProduct[] {
  return withOptions(
    products,
    ({ price, currency, model }) =>
      (only === undefined || model === only) && price <= inCurrency(amount, named ?? currency, currency),
  );
}

function withBudget(draft: AnswerDraft, budget: Amount): RefinementStep {
  const note = `forecasts are for ${budget.amount}${budget.currency === undefined ? '' : ` ${budget.currency}`}`;
  return { draft: { ...draft, wish: { ...draft.wish, budget } }, done: true, note };
}

function withDays(draft: AnswerDraft, days: number): RefinementStep {
  return {
    draft: { ...draft, wish: { ...draft.wish, days } },
    done: true,
    note: `forecasts are for a flight of ${days} days`,
  };
}

function timesDays(draft: AnswerDraft, times: number): RefinementStep {
  const days = Math.round((draft.wish.days ?? USUAL_DAYS) * times);
  return withDays(draft, Math.min(Math.max(days, 1), 365));
}

function timesBudget(draft: AnswerDraft, times: number): RefinementStep {
  const { budget } = draft.wish;
  if (budget === undefined) return { draft, done: false, note: 'no budget to change' };
  return withBudget(draft, { ...budget, amount: Math.round(budget.amount * times * 100) / 100 });
}

function firstOf(draft: AnswerDraft, count: number): RefinementStep {
  const list = bestFirst(draft.list);
  const kept = list.filter(({ product }, at) => at < count || draft.pinned.has(product.product_id));
  return { draft: { ...draft, list: kept }, done: true, note: `${kept.length} of ${list.length} kept` };
}

const COMMANDS: Readonly<Record<string, Change>> = {
  cheaper,
  reach,
  longer: (draft) => timesDays(draft, 2),
  shorter: (draft) => timesDays(draft, 0.5),
  double: (draft) => timesBudget(draft, 2),
  half: (draft) => timesBudget(draft, 0.5),
  fewer: (draft) => firstOf(draft, Math.ceil(draft.list.length / 2)),
};

/** Leaves out what costs more than the middle of those shown, for a thousand impressions and whatever is paid for. */
function cheaper(draft: AnswerDraft): RefinementStep {
  const costs = new Map(draft.list.map(({ product }) => [product.product_id, costOf(product)]));
  const sorted = [...costs.values()].sort((a, b) => a - b);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  if (sorted.length < 2 || sorted[0] === sorted.at(-1)) {
    return { draft, done: false, note: 'no product in the list is cheaper than the others' };
  }
  const most = middle === sorted.at(-1) ? (sorted[0] as number) : middle;
  return keepWhere(
    draft,
    'among the cheaper ones',
    ({ product_id: id }) => (costs.get(id) as number) <= most,
  );
}

function costOf(product: CatalogueProduct): number {
  return Math.min(...product.pricing_options.map((option) => effectiveCpm(product, option)));
}

function reach(draft: AnswerDraft): RefinementStep {
  const largest = draft.list.reduce((most, { product }) => Math.max(most, product.dailyImpressions), 1);
  const raised = rescore(draft, ({ product, score }) =>
    tidyScore(0.5 * score + (0.5 * product.dailyImpressions) / largest),
  );
  return { draft: raised, done: draft.list.length > 1, note: 'products with the most impressions moved up' };
}
