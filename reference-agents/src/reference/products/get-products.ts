import type { GetProductsRequest, GetProductsResponse } from 'agent-registry/agent-kit';
import { findAnyAccount } from '../accounts/find-account.ts';
import { ANONYMOUS, type Call, handler, refuse } from '../handler.ts';
import { pageOf } from '../paging.ts';
import { tokensOf } from '../text/relevance.ts';
import type { Draft } from './draft.ts';
import { checkFilters, within } from './filters.ts';
import { productsFor } from './find-product.ts';
import { findProposal, keepProposal, type Proposal } from './proposals.ts';
import { rankFor } from './rank.ts';
import { readWish } from './read-wish.ts';
import { type Offer, refine } from './refine.ts';
import { pricedWithin } from './refine-request.ts';
import { emptyMessage, foundMessage, shownAs } from './show.ts';
import { NO_WISH } from './wish.ts';

export const getProducts = handler('get_products', {
  description: 'Finds inventory for a brief written in plain words, and refines what was found',
  callers: 'anybody',
  run: (request, call) => {
    checkModes(request);
    checkFilters(call, request.filters ?? {});
    const currency = currencyFor(request, call);
    const sold = productsFor(call);
    const { proposal, ...more } =
      request.buying_mode === 'refine' ? refined(request, call, sold) : searched(request, sold);
    const { items, pagination } = pageOf(proposal.draft.list, request.pagination);
    const { list, wish } = proposal.draft;
    return {
      products: items.map((one) => shownAs(one, wish, currency)),
      message: list.length === 0 ? emptyMessage(sold) : foundMessage(list.length, sold.length),
      proposal_id: keepProposal(call, proposal),
      ...more,
      pagination,
    };
  },
});

interface Answer extends Pick<GetProductsResponse, 'refinement_applied'> {
  readonly proposal: Proposal;
}

type Sold = Offer['all'];

function searched({ brief, filters = {} }: GetProductsRequest, sold: Sold): Answer {
  const text = brief ?? '';
  const wish = text === '' ? NO_WISH : readWish(text);
  const ranked = rankFor(within(sold, filters), { wish, tokens: tokensOf(text) });
  const { maxPrice } = wish;
  const cheap =
    maxPrice === undefined
      ? ranked
      : ranked.filter(({ product }) => pricedWithin([product], maxPrice).length > 0);
  const draft: Draft = {
    list: cheap.slice(0, wish.limit),
    wish,
    pinned: new Set(),
    omitted: new Set(),
  };
  return { proposal: { draft, filters } };
}

function refined(request: GetProductsRequest, call: Call, sold: Sold): Answer {
  const found = findProposal(call, request.proposal_id, sold);
  const filters = request.filters ?? found?.filters ?? {};
  const offer: Offer = { all: sold, within: within(sold, filters) };
  const start = limitedTo(found?.draft ?? startFrom(request, offer), offer);
  const { draft, applied } = refine(start, request.refine ?? [], offer);
  return { proposal: { draft, filters }, refinement_applied: applied };
}

/** Filters may be new or narrower than when the answer was given; products come with the options that they leave. */
function limitedTo(draft: Draft, { within: allowed }: Offer): Draft {
  const byId = new Map(allowed.map((product) => [product.product_id, product]));
  const list = draft.list.flatMap((one) => {
    const product = byId.get(one.product.product_id);
    return product === undefined ? [] : { ...one, product };
  });
  return { ...draft, list };
}

/** Where nothing was shown before: the products that the wishes ask for, or all of them when they ask for none. */
function startFrom({ refine: wishes = [] }: GetProductsRequest, offer: Offer): Draft {
  const asksForSome = wishes.some(
    ({ scope, action = 'include' }) => scope === 'product' && !/^(?:omit|less)/i.test(action),
  );
  const list = asksForSome ? [] : rankFor(offer.within, { wish: NO_WISH, tokens: [] });
  return { list, wish: NO_WISH, pinned: new Set(), omitted: new Set() };
}

/** Members that belong to the other mode are refused, not passed over. */
function checkModes({ buying_mode: mode, brief, refine: wishes, ...request }: GetProductsRequest): void {
  if (mode === 'brief' && brief?.trim() === '') {
    refuse('VALIDATION_ERROR', '/brief says nothing', '/brief', 'say in plain words what is wanted');
  }
  const other =
    wishes !== undefined ? '/refine' : request.proposal_id !== undefined ? '/proposal_id' : undefined;
  if (mode !== 'refine' && other !== undefined) {
    refuse('VALIDATION_ERROR', `${other} is for buying_mode refine`, other, 'send buying_mode: refine');
  }
  if (mode === 'refine' && brief !== undefined) {
    const suggestion = 'say it in a wish of scope request, or ask anew with buying_mode: brief';
    refuse('VALIDATION_ERROR', '/brief is for buying_mode brief', '/brief', suggestion);
  }
  if (mode === 'refine' && request.pagination?.cursor !== undefined && request.proposal_id === undefined) {
    const suggestion = 'repeat the request with the proposal_id that it refined';
    refuse('VALIDATION_ERROR', '/proposal_id is needed for a later page', '/proposal_id', suggestion);
  }
}

/** The currency that prices are shown in first. */
function currencyFor({ account }: GetProductsRequest, call: Call): string | undefined {
  if (account === undefined) return undefined;
  if (call.caller.id === ANONYMOUS.id) {
    const suggestion = 'show who you are, or ask without an account';
    refuse(
      'AUTH_REQUIRED',
      '/account: only callers that show who they are have accounts',
      '/account',
      suggestion,
    );
  }
  return findAnyAccount(call, account).currency;
}
