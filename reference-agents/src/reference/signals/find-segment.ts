import type { PricingOption } from '@agent-registry/surface/agent-kit';
import { refuse, type TaskCall } from '../handler.ts';
import { SEGMENTS, type Segment } from './segment-table.ts';

const BY_ID: ReadonlyMap<string, Segment> = new Map(SEGMENTS.map((segment) => [segment.id, segment]));

/** The segment of this id. Refuses SIGNAL_NOT_FOUND. */
export function findSegment(_call: TaskCall, id: string, pointer: string): Segment {
  const found = BY_ID.get(id);
  return found ?? refuse('SIGNAL_NOT_FOUND', 'unknown segment', pointer, 'find segments with get_signals');
}

/** The pricing option of this id, or the first when none is named. Refuses PRICING_OPTION_NOT_FOUND. */
export function segmentPrice({ pricing }: Segment, id: string | undefined, pointer: string): PricingOption {
  const found = id === undefined ? pricing[0] : pricing.find((option) => option.pricing_option_id === id);
  if (found !== undefined) return found;
  const ids = pricing.map(({ pricing_option_id: one }) => one).join(', ');
  return refuse(
    'PRICING_OPTION_NOT_FOUND',
    'unknown pricing option of this segment',
    pointer,
    `known pricing options: ${ids}`,
  );
}
