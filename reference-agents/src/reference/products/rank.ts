import { scoreOf, weightsOf } from '../text/relevance.ts';
import type { CatalogueProduct } from './catalogue-product.ts';
import { inCurrency } from './currencies.ts';
import { labelOf, listed } from './describe.ts';
import type { Facet, Meaning } from './lexicon.ts';
import { isAllowed, meets } from './meets.ts';
import type { BriefWish, WishTerm } from './wish.ts';

/** A product with how well it suits, 0 to 1, and why. */
export interface Ranked {
  readonly product: CatalogueProduct;
  readonly score: number;
  readonly why: string;
}

/** What a brief asks for: what was understood of it, and its words for everything else. */
export interface BriefQuestion {
  readonly wish: BriefWish;
  /** Stems (`tokensOf`). */
  readonly tokens: readonly string[];
}

/** What each facet says about the fit of a product, when a brief names one of its values. */
const WEIGHTS: Partial<Record<Facet, number>> = {
  channel: 3,
  place: 3.5,
  country: 2.5,
  topic: 2,
  audience: 2,
  daypart: 1,
  delivery: 1,
  making: 1.5,
};
const TEXT_WEIGHT = 1.2;

/** A product that suits less than this does not answer the brief. */
const LEAST_SCORE = 0.2;
/** Nor one that suits less than this share of the best. */
const LEAST_SHARE = 0.35;
/** What a product keeps of its score when the budget is too small for it. */
const TOO_DEAR = 0.6;
/** The score of everything when the brief names nothing that tells products apart. */
const UNDECIDED = 0.1;
/** Reasons of one kind that are named. */
const MOST_NAMED = 8;

/**
 * The products that answer a brief, the best first. What it is against is left out, and so is what answers nothing of
 * it. A brief that names nothing gets everything, the largest first, with a low score and the reason.
 */
export function rankFor(products: readonly CatalogueProduct[], question: BriefQuestion): readonly Ranked[] {
  const { wish } = question;
  const allowed = products.filter((product) => isAllowed(product, wish.mentions));
  const wanted = wish.mentions.filter(({ mode, facet }) => mode !== 'not' && WEIGHTS[facet] !== undefined);
  const texts = new Map(allowed.map((product) => [product, textScore(product, question.tokens)]));
  const hasText = [...texts.values()].some(({ score }) => score > 0);
  if (wanted.length === 0 && !hasText) return undecided(allowed, question);
  const scored = allowed.map((product) => judge(product, wanted, texts.get(product)!, hasText, wish));
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  return bestFirst(scored.filter(({ score }) => score >= Math.max(LEAST_SCORE, best * LEAST_SHARE)));
}

/** Best first; ties by id, so that the order is always the same. */
export function bestFirst(ranked: readonly Ranked[]): readonly Ranked[] {
  return ranked.toSorted(
    (a, b) => b.score - a.score || (a.product.product_id < b.product.product_id ? -1 : 1),
  );
}

/** Rounded to a thousandth, between 0 and 1. */
export function tidyScore(score: number): number {
  return Math.round(Math.min(Math.max(score, 0), 1) * 1_000) / 1_000;
}

/** Whether the budget reaches the least spend of one of the product's options. */
function isAffordable({ pricing_options: options }: CatalogueProduct, { budget }: BriefWish): boolean {
  if (budget === undefined) return true;
  return options.some(
    ({ min_spend: least = 0, currency }) =>
      inCurrency(budget.amount, budget.currency ?? currency, currency) >= least,
  );
}

interface Text {
  readonly score: number;
  readonly matched: readonly string[];
}

function textScore(product: CatalogueProduct, tokens: readonly string[]): Text {
  const document = weightsOf([
    { text: product.name ?? '', weight: 3 },
    { text: product.description, weight: 1.5 },
    { text: product.publisher_domains.join(' ').replaceAll('.example', ''), weight: 1 },
  ]);
  return scoreOf(tokens, document);
}

function judge(
  product: CatalogueProduct,
  wanted: readonly WishTerm[],
  text: Text,
  hasText: boolean,
  wish: BriefWish,
): Ranked {
  const byFacet = Map.groupBy(wanted, ({ facet }) => facet);
  let total = hasText ? TEXT_WEIGHT * text.score : 0;
  let most = hasText ? TEXT_WEIGHT : 0;
  for (const [facet, mentions] of byFacet) {
    const weight = WEIGHTS[facet] as number;
    total += weight * facetScore(product, mentions);
    most += weight;
  }
  const affordable = isAffordable(product, wish);
  const score = tidyScore((total / most) * (affordable ? 1 : TOO_DEAR));
  return { product, score, why: reasons(product, wanted, text, affordable) };
}

/** The best match counts most; that there are others counts too. What is rather not wanted takes away. */
function facetScore(product: CatalogueProduct, mentions: readonly WishTerm[]): number {
  const liked = mentions.filter(({ mode }) => mode !== 'less').map((mention) => meets(product, mention));
  const disliked = mentions.some((mention) => mention.mode === 'less' && meets(product, mention) > 0);
  const best = liked.length === 0 ? 1 : Math.max(...liked);
  const mean = liked.length === 0 ? 1 : liked.reduce((sum, one) => sum + one, 0) / liked.length;
  return (0.7 * best + 0.3 * mean) * (disliked ? 0.4 : 1);
}

function reasons(
  product: CatalogueProduct,
  wanted: readonly WishTerm[],
  { matched }: Text,
  affordable: boolean,
): string {
  const label = (some: readonly Meaning[]) => listed(some.slice(0, MOST_NAMED).map(labelOf));
  const met = wanted.filter((one) => one.mode !== 'less' && meets(product, one) > 0);
  const unmet = wanted.filter((one) => one.mode !== 'less' && meets(product, one) === 0);
  const parts = [
    met.length > 0 ? `suits the wish for ${label(met)}` : '',
    matched.length > 0 ? `speaks of ${listed(matched.slice(0, 5))}` : '',
    unmet.length > 0 ? `without ${label(unmet)}` : '',
    affordable ? '' : `its least spend of ${leastSpend(product)} is over the budget`,
  ];
  return parts.filter((part) => part !== '').join('; ') || 'matches no part of the brief';
}

function leastSpend({ pricing_options: [first] }: CatalogueProduct): string {
  return `${first?.min_spend ?? 0} ${first?.currency ?? ''}`;
}

function undecided(
  products: readonly CatalogueProduct[],
  { wish, tokens }: BriefQuestion,
): readonly Ranked[] {
  const reason =
    tokens.length === 0 ? 'no criteria given' : 'the brief contains no criteria that distinguish products';
  const largest = products.reduce((most, { dailyImpressions }) => Math.max(most, dailyImpressions), 1);
  return bestFirst(
    products.map((product) => {
      const affordable = isAffordable(product, wish);
      const size = product.dailyImpressions / largest;
      return {
        product,
        score: tidyScore(UNDECIDED * (0.5 + 0.5 * size) * (affordable ? 1 : TOO_DEAR)),
        why: `${reason}${affordable ? '' : `; its least spend of ${leastSpend(product)} is over the budget`}`,
      };
    }),
  );
}
