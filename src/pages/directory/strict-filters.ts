/** Filters of accreditations that are on in the directory unless they are switched off. The API has them off. */
export const STRICT_FILTERS = ['accreditation_valid', 'same_metric'] as const;

/**
 * The parameters of a page with the defaults of the directory: a requested accreditation must be unexpired, and must belong to
 * the requested metric.
 */
export function withStrictFilters(asked: URLSearchParams): URLSearchParams {
  const effective = new URLSearchParams(asked);
  const [hasMetric, hasBody] = [asked.has('metric_id'), asked.has('accreditation')];
  if (hasBody && !asked.has('accreditation_valid')) effective.set('accreditation_valid', 'true');
  const isPair = hasMetric && (hasBody || effective.get('accreditation_valid') === 'true');
  if (isPair && !asked.has('same_metric')) effective.set('same_metric', 'true');
  return effective;
}
