import { isObject, type JsonObject, member, pointerTo } from '../base/json.ts';
import type { FindingList } from '../calling/session.ts';
import type { Accreditation, Metric } from '../domain/capabilities.ts';
import { readFields } from './metric-fields.ts';

const MAX_ACCREDITATIONS = 32;

/** In the order of the wire. */
const ACCREDITATION_FIELDS = [
  ['accrediting_body', { max: 128, required: true }],
  ['certification_id', { max: 256 }],
  ['valid_until', { max: 64, date: true }],
  ['evidence_url', { max: 2048, https: true }],
] as const;

const MAX_METRICS = 500;
const POINTER = '/measurement/metrics';

/** In the order of the wire. */
const METRIC_FIELDS = [
  ['metric_id', { max: 256, required: true }],
  ['standard_reference', { max: 2048 }],
  ['unit', { max: 64 }],
  ['description', { max: 2000 }],
  ['methodology_url', { max: 2048, https: true }],
  ['methodology_version', { max: 64 }],
] as const;

/**
 * The metrics of a measurement vendor (specification, 2.2), each judged alone: a bad one is left out with a
 * finding and its neighbours stay. An optional member that cannot be read costs itself alone. At most 500; ids of 1 to 256 characters, unique.
 */
export function readMetrics(value: unknown, findings: FindingList): readonly Metric[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    findings.add('error', 'metrics_invalid', POINTER, 'metrics must be a list');
    return [];
  }
  if (value.length > MAX_METRICS) {
    findings.add(
      'warning',
      'too_many_metrics',
      POINTER,
      `only the first ${MAX_METRICS} of ${value.length} metrics are read`,
    );
  }
  const metrics = new Map<string, Metric>();
  for (const [index, item] of value.slice(0, MAX_METRICS).entries()) {
    const pointer = pointerTo(POINTER, index);
    const metric = readMetric(item, pointer, findings);
    if (metric === undefined) continue;
    if (metrics.has(metric.metric_id)) {
      findings.add('error', 'metric_duplicate', pointer, `duplicate metric_id ${metric.metric_id}`);
      continue;
    }
    metrics.set(metric.metric_id, metric);
  }
  return [...metrics.values()];
}

function readMetric(item: unknown, pointer: string, findings: FindingList): Metric | undefined {
  if (!isObject(item)) {
    findings.add('error', 'metric_invalid', pointer, 'a metric must be an object');
    return undefined;
  }
  const fields = readFields(item, METRIC_FIELDS, (field, problem) =>
    findings.add('warning', 'metric_field_invalid', pointerTo(pointer, field), problem),
  );
  if (!fields.ok) {
    findings.add('error', 'metric_invalid', pointerTo(pointer, fields.field), fields.problem);
    return undefined;
  }
  const { metric_id = '', ...rest } = fields.value;
  return { metric_id, ...rest, accreditations: readAccreditations(item, pointer, findings) };
}

/**
 * The accreditations that a vendor claims for one metric, each judged alone; at most 32. An expired one stays. A
 * vendor's own word on who verified it is not read: the registry verifies nothing, and its flag is always false.
 */
function readAccreditations(
  metric: JsonObject,
  pointer: string,
  findings: FindingList,
): readonly Accreditation[] {
  const value = member(metric, 'accreditations') ?? [];
  const at = pointerTo(pointer, 'accreditations');
  if (!Array.isArray(value)) {
    findings.add('error', 'accreditation_invalid', at, 'accreditations must be a list');
    return [];
  }
  if (value.length > MAX_ACCREDITATIONS) {
    const message = `only the first ${MAX_ACCREDITATIONS} of ${value.length} accreditations are read`;
    findings.add('warning', 'too_many_accreditations', at, message);
  }
  return value.slice(0, MAX_ACCREDITATIONS).flatMap((item, index) => {
    const read = readAccreditation(item, pointerTo(at, index), findings);
    return read === undefined ? [] : [read];
  });
}

function readAccreditation(item: unknown, pointer: string, findings: FindingList): Accreditation | undefined {
  if (!isObject(item)) {
    findings.add('error', 'accreditation_invalid', pointer, 'an accreditation must be an object');
    return undefined;
  }
  const fields = readFields(item, ACCREDITATION_FIELDS, (field, problem) =>
    findings.add('warning', 'accreditation_field_invalid', pointerTo(pointer, field), problem),
  );
  if (!fields.ok) {
    findings.add('error', 'accreditation_invalid', pointerTo(pointer, fields.field), fields.problem);
    return undefined;
  }
  const { accrediting_body = '', ...rest } = fields.value;
  return { accrediting_body, ...rest, verified_by_operator: false, verified_by_aao: false };
}
