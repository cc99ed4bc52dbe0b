import type { LiveState } from '../../domain/agent-facts.ts';
import { timestamp } from './freshness.ts';

/** The wire's `health` (specification, 2.1). Undefined is absent in JSON. */
export interface HealthGroup {
  readonly online: boolean;
  readonly checked_at: string | undefined;
  readonly response_time_ms: number | undefined;
  readonly tools_count: number | undefined;
  readonly resources_count: number | undefined;
  readonly error: string | undefined;
}

/** What the last probe saw; undefined when the agent was never probed. */
export function health(live: LiveState | undefined): HealthGroup | undefined {
  if (live?.health === undefined) return undefined;
  const { online, responseTimeMs, toolsCount, resourcesCount, error } = live.health;
  return {
    online,
    checked_at: timestamp(live.lastCheckedAt),
    response_time_ms: responseTimeMs,
    tools_count: toolsCount,
    resources_count: resourcesCount,
    error,
  };
}
