import { agentKey } from '../../../src/domain/agent-url.ts';
import type { Observation } from '../../../src/domain/observation.ts';
import { type ProbeRequest, probeAgent } from '../../../src/probe/probe.ts';
import { loopbackFetcher } from '../../calling/support/test-fetcher.ts';

/** Noon of a day in 2026; it stands still, so durations are 0. */
export const NOW = Date.UTC(2026, 0, 15, 12);

/** Probes a loopback agent with times that a busy machine needs; what hangs brings shorter ones. */
export function probeAt(url: string, more: Partial<ProbeRequest> = {}): Promise<Observation> {
  const clock = { now: () => NOW };
  const bounds = { callMs: 20_000, pause: async () => undefined };
  return probeAgent({ url, key: agentKey(url), fetcher: loopbackFetcher(), clock, ...bounds, ...more });
}
