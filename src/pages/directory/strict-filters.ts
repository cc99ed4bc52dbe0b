/** Filters of accreditations that are on in the directory unless they are switched off. The API has them off. */
export const STRICT_FILTERS = ['accreditation_valid', 'same_metric'] as const;

/** Metrics, each with each body, that `same_metric` accepts. */
const MAX_PAIRS = 100;

/**
 * The parameters of a page with the defaults of the directory: a requested accreditation must be unexpired, and must belong to
 * the requested metric.
 */
export function withStrictFilters(asked: URLSearchParams): URLSearchParams {
  const effective = new URLSearchParams(asked);
  const [metrics, bodies] = ['metric_id', 'accreditation'].map((name) => new Set(asked.getAll(name)).size);
  if (bodies && !asked.has('accreditation_valid')) effective.set('accreditation_valid', 'true');
  const isPair = metrics && (bodies || effective.get('accreditation_valid') === 'true');
  if (isPair && metrics * Math.max(1, bodies ?? 0) <= MAX_PAIRS && !asked.has('same_metric'))
    effective.set('same_metric', 'true');
  return effective;
}
