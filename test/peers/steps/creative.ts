import { type Any, brandOf, capabilities, keyOf, type Lane, manifestOf, type Step } from './lane.ts';

const formatOf = (lane: Lane): Any =>
  (lane.answer('list_creative_formats', 'creative').formats as Any).find(
    ({ format_id: { id } }: Any) => id === 'display_300x250',
  ).format_id;

export const CREATIVE: readonly Step[] = [
  capabilities('creative'),
  { agent: 'creative', task: 'list_creative_formats', about: 'creative', request: () => ({}) },
  {
    agent: 'creative',
    task: 'build_creative',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'build'),
      message: 'A headline "A kayak for the first warm weekend", calm',
      brand: brandOf(lane),
      target_format_id: formatOf(lane),
    }),
  },
  {
    agent: 'creative',
    task: 'build_creative',
    about: 'several formats',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'build-all'),
      message: 'A headline "Paddle out", lively',
      brand: brandOf(lane),
      target_format_ids: [formatOf(lane)],
    }),
  },
  {
    agent: 'creative',
    task: 'preview_creative',
    request: (lane) => ({ request_type: 'single', creative_manifest: manifestOf(lane) }),
  },
];
