import { type Any, accountOf, brandOf, capabilities, keyOf, type Lane, OPERATOR, type Step } from './lane.ts';

const signalOf = (lane: Lane): Any => (lane.answer('get_signals').signals as Any)[0];

export const SIGNALS: readonly Step[] = [
  capabilities('signals'),
  {
    agent: 'signals',
    task: 'sync_accounts',
    about: 'signals',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'accounts'),
      accounts: [{ brand: brandOf(lane), operator: OPERATOR, billing: 'operator', sandbox: true }],
    }),
  },
  { agent: 'signals', task: 'get_signals', request: () => ({ signal_spec: 'people who like the sea' }) },
  {
    agent: 'signals',
    task: 'activate_signal',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'activate'),
      account: accountOf(lane),
      signal_agent_segment_id: signalOf(lane).signal_agent_segment_id,
      destinations: [
        { type: 'platform', platform: signalOf(lane).deployments[0].platform ?? 'tidewater-dsp' },
      ],
    }),
  },
  {
    agent: 'signals',
    task: 'activate_signal',
    about: 'unknown signal',
    refusal: 'SIGNAL_NOT_FOUND',
    request: (lane) => ({
      idempotency_key: keyOf(lane, 'activate-lost'),
      account: accountOf(lane),
      signal_agent_segment_id: 'no-such-segment',
      destinations: [{ type: 'platform', platform: 'tidewater-dsp' }],
    }),
  },
];
