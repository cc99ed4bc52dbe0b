import type { AgentFilter } from '../../../src/domain/agent-query.ts';
import { METRIC_COUNT, metricId } from '../../synthetic-agents.ts';

/** A filter of the list operation with its parameters. */
export interface NamedFilter {
  readonly name: string;
  readonly parameters: readonly (readonly [string, string])[];
  readonly filter: AgentFilter;
}

const COMMON = metricId(0);
const RARE = metricId(METRIC_COUNT - 1);
const TWENTY = Array.from({ length: 20 }, (_, at) => metricId(at * 7 + 3));
const LONG = 'x'.repeat(64);

/** Every filter and their combinations: held by many, by few, by none. */
export const FILTERS: readonly NamedFilter[] = [
  named('none', {}),
  named('type, one in twelve', { type: 'measurement' }),
  named('type, others', { type: 'sales' }),
  named('metric_id, common', { metricIds: [COMMON] }),
  named('metric_id, rare', { metricIds: [RARE] }),
  named('metric_id, no hit', { metricIds: ['no such metric'] }),
  named('metric_id, twenty', { metricIds: TWENTY }),
  named('accreditation, common', { accreditations: ['MRC'] }),
  named('accreditation, rare', { accreditations: ['rare body'] }),
  named('accreditation, no hit', { accreditations: ['no such body'] }),
  named('accreditation, two', { accreditations: ['MRC', 'TAG'] }),
  named('q, one character', { q: 'e' }),
  named('q, common', { q: 'reach' }),
  named('q, rare', { q: `.v${METRIC_COUNT - 1}` }),
  named('q, no hit', { q: 'no such text' }),
  named('q, 64 characters', { q: LONG }),
  named('verified', { verified: true }),
  named('verification_mode, spec', { verificationModes: ['spec'] }),
  named('verification_mode, both', { verificationModes: ['spec', 'live'] }),
  named('metric_id + accreditation', { metricIds: [COMMON], accreditations: ['MRC'] }),
  named('metric_id + accreditation, disjoint', {
    metricIds: ['left side'],
    accreditations: ['right body'],
  }),
  named('metric_id + q', { metricIds: [COMMON], q: 'ivt' }),
  named('q + accreditation', { q: 'reach', accreditations: ['MRC'] }),
  named('q + verified', { q: 'reach', verified: true }),
  named('q + metric_id, no hit', { q: 'left', metricIds: [RARE] }),
  named('type + verified', { type: 'creative', verified: true }),
  named('all of them', {
    metricIds: [COMMON, metricId(1)],
    accreditations: ['MRC', 'TAG'],
    q: 'v',
    verified: true,
    verificationModes: ['spec'],
  }),
];

function named(name: string, given: AgentFilter): NamedFilter {
  const { type, metricIds = [], accreditations = [], q, verified, verificationModes = [] } = given;
  const implied = metricIds.length + accreditations.length > 0 || q !== undefined;
  const parameters = [
    ...(type === undefined ? [] : [['type', type] as const]),
    ...metricIds.map((value) => ['metric_id', value] as const),
    ...accreditations.map((value) => ['accreditation', value] as const),
    ...(q === undefined ? [] : [['q', q] as const]),
    ...(verified === true ? [['verified', 'true'] as const] : []),
    ...verificationModes.map((value) => ['verification_mode', value] as const),
  ];
  return { name, parameters, filter: { ...given, ...(implied && { type: 'measurement' }) } };
}
