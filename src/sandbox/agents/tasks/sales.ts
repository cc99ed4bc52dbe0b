import { changes, reads, request, SHARED, type TaskTable } from './task.ts';

const { text, number, list, brand, account, key } = SHARED;

/** Tasks of a sales agent (specification, 4.3). */
export const SALES_TASKS: TaskTable = {
  get_products: reads(
    'Finds inventory for a brief written in plain words',
    request({ buying_mode: { type: 'string', enum: ['brief', 'refine'] }, brief: text, brand, refine: list }),
    (_input, { spec }) => ({ products: products(spec.url) }),
  ),
  list_authorized_properties: reads(
    'Lists the publishers whose inventory is sold here',
    request({ tags: { type: 'array', items: text } }),
    (_input, { facts }) => ({ publisher_domains: facts.publisherDomains }),
  ),
  list_accounts: reads('Lists the active accounts', request(), () => ({ accounts: [] })),
  get_media_buy_delivery: reads(
    'Reports impressions, clicks and spend of media buys',
    request({ media_buy_ids: { type: 'array', items: text } }),
    () => ({ impressions: 0, clicks: 0, spend: { amount: 0, currency: 'EUR' }, by_package: [] }),
  ),
  create_media_buy: changes(
    'Books packages of products',
    request({ idempotency_key: key, account, brand, start_time: text, end_time: text, packages: list }, [
      'packages',
    ]),
  ),
  update_media_buy: changes(
    'Changes budgets, dates or creatives of a media buy',
    request({ media_buy_id: text, budget: number }),
  ),
};

function products(agentUrl: string): readonly object[] {
  const product = (id: string, name: string, channels: string[], price: number) => ({
    product_id: id,
    name,
    channels,
    pricing_options: [{ pricing_option_id: `${id}-cpm`, model: 'cpm', price, currency: 'EUR' }],
    forecast: { impressions: { min: 20_000, max: 90_000 } },
    format_ids: [{ agent_url: agentUrl, id: 'display_300x250' }],
  });
  return [
    product('local-front-page', 'Front pages of local papers', ['display'], 4.5),
    product('evening-video', 'Evening video', ['olv', 'ctv'], 14),
    product('breakfast-audio', 'Breakfast radio and podcasts', ['audio'], 9.25),
  ];
}
