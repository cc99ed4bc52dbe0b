import { type MatchedMetric, shownMatches } from '../../api/render/matched-metrics.ts';
import { isClaimValid, utcDay } from '../../domain/accreditation-claim.ts';
import type { NearestValues } from '../../domain/agent-search.ts';
import type { Metric } from '../../domain/capabilities.ts';
import { visible } from './visible.ts';

/** A line for each metric with its accreditations and their last day; expired ones are marked. */
export function metricLines(metrics: readonly Metric[], now: number, most: number): readonly string[] {
  const today = utcDay(now);
  const lines = metrics.slice(0, most).map(({ metric_id, accreditations }) => {
    const bodies = accreditations.map((one) => ({ ...one, valid: isClaimValid(one, today) })).map(bodyText);
    const by = bodies.length === 0 ? 'no accreditation' : bodies.join(', ');
    return visible(`    ${metric_id}  ${by}`);
  });
  return metrics.length > most ? [...lines, `    … and ${metrics.length - most} more`] : lines;
}

/** The same for machines. */
export function metricJson({ metric_id, accreditations }: Metric, now: number) {
  return {
    metric_id,
    accreditations: accreditations.map((one) => ({
      accrediting_body: one.accrediting_body,
      valid_until: one.valid_until ?? null,
      valid: isClaimValid(one, utcDay(now)),
    })),
  };
}

/** A line for each metric that met a filter or has words of the search; where another one met the rest, it says what this one met. */
export function matchLines(matched: readonly MatchedMetric[]): readonly string[] {
  return shownMatches(matched).map((match) => {
    const body = match.accrediting_body === undefined ? '' : `  ${bodyText(match)}`;
    const part =
      match.part === undefined ? '' : `  (${match.part.join(' and ')} only; accredited for another metric)`;
    return visible(`    ${match.metric_id}${body}${part}`);
  });
}

/** A line for each value that no agent has, with the known ones that are most alike. */
export function nearestLines(nearest: readonly NearestValues[]): readonly string[] {
  return nearest.map(({ parameter, value, nearest: known }) => {
    const what = parameter === 'q' ? 'agent matches the word' : parameter;
    return visible(`no ${what} ${value}${known.length > 0 ? `; nearest: ${known.join(', ')}` : ''}`);
  });
}

function bodyText(one: {
  readonly accrediting_body?: string;
  readonly valid_until?: string;
  readonly valid?: boolean;
}): string {
  const { accrediting_body: body = '', valid_until: until, valid } = one;
  if (until === undefined) return `${body}, no end date`;
  return valid === false ? `${body}, expired on ${until}` : `${body} until ${until}`;
}
