import type { CatalogueProduct } from './catalogue-product.ts';
import type { Ranked } from './rank.ts';
import type { BriefWish } from './wish.ts';

/** An answer while it is refined. */
export interface AnswerDraft {
  readonly list: readonly Ranked[];
  /** What the brief and all refinements so far asked for. */
  readonly wish: BriefWish;
  /** Products that the buyer put in: a wish about the whole does not take them out. */
  readonly pinned: ReadonlySet<string>;
  /** Products that the buyer took out: they do not come back by likeness. */
  readonly omitted: ReadonlySet<string>;
}

/** A draft after one step of a wish, with what became of the step. */
export interface RefinementStep {
  readonly draft: AnswerDraft;
  readonly done: boolean;
  readonly note: string;
}

/** Keeps what holds, and what is pinned. Does nothing when nothing would hold: an empty answer helps nobody. */
export function keepWhere(
  draft: AnswerDraft,
  what: string,
  holds: (product: CatalogueProduct) => boolean,
): RefinementStep {
  const stay = draft.list.filter(({ product }) => draft.pinned.has(product.product_id) || holds(product));
  if (!draft.list.some(({ product }) => holds(product))) {
    return { draft, done: false, note: `none of those shown is ${what}, so the list stays as it is` };
  }
  const gone = draft.list.length - stay.length;
  const note = gone === 0 ? `all of those shown are ${what}` : `${gone} left out that are not ${what}`;
  return { draft: { ...draft, list: stay }, done: true, note };
}

/** Changes the scores; the order follows at the end. */
export function rescore(draft: AnswerDraft, score: (one: Ranked) => number): AnswerDraft {
  return { ...draft, list: draft.list.map((one) => ({ ...one, score: score(one) })) };
}
