import type {
  GetProductsRequest,
  GetProductsResponse,
  PricingOption,
  Product,
} from '@agent-registry/surface/agent-kit';
import { findAnyAccount } from '../accounts/find-account.ts';
import { ANONYMOUS, handler, refuse, type TaskCall } from '../handler.ts';
import { pageOf } from '../paging.ts';
import { tokensOf } from '../text/relevance.ts';
import { type CatalogueProduct, shownProduct } from './catalogue-product.ts';
import { inCurrency } from './currencies.ts';
import { labelOf, listed } from './describe.ts';
import type { AnswerDraft } from './draft.ts';
import { checkFilters, within } from './filters.ts';
import { productsFor } from './find-product.ts';
import { forecastFor, openForecast, USUAL_DAYS } from './forecast.ts';
import { countryName } from './places.ts';
import { findProposal, keepProposal, type Proposal } from './proposals.ts';
import { type Ranked, rankFor } from './rank.ts';
import { readWish } from './read-wish.ts';
import { type OfferedProducts, refine } from './refine.ts';
import { pricedWithin } from './refine-request.ts';
import { type BriefWish, NO_WISH } from './wish.ts';

/** As the schema of the answer has it. */
const MAX_MESSAGE = 2_000;

export const getProducts = handler('get_products', {
  description: 'Finds products for a brief in plain language, and refines the results',
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

type Sold = OfferedProducts['all'];

function searched({ brief, filters = {} }: GetProductsRequest, sold: Sold): Answer {
  const text = brief ?? '';
  const wish = text === '' ? NO_WISH : readWish(text);
  const ranked = rankFor(within(sold, filters), { wish, tokens: tokensOf(text) });
  const { maxPrice } = wish;
  const cheap =
    maxPrice === undefined
      ? ranked
      : ranked.filter(({ product }) => pricedWithin([product], maxPrice).length > 0);
  const draft: AnswerDraft = {
    list: cheap.slice(0, wish.limit),
    wish,
    pinned: new Set(),
    omitted: new Set(),
  };
  return { proposal: { draft, filters } };
}

function refined(request: GetProductsRequest, call: TaskCall, sold: Sold): Answer {
  const found = findProposal(call, request.proposal_id, sold);
  const filters = request.filters ?? found?.filters ?? {};
  const offer: OfferedProducts = { all: sold, within: within(sold, filters) };
  const start = limitedTo(found?.draft ?? startFrom(request, offer), offer);
  const { draft, applied } = refine(start, request.refine ?? [], offer);
  return { proposal: { draft, filters }, refinement_applied: applied };
}

/** Filters may be new or narrower than when the answer was given; products come with the options that they leave. */
function limitedTo(draft: AnswerDraft, { within: allowed }: OfferedProducts): AnswerDraft {
  const byId = new Map(allowed.map((product) => [product.product_id, product]));
  const list = draft.list.flatMap((one) => {
    const product = byId.get(one.product.product_id);
    return product === undefined ? [] : { ...one, product };
  });
  return { ...draft, list };
}

/** Where nothing was shown before: the products that the wishes ask for, or all of them when they ask for none. */
function startFrom({ refine: wishes = [] }: GetProductsRequest, offer: OfferedProducts): AnswerDraft {
  const asksForSome = wishes.some(
    ({ scope, action = 'include' }) => scope === 'product' && !/^(?:omit|less)/i.test(action),
  );
  const list = asksForSome ? [] : rankFor(offer.within, { wish: NO_WISH, tokens: [] });
  return { list, wish: NO_WISH, pinned: new Set(), omitted: new Set() };
}

/** Members that belong to the other mode are refused, not passed over. */
function checkModes({ buying_mode: mode, brief, refine: wishes, ...request }: GetProductsRequest): void {
  if (mode === 'brief' && brief?.trim() === '') {
    refuse('VALIDATION_ERROR', '/brief is empty', '/brief', 'describe the campaign in plain language');
  }
  const other =
    wishes !== undefined ? '/refine' : request.proposal_id !== undefined ? '/proposal_id' : undefined;
  if (mode !== 'refine' && other !== undefined) {
    refuse('VALIDATION_ERROR', `${other} is for buying_mode refine`, other, 'send buying_mode: refine');
  }
  if (mode === 'refine' && brief !== undefined) {
    const suggestion = 'send it as a refinement with scope request, or start again with buying_mode: brief';
    refuse('VALIDATION_ERROR', '/brief is for buying_mode brief', '/brief', suggestion);
  }
  if (mode === 'refine' && request.pagination?.cursor !== undefined && request.proposal_id === undefined) {
    const suggestion = 'repeat the request with the proposal_id that it refined';
    refuse('VALIDATION_ERROR', '/proposal_id is required for further pages', '/proposal_id', suggestion);
  }
}

/** The currency that prices are shown in first. */
function currencyFor({ account }: GetProductsRequest, call: TaskCall): string | undefined {
  if (account === undefined) return undefined;
  if (call.caller.id === ANONYMOUS.id) {
    const suggestion = 'authenticate, or omit the account';
    refuse('AUTH_REQUIRED', '/account: anonymous callers have no accounts', '/account', suggestion);
  }
  return findAnyAccount(call, account).currency;
}

/**
 * A product as it is answered: options of the preferred currency first, the forecast for the first of them, the
 * budget of the wish and its flight.
 */
function shownAs({ product, score, why }: Ranked, wish: BriefWish, currency: string | undefined): Product {
  const preferred = currency ?? wish.budget?.currency;
  const options = inPreferredOrder(pricedFor(product, wish), preferred);
  const option = options[0] as PricingOption;
  const days = wish.days ?? USUAL_DAYS;
  const { budget } = wish;
  const forecast =
    budget === undefined
      ? openForecast(product, option, days)
      : forecastFor(
          product,
          inCurrency(budget.amount, budget.currency ?? option.currency, option.currency),
          option,
          {
            days,
          },
        );
  return { ...shownProduct(product), pricing_options: options, forecast, brief_relevance: why, score };
}

/** A product that was put in stays even when nothing of it is within the price. */
function pricedFor(product: CatalogueProduct, { maxPrice }: BriefWish): readonly PricingOption[] {
  const [priced] = maxPrice === undefined ? [product] : pricedWithin([product], maxPrice);
  return (priced ?? product).pricing_options;
}

function inPreferredOrder(
  options: readonly PricingOption[],
  currency: string | undefined,
): readonly PricingOption[] {
  return options.toSorted((a, b) => Number(b.currency === currency) - Number(a.currency === currency));
}

function foundMessage(found: number, sold: number): string {
  return `${found} of ${sold} products`;
}

/** What there is, for whoever asked for something else. */
function emptyMessage(sold: readonly CatalogueProduct[]): string {
  const channels = [...new Set(sold.flatMap((product) => product.channels))].slice(0, 20);
  const countries = [...new Set(sold.flatMap((product) => product.countries))].slice(0, 20);
  const labels = channels.map((value) => labelOf({ facet: 'channel', value }));
  const there = `${listed(labels)}, in ${listed(countries.map(countryName))}`;
  return `nothing that is sold here is within what was asked for; sold are ${there}`.slice(0, MAX_MESSAGE);
}
