import { isClaimValid } from '../../domain/accreditation-claim.ts';
import type { AgentFilter } from '../../domain/agent-query.ts';
import type { Capabilities, Metric } from '../../domain/capabilities.ts';
import { wordPlaces } from '../../query/search-words.ts';

/** What of a vendor met which filters: a metric alone, or with one of its accreditations. Names are the wire's. */
export interface MatchedMetric {
  readonly metric_id: string;
  readonly accrediting_body?: string;
  /** YYYY-MM-DD, the last day; absent: the vendor says none. */
  readonly valid_until?: string;
  /** Whether it is valid now; beside a body. */
  readonly valid?: boolean;
  /** The parameters that it met. */
  readonly met: readonly string[];
}

export interface MatchedMembers {
  readonly matched_metrics: readonly MatchedMetric[];
  readonly matched_metrics_truncated?: true;
}

/** So many are told of each agent; those that met the most come first. */
const MAX_MATCHED = 10;

/**
 * Which metrics and bodies of a record met the filters, as members of it. `today`: UTC, YYYY-MM-DD. The `words` of a search
 * stand for its `q`, so that a vendor with the word in one metric and the accreditation on another one is told apart.
 */
export function matchedMembers(
  { measurement_capabilities: measured }: Partial<Capabilities>,
  filter: AgentFilter,
  today: string,
  words: readonly string[] = [],
): MatchedMembers {
  const { metrics = [], metrics_truncated: isCut = false } = measured ?? {};
  const matched = metrics.flatMap((metric) => matchesOf(metric, filter, today, words));
  // a list of a few filters, so that an agent with many metrics is sorted in linear time
  const best = [4, 3, 2, 1].flatMap((count) => matched.filter(({ met }) => met.length === count));
  return {
    matched_metrics: best.slice(0, MAX_MATCHED),
    ...((isCut || best.length > MAX_MATCHED) && { matched_metrics_truncated: true }),
  };
}

function isNamed(metricId: string, q: string | undefined, words: readonly string[]): boolean {
  if (q !== undefined) return metricId.toLowerCase().includes(q);
  return words.length > 0 && wordPlaces(metricId, words, 1).length > 0;
}

function matchesOf(
  metric: Metric,
  filter: AgentFilter,
  today: string,
  words: readonly string[],
): readonly MatchedMetric[] {
  const { metric_id } = metric;
  const { metricIds, q, accreditations, accreditedOn } = filter;
  const ofMetric = [
    ...(metricIds?.includes(metric_id) ? ['metric_id'] : []),
    ...(isNamed(metric_id, q, words) ? ['q'] : []),
  ];
  const asksBody = accreditations !== undefined || accreditedOn !== undefined;
  const accredited = (asksBody ? metric.accreditations : []).filter(
    ({ accrediting_body: body }) => accreditations?.includes(body) ?? true,
  );
  const withBody = accredited.map((accreditation): MatchedMetric => {
    const { accrediting_body, valid_until } = accreditation;
    const valid = isClaimValid(accreditation, today);
    const ofBody = [
      ...(accreditations === undefined ? [] : ['accreditation']),
      ...(accreditedOn !== undefined && valid ? ['accreditation_valid'] : []),
    ];
    const until = valid_until === undefined ? {} : { valid_until };
    return { metric_id, accrediting_body, ...until, valid, met: [...ofMetric, ...ofBody] };
  });
  if (withBody.length > 0) return withBody;
  return ofMetric.length === 0 ? [] : [{ metric_id, met: ofMetric }];
}
