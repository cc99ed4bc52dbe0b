import type { Random } from './random.ts';

/** A metric as its vendor writes it on the wire (specification, 2.2); bad ones among them. */
export type SandboxMetric = Readonly<Record<string, unknown>> & { readonly metric_id: string };

interface Subject {
  readonly id: string;
  readonly unit: string;
  readonly standard?: string;
  readonly description: string;
}

const SUBJECTS: readonly Subject[] = [
  {
    id: 'viewable_rate',
    unit: 'percent',
    standard: 'viewable-impression-guideline/2.0',
    description: 'Share of impressions half in view for a second',
  },
  {
    id: 'attention_seconds',
    unit: 'seconds',
    description: 'Seconds of active attention for each impression',
  },
  {
    id: 'invalid_traffic_rate',
    unit: 'percent',
    standard: 'invalid-traffic-addendum/2020',
    description: 'Share of impressions that no person saw',
  },
  {
    id: 'audio_completion_rate',
    unit: 'percent',
    standard: 'digital-audio-standard/1.1',
    description: 'Share of audio spots heard to the end',
  },
  { id: 'video_completion_rate', unit: 'percent', description: 'Share of video spots seen to the end' },
  {
    id: 'brand_lift_points',
    unit: 'percentage_points',
    description: 'Difference in awareness between exposed and control',
  },
  {
    id: 'incremental_sales',
    unit: 'eur',
    description: 'Sales that would not have been without the campaign',
  },
  { id: 'footfall_visits', unit: 'visits', description: 'Visits to shops within a week of exposure' },
  {
    id: 'reach_persons',
    unit: 'persons',
    standard: 'cross-media-reach/3',
    description: 'Persons reached at least once, deduplicated',
  },
  { id: 'frequency_mean', unit: 'contacts', description: 'Mean number of contacts for each person reached' },
  {
    id: 'carbon_grams_per_mille',
    unit: 'g_co2e',
    standard: 'media-carbon-framework/1.0',
    description: 'Grams of CO2 equivalents for a thousand impressions',
  },
  { id: 'brand_safety_rate', unit: 'percent', description: 'Share of impressions beside suitable content' },
  {
    id: 'panel_100%_coverage',
    unit: 'percent',
    description: 'A name with characters that search engines find special',
  },
];

/** Accrediting bodies: the certificates and their numbers are invented. */
const BODIES = ['MRC', 'JICWEBS', 'ABC-UK', 'Alder Audit Council', 'Nordic Panel Board', 'CESP'] as const;

const VALID_UNTIL = ['2031-03-31', '2032-12-31', '2033-06-30'] as const;
const EXPIRED = '2021-06-30';

/** Two to five metrics of the n-th vendor, with accreditations of which about one in five has expired. */
export function metricsOf(random: Random, vendor: string, index: number): SandboxMetric[] {
  const first = SUBJECTS[index % SUBJECTS.length] as Subject;
  const others = random.shuffled(SUBJECTS.filter((subject) => subject !== first)).slice(0, 1 + random.int(4));
  return [first, ...others].map((subject) => metric(random, vendor, subject));
}

function metric(random: Random, vendor: string, subject: Subject): SandboxMetric {
  const count = random.int(3);
  return {
    metric_id: subject.id,
    ...(subject.standard === undefined ? {} : { standard_reference: subject.standard }),
    accreditations: random
      .shuffled(BODIES)
      .slice(0, count)
      .map((body) => accreditation(random, vendor, body)),
    unit: subject.unit,
    description: subject.description,
    methodology_url: `https://${vendor}/methods/${encodeURIComponent(subject.id)}`,
    methodology_version: `${1 + random.int(4)}.${random.int(10)}`,
  };
}

function accreditation(random: Random, vendor: string, body: string) {
  const id = `${body.replaceAll(/[^A-Z]/g, '')}-SBX-${String(random.int(10_000)).padStart(4, '0')}`;
  return {
    accrediting_body: body,
    certification_id: id,
    valid_until: random.int(5) === 0 ? EXPIRED : random.pick(VALID_UNTIL),
    evidence_url: `https://${vendor}/certificates/${id.toLowerCase()}`,
  };
}

/** Metrics that no registry may list: each is bad beyond doubt. */
export const BAD_METRICS: readonly SandboxMetric[] = [
  { metric_id: '', unit: 'percent', description: 'A metric without a name', accreditations: [] },
  {
    metric_id: 'm'.repeat(300),
    unit: 'percent',
    description: 'A metric whose name is too long',
    accreditations: [],
  },
];

/** Good metrics with something in them that has to be dropped or escaped: mark-up, and a flag of the vendor's own. */
export const ODD_METRICS: readonly SandboxMetric[] = [
  {
    metric_id: 'share_of_<b>smiles</b>',
    unit: 'percent',
    description: 'Smiles <script>alert(1)</script> for each impression',
    accreditations: [
      {
        accrediting_body: 'MRC',
        certification_id: 'MRC-SBX-0000',
        valid_until: EXPIRED,
        verified_by_operator: true,
      },
    ],
  },
];
