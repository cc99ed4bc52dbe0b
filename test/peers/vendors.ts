import { claimsOf } from '../../src/domain/accreditation-claim.ts';
import type { AgentDocument } from '../../src/domain/agent-document.ts';
import type { Metric } from '../../src/domain/capabilities.ts';
import { fullDocument } from '../api/support/documents.ts';

/** The one right answer to the buyer's question, in the demo and here, and the vendor that would be one if it answered. */
export const RIGHT = 'https://quietcount.example/a2a';
export const OFFLINE = 'https://dark.example/mcp';
const [LATE, OTHER] = ['https://late.example/mcp', 'https://listener.example/mcp'];

/** Vendors that are wrong answers: those below, and those of the demo that are accredited and have such a metric. */
export const WRONG: readonly string[] = [
  ...[OFFLINE, LATE, OTHER],
  ...['https://lanternfish.example/mcp', 'https://owlglass.example/mcp'],
];

const metric = (metric_id: string, valid_until?: string): Metric => ({
  metric_id,
  accreditations:
    valid_until === undefined
      ? []
      : [{ accrediting_body: 'MRC', valid_until, verified_by_operator: false, verified_by_aao: false }],
});

/** Who is accredited by MRC for viewability, alive? Each but the first is wrong in one way. */
export const VENDORS: readonly AgentDocument[] = [
  vendor(RIGHT, metric('viewable_rate', '2033-06-30')),
  vendor(OFFLINE, metric('viewable_rate', '2033-06-30')),
  vendor(LATE, metric('viewable_rate', '2021-06-30')),
  vendor(OTHER, metric('viewable_rate'), metric('audio_completion', '2033-06-30')),
];

function vendor(url: string, ...metrics: readonly Metric[]): AgentDocument {
  const full = fullDocument(url);
  return {
    ...full,
    metricIds: metrics.map(({ metric_id }) => metric_id),
    accreditations: ['MRC'],
    claims: metrics.flatMap(claimsOf),
    capabilities: { ...full.capabilities, tools_count: 1, measurement_capabilities: { metrics } },
  } as AgentDocument;
}
