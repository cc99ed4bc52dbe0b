import { type Any, at, brandOf, capabilities, DAY, keyOf, type Lane, type Step } from './lane.ts';

const rightOf = (lane: Lane): Any => (lane.answer('get_rights').rights as Any)[0];

export const BRANDS: readonly Step[] = [
  capabilities('brand'),
  { agent: 'brand', task: 'get_brand_identity', request: () => ({ brand_id: 'tidewater' }) },
  {
    agent: 'brand',
    task: 'get_brand_identity',
    about: 'unknown brand',
    refusal: 'REFERENCE_NOT_FOUND',
    request: () => ({ brand_id: 'no_such_brand' }),
  },
  capabilities('rights'),
  {
    agent: 'rights',
    task: 'get_rights',
    request: (lane) => ({ query: 'a voice for radio', uses: ['voice'], buyer_brand: brandOf(lane) }),
  },
  {
    agent: 'rights',
    task: 'acquire_rights',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'rights'),
      rights_id: rightOf(lane).rights_id,
      pricing_option_id: rightOf(lane).pricing_options[0].pricing_option_id,
      buyer: brandOf(lane),
      campaign: {
        description: 'Kayaks on the radio',
        uses: [rightOf(lane).available_uses[0]],
        start_date: at(lane.now).slice(0, 10),
        end_date: at(lane.now + 20 * DAY).slice(0, 10),
      },
      revocation_webhook: { url: 'https://hooks.desk.example/webhooks' },
    }),
  },
];
