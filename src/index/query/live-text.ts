import type { Health } from '../../domain/observation.ts';

interface Seen {
  readonly firstSeenAt: number;
  readonly lastSeenAt: number | null;
  readonly lastCheckedAt: number;
  readonly health: Health;
}

/**
 * The texts of the columns `seen_text` and `health_text` of the table `agent`. This version does not read them; processes of
 * the version before do.
 */
export function liveText({ firstSeenAt, lastSeenAt, lastCheckedAt, health }: Seen) {
  const { online, responseTimeMs, toolsCount, resourcesCount, error, capabilitiesReadAt } = health;
  const wireHealth = {
    online,
    checked_at: timestamp(lastCheckedAt),
    response_time_ms: responseTimeMs,
    tools_count: toolsCount,
    resources_count: resourcesCount,
    error,
    capabilities_read_at: capabilitiesReadAt === undefined ? undefined : timestamp(capabilitiesReadAt),
  };
  const lastSeen = lastSeenAt === null ? '' : `"last_seen_at":"${timestamp(lastSeenAt)}",`;
  return {
    seen: `"first_seen_at":"${timestamp(firstSeenAt)}",${lastSeen}"last_checked_at":"${timestamp(lastCheckedAt)}",`,
    health: `,"health":${JSON.stringify(wireHealth)}`,
  };
}

function timestamp(at: number): string {
  return new Date(at).toISOString();
}
