import type { CatalogueProduct } from './catalogue-product.ts';
import type { Ranked } from './rank.ts';
import type { Wish } from './wish.ts';

/** An answer while it is refined. */
export interface Draft {
  readonly list: readonly Ranked[];
  /** What the brief and all refinements so far asked for. */
  readonly wish: Wish;
  /** Products that the buyer put in: a wish about the whole does not take them out. */
  readonly pinned: ReadonlySet<string>;
  /** Products that the buyer took out: they do not come back by likeness. */
  readonly omitted: ReadonlySet<string>;
}

/** A draft after one step of a wish, with what became of the step. */
export interface Step {
  readonly draft: Draft;
  readonly done: boolean;
  readonly note: string;
}

/** Keeps what holds, and what is pinned. Does nothing when nothing would hold: an empty answer helps nobody. */
export function keepWhere(draft: Draft, what: string, holds: (product: CatalogueProduct) => boolean): Step {
  const stay = draft.list.filter(({ product }) => draft.pinned.has(product.product_id) || holds(product));
  if (!draft.list.some(({ product }) => holds(product))) {
    return { draft, done: false, note: `none of those shown is ${what}, so the list stays as it is` };
  }
  const gone = draft.list.length - stay.length;
  const note = gone === 0 ? `all of those shown are ${what}` : `${gone} left out that are not ${what}`;
  return { draft: { ...draft, list: stay }, done: true, note };
}

/** Changes the scores; the order follows at the end. */
export function rescore(draft: Draft, score: (one: Ranked) => number): Draft {
  return { ...draft, list: draft.list.map((one) => ({ ...one, score: score(one) })) };
}
