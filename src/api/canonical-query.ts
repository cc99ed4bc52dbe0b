import type { ListQuery } from '../query/list-filters.ts';

/**
 * One text for all query strings that mean the same: parameters in a fixed order, alternatives sorted, defaults
 * left out. It is the key of the cached answer and the query of the link to the next page.
 */
export function canonicalQuery(query: ListQuery): string {
  const { filter, switches } = query;
  const params = new URLSearchParams();
  if (filter.type !== undefined) params.append('type', filter.type);
  appendSorted(params, 'metric_id', filter.metricIds);
  appendSorted(params, 'accreditation', filter.accreditations);
  if (filter.q !== undefined) params.append('q', filter.q);
  if (filter.verified === true) params.append('verified', 'true');
  appendSorted(params, 'verification_mode', filter.verificationModes);
  for (const name of ['health', 'capabilities', 'properties', 'compliance'] as const) {
    if (switches[name]) params.append(name, 'true');
  }
  if (query.limit !== undefined) params.append('limit', String(query.limit));
  if (query.total) params.append('total', 'true');
  if (query.cursor !== undefined) params.append('cursor', query.cursor);
  return params.toString();
}

function appendSorted(params: URLSearchParams, name: string, values: readonly string[] | undefined): void {
  for (const value of [...(values ?? [])].sort()) params.append(name, value);
}
