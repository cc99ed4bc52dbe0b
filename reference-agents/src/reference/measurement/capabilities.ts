import type { AgentFacts } from '../../agents/agent.ts';

/**
 * What a measurement agent says of itself: it has no tasks of its own (specification, 4.3), its metrics are all that
 * it tells. Among them are bad ones on purpose, so the section need not follow its schema.
 */
export function capabilitiesOfMeasurement({ metrics }: Pick<AgentFacts, 'metrics'>): {
  readonly metrics: AgentFacts['metrics'];
} {
  return { metrics };
}
