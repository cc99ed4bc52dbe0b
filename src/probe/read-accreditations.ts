import { isObject, type JsonObject, member } from '../base/json.ts';
import { pointerTo } from '../base/json-pointer.ts';
import type { FindingList } from '../calling/findings.ts';
import type { Accreditation } from '../domain/capabilities.ts';
import { readFields } from './metric-fields.ts';

const MAX_ACCREDITATIONS = 32;

/** In the order of the wire. */
const FIELDS = [
  ['accrediting_body', { max: 128, required: true }],
  ['certification_id', { max: 256 }],
  ['valid_until', { max: 10, date: true }],
  ['evidence_url', { max: 2048, https: true }],
] as const;

/**
 * The accreditations that a vendor claims for one metric, each judged alone; at most 32. An expired one stays. A
 * vendor's own word on who verified it is not read: the registry verifies nothing, and its flag is always false.
 */
export function readAccreditations(
  metric: JsonObject,
  pointer: string,
  findings: FindingList,
): readonly Accreditation[] {
  const value = member(metric, 'accreditations') ?? [];
  const at = pointerTo(pointer, 'accreditations');
  if (!Array.isArray(value)) {
    findings.add('error', 'accreditation_invalid', at, 'the accreditations are not a list');
    return [];
  }
  if (value.length > MAX_ACCREDITATIONS) {
    const message = `${value.length} accreditations, the first ${MAX_ACCREDITATIONS} are read`;
    findings.add('warning', 'too_many_accreditations', at, message);
  }
  return value.slice(0, MAX_ACCREDITATIONS).flatMap((item, index) => {
    const read = readAccreditation(item, pointerTo(at, index), findings);
    return read === undefined ? [] : [read];
  });
}

function readAccreditation(item: unknown, pointer: string, findings: FindingList): Accreditation | undefined {
  if (!isObject(item)) {
    findings.add('error', 'accreditation_invalid', pointer, 'an accreditation is an object');
    return undefined;
  }
  const fields = readFields(item, FIELDS);
  if (!fields.ok) {
    findings.add('error', 'accreditation_invalid', pointerTo(pointer, fields.field), fields.problem);
    return undefined;
  }
  const { accrediting_body = '', ...rest } = fields.value;
  return { accrediting_body, ...rest, verified_by_operator: false };
}
