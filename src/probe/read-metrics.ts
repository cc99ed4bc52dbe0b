import { isObject } from '../base/json.ts';
import { pointerTo } from '../base/json-pointer.ts';
import type { FindingList } from '../calling/findings.ts';
import type { Metric } from '../domain/capabilities.ts';
import { readFields } from './metric-fields.ts';
import { readAccreditations } from './read-accreditations.ts';

const MAX_METRICS = 500;
const POINTER = '/measurement/metrics';

/** In the order of the wire. */
const FIELDS = [
  ['metric_id', { max: 256, required: true }],
  ['standard_reference', { max: 2048 }],
  ['unit', { max: 64 }],
  ['description', { max: 2000 }],
  ['methodology_url', { max: 2048, https: true }],
  ['methodology_version', { max: 64 }],
] as const;

/**
 * The metrics of a measurement vendor (specification, 2.2), each judged alone: a bad one is left out with a
 * finding and its neighbours stay. At most 500; ids of 1 to 256 characters, unique.
 */
export function readMetrics(value: unknown, findings: FindingList): readonly Metric[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    findings.add('error', 'metrics_invalid', POINTER, 'the metrics are not a list');
    return [];
  }
  if (value.length > MAX_METRICS) {
    findings.add(
      'warning',
      'too_many_metrics',
      POINTER,
      `${value.length} metrics, the first ${MAX_METRICS} are read`,
    );
  }
  const metrics = new Map<string, Metric>();
  for (const [index, item] of value.slice(0, MAX_METRICS).entries()) {
    const pointer = pointerTo(POINTER, index);
    const metric = readMetric(item, pointer, findings);
    if (metric === undefined) continue;
    if (metrics.has(metric.metric_id)) {
      findings.add('error', 'metric_duplicate', pointer, `the metric id ${metric.metric_id} was used before`);
      continue;
    }
    metrics.set(metric.metric_id, metric);
  }
  return [...metrics.values()];
}

function readMetric(item: unknown, pointer: string, findings: FindingList): Metric | undefined {
  if (!isObject(item)) {
    findings.add('error', 'metric_invalid', pointer, 'a metric is an object');
    return undefined;
  }
  const fields = readFields(item, FIELDS);
  if (!fields.ok) {
    findings.add('error', 'metric_invalid', pointerTo(pointer, fields.field), fields.problem);
    return undefined;
  }
  const { metric_id = '', ...rest } = fields.value;
  return { metric_id, ...rest, accreditations: readAccreditations(item, pointer, findings) };
}
