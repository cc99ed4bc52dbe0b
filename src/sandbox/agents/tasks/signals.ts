import { changes, reads, request, SHARED, type TaskTable } from './task.ts';

const { text, list, account, key } = SHARED;

export const AUDIENCE_TYPES = ['demographic', 'in_market', 'contextual'] as const;

/** Tasks of a signals agent (specification, 4.3). */
export const SIGNALS_TASKS: TaskTable = {
  get_signals: reads(
    'Finds segments for a description in plain words',
    request({ signal_spec: text }),
    () => ({
      signals: AUDIENCE_TYPES.map((type) => ({
        signal_agent_segment_id: `seg-${type}`,
        name: `Readers, ${type.replace('_', ' ')}`,
        pricing: { model: 'cpm', price: 1.2, currency: 'EUR' },
        coverage_percentage: 18,
      })),
    }),
  ),
  activate_signal: changes(
    'Sends a segment to a platform',
    request({ idempotency_key: key, signal_agent_segment_id: text, destinations: list }),
  ),
  sync_audiences: changes('Stores audiences', request({ idempotency_key: key, account, audiences: list })),
};
