import type {
  GetProductsResponseRefinementAppliedItem as Applied,
  Refinement,
} from '@agent-registry/surface/agent-kit';
import type { CatalogueProduct } from './catalogue-product.ts';
import type { AnswerDraft, RefinementStep } from './draft.ts';
import { productIn } from './find-product.ts';
import { isAllowed } from './meets.ts';
import { bestFirst } from './rank.ts';
import { readWish } from './read-wish.ts';
import { applyToProduct } from './refine-product.ts';
import { changesFor } from './refine-request.ts';

export interface Refined {
  readonly draft: AnswerDraft;
  /** In the order of the wishes. */
  readonly applied: readonly Applied[];
}

/** What may be shown: everything that is sold to the caller, and what of it is within the filters. */
export interface OfferedProducts {
  readonly all: readonly CatalogueProduct[];
  readonly within: readonly CatalogueProduct[];
}

/** What is taken out comes first, so that likeness does not bring it back; what is put in next; then the whole. */
const ORDER = ['omit', 'less_like_this', 'include', 'more_like_this', 'request'];

/**
 * Applies wishes to an answer. Only `include` and `more_like_this` add products, and of those only what the filters
 * and earlier wishes allow. Refuses a product that is not sold here with PRODUCT_NOT_FOUND.
 */
export function refine(
  start: AnswerDraft,
  refinements: readonly Refinement[],
  offer: OfferedProducts,
): Refined {
  const applied: Applied[] = new Array(refinements.length);
  let draft = start;
  const steps = refinements
    .map((refinement, index) => ({ refinement, index, rank: ORDER.indexOf(kindOf(refinement)) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  for (const { refinement, index } of steps) {
    const step = one(draft, refinement, offer, index);
    draft = step.draft;
    applied[index] = step.applied;
  }
  return { draft: { ...draft, list: bestFirst(draft.list) }, applied };
}

function kindOf({ scope, action = 'include' }: Refinement): string {
  return scope === 'request' ? 'request' : actionOf(action);
}

function actionOf(action: string): string {
  return action.toLowerCase().replaceAll(/[- ]/g, '_');
}

function one(
  draft: AnswerDraft,
  refinement: Refinement,
  offer: OfferedProducts,
  index: number,
): { readonly draft: AnswerDraft; readonly applied: Applied } {
  if (refinement.scope === 'request') {
    const { status, note, draft: after } = applyAsk(draft, refinement.ask ?? '');
    return { draft: after, applied: { scope: 'request', status, note } };
  }
  const id = refinement.product_id ?? '';
  const sold = productIn(offer.all, id, `/refine/${index}/product_id`);
  const candidates = offer.within.filter((each) => isAllowed(each, draft.wish.mentions));
  // Within the filters it comes with the pricing options that they leave.
  const allowed = offer.within.find((each) => each.product_id === id);
  const step = applyToProduct(draft, kindOf(refinement), {
    product: allowed ?? sold,
    isWithin: allowed !== undefined,
    candidates,
  });
  const ignored =
    refinement.ask === undefined ? '' : '; send requests in words as a refinement with scope request';
  const status = step.done ? (ignored === '' ? 'applied' : 'partial') : 'not_applied';
  return {
    draft: step.draft,
    applied: { scope: 'product', product_id: id, status, note: `${step.note}${ignored}` },
  };
}

const UNDERSTOOD =
  'partly not understood: use channels, countries, towns, topics, audiences, times of day, a price, a budget, a flight length, or cheaper, more reach, fewer options';

interface AskOutcome {
  readonly draft: AnswerDraft;
  readonly status: Applied['status'];
  readonly note: string;
}

/** Applies a wish in plain words about the whole. */
function applyAsk(start: AnswerDraft, ask: string): AskOutcome {
  const asked = readWish(ask);
  const steps: RefinementStep[] = [];
  let draft = start;
  for (const change of changesFor(asked)) {
    const step = change(draft);
    draft = step.draft;
    steps.push(step);
  }
  const done = steps.filter((step) => step.done).length;
  const whole = done === steps.length && asked.strangeClauses === 0;
  const notes = steps.map(({ note }) => note);
  if (asked.strangeClauses > 0 || steps.length === 0) notes.push(UNDERSTOOD);
  return {
    draft,
    status: done === 0 ? 'not_applied' : whole ? 'applied' : 'partial',
    note: notes.join('; ').slice(0, 2_000),
  };
}
