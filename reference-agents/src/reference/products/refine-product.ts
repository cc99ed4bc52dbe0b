import type { CatalogueProduct } from './catalogue-product.ts';
import { type AnswerDraft, type RefinementStep, rescore } from './draft.ts';
import { type Ranked, tidyScore } from './rank.ts';

/** From here on two products are alike. */
const ALIKE = 0.4;

/** From here on they are nearly the same. */
const VERY_ALIKE = 0.7;

/** What having the same of each says. */
const PARTS: readonly (readonly [
  weight: number,
  values: (product: CatalogueProduct) => readonly string[],
])[] = [
  [0.4, ({ channels }) => channels],
  [0.25, ({ topics }) => topics],
  [0.15, ({ audiences }) => audiences],
  [0.1, ({ countries }) => countries],
  [0.1, ({ delivery_type: type }) => [type]],
];

/** The product of a wish, and what may be shown beside it. */
interface Subject {
  readonly product: CatalogueProduct;
  /** Whether the filters allow it. */
  readonly isWithin: boolean;
  /** What likeness may bring in. */
  readonly candidates: readonly CatalogueProduct[];
}

/** Products that likeness brings in at once, at most. */
const MOST_ADDED = 5;

const CHOSEN_SCORE = 0.95;

/** Applies a wish about one product. */
export function applyToProduct(draft: AnswerDraft, action: string, subject: Subject): RefinementStep {
  if (action === 'omit') return omit(draft, subject.product);
  if (action === 'less_like_this') return lessLike(draft, subject.product);
  if (action !== 'include' && action !== 'more_like_this') {
    return {
      draft,
      done: false,
      note: 'unknown action: use include, omit, more_like_this or less_like_this',
    };
  }
  if (draft.omitted.has(subject.product.product_id)) {
    return { draft, done: false, note: 'the product was excluded by another refinement' };
  }
  if (!subject.isWithin) return { draft, done: false, note: 'the product is outside the filters' };
  return action === 'include' ? include(draft, subject.product) : moreLike(draft, subject);
}

function omit(draft: AnswerDraft, product: CatalogueProduct): RefinementStep {
  const list = draft.list.filter((one) => !isIt(one, product));
  const omitted = new Set([...draft.omitted, product.product_id]);
  const pinned = new Set([...draft.pinned].filter((id) => id !== product.product_id));
  const note = list.length < draft.list.length ? 'excluded' : 'the product was not in the list';
  return { draft: { ...draft, list, omitted, pinned }, done: true, note };
}

function lessLike(draft: AnswerDraft, product: CatalogueProduct): RefinementStep {
  const near = draft.list.filter(
    (one) => !isIt(one, product) && similarity(one.product, product) >= VERY_ALIKE,
  );
  const without = near.reduce((after, one) => omit(after, one.product).draft, omit(draft, product).draft);
  const lowered = rescore(without, (one) =>
    tidyScore(one.score * (1 - 0.5 * similarity(one.product, product))),
  );
  return { draft: lowered, done: true, note: `left out, and ${near.length} that are nearly the same` };
}

function include(draft: AnswerDraft, product: CatalogueProduct): RefinementStep {
  const there = draft.list.find((one) => isIt(one, product));
  const chosen: Ranked = { product, score: CHOSEN_SCORE, why: 'requested by id' };
  const list = there === undefined ? [...draft.list, chosen] : draft.list;
  const pinned = new Set([...draft.pinned, product.product_id]);
  return { draft: { ...draft, list, pinned }, done: true, note: there === undefined ? 'added' : 'kept' };
}

function moreLike(draft: AnswerDraft, { product, candidates }: Subject): RefinementStep {
  const shown = new Set(draft.list.map((one) => one.product.product_id));
  const kin = candidates
    .filter(({ product_id: id }) => id !== product.product_id && !shown.has(id) && !draft.omitted.has(id))
    .map((other) => ({ other, alike: similarity(other, product) }))
    .filter(({ alike }) => alike >= ALIKE)
    .sort((a, b) => b.alike - a.alike || (a.other.product_id < b.other.product_id ? -1 : 1))
    .slice(0, MOST_ADDED);
  const raised = draft.list.filter((one) => similarity(one.product, product) >= ALIKE);
  const moved = rescore(draft, (one) =>
    isIt(one, product) ? Math.max(one.score, CHOSEN_SCORE) : liked(one, product),
  );
  const itself: readonly Ranked[] = shown.has(product.product_id)
    ? []
    : [{ product, score: CHOSEN_SCORE, why: 'similar products requested' }];
  const added = kin.map(
    ({ other, alike }): Ranked => ({ product: other, score: tidyScore(0.9 * alike), why: likeness(product) }),
  );
  const list = [...moved.list, ...itself, ...added];
  const others = raised.filter((one) => !isIt(one, product)).length;
  return {
    draft: { ...moved, list },
    done: added.length + others > 0,
    note:
      added.length + others > 0
        ? `${added.length} like it added, ${others} of those shown moved up`
        : 'no similar products',
  };
}

function liked(one: Ranked, product: CatalogueProduct): number {
  const alike = similarity(one.product, product);
  return alike < ALIKE ? one.score : tidyScore(one.score + (1 - one.score) * 0.5 * alike);
}

function likeness(product: CatalogueProduct): string {
  return `is like ${product.product_id}`;
}

function isIt(one: Ranked, product: CatalogueProduct): boolean {
  return one.product.product_id === product.product_id;
}

/** How alike two products are, 0 to 1; the same whichever comes first. */
export function similarity(one: CatalogueProduct, other: CatalogueProduct): number {
  return PARTS.reduce((sum, [weight, values]) => sum + weight * overlap(values(one), values(other)), 0);
}

/** What both have, as a share of what either has (Jaccard). */
function overlap(one: readonly string[], other: readonly string[]): number {
  const all = new Set([...one, ...other]);
  if (all.size === 0) return 0;
  const others = new Set(other);
  return new Set(one.filter((value) => others.has(value))).size / all.size;
}
