import fc from 'fast-check';
import { claimsOf } from '../../src/domain/accreditation-claim.ts';
import type { AgentDocument, SavedDocument } from '../../src/domain/agent-document.ts';
import type { AgentFilter } from '../../src/domain/agent-query.ts';
import { AGENT_TYPES, PROTOCOLS, type Protocol } from '../../src/domain/agent-type.ts';
import type { Metric } from '../../src/domain/capabilities.ts';
import {
  COMPLIANCE_STATUSES,
  type ComplianceStatus,
  VERIFICATION_AXES,
} from '../../src/domain/compliance.ts';
import { FILTERS } from '../../src/index/query/filters.ts';

interface DocumentParts extends Partial<Omit<AgentDocument, 'url'>> {
  readonly url: string;
}

/** A small document; what is left out is plain. */
export function documentOf(parts: DocumentParts): AgentDocument {
  const type = parts.type ?? 'measurement';
  const base = {
    url: parts.url,
    name: new URL(parts.url).hostname,
    type,
    protocol: 'mcp',
    added_date: '2026-01-01',
  } as const;
  const compliance = { status: 'opted_out', lifecycle_stage: 'production' } as const;
  return { type, metricIds: [], accreditations: [], badges: [], base, compliance, ...parts };
}

interface RandomParts extends DocumentParts {
  readonly protocol: Protocol | null;
  readonly status: ComplianceStatus;
}

function documentFrom({ protocol, status, ...parts }: RandomParts): AgentDocument {
  const plain = documentOf(parts);
  const compliance = { ...plain.compliance, status } as AgentDocument['compliance'];
  return { ...plain, compliance, base: { ...plain.base, protocol } };
}

const METRICS = [
  'viewability',
  'Viewability_Rate',
  'view%',
  'reach',
  'REACH',
  'attention',
  'İd',
  'straße',
  'x*y',
  'ΑΣ',
];
const BODIES = ['MRC', 'mrc', 'ABC', 'JICWEBS', "O'Neil", '%'];

const UNTIL = ['2021-06-30', '2026-11-22', '2026-11-23', '2031-12-31', undefined];
const claim = fc
  .tuple(fc.constantFrom(...METRICS), fc.constantFrom(...BODIES), fc.constantFrom(...UNTIL))
  .map(([metric_id, accrediting_body, valid_until]): Metric => {
    const flags = { verified_by_operator: false, verified_by_aao: false } as const;
    const accreditation = { accrediting_body, ...(valid_until && { valid_until }), ...flags };
    return { metric_id, accreditations: [accreditation] };
  });

const url = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.constantFrom('a', 'b', 'ab', 'B2'.toLowerCase()),
    fc.constantFrom('/', '/x', '/X', '/x%20y', '/~', '/x?q=1'),
  )
  .map(([scheme, host, path]) => `${scheme}://${host}.example${path}`);
const badge = fc.record({
  role: fc.constantFrom('measurement', 'media-buy'),
  axes: fc.subarray([...VERIFICATION_AXES]),
});
const parts = {
  type: fc.oneof(fc.constant('measurement' as const), fc.constantFrom(...AGENT_TYPES)),
  metricIds: fc.uniqueArray(fc.constantFrom(...METRICS), { maxLength: 4 }),
  accreditations: fc.uniqueArray(fc.constantFrom(...BODIES), { maxLength: 2 }),
  // of metrics beside those above: each condition is the engine's own to hold
  claims: fc.array(claim, { maxLength: 5 }).map((metrics) => metrics.flatMap(claimsOf)),
  badges: fc.array(badge, { maxLength: 2 }),
  protocol: fc.constantFrom(...PROTOCOLS, null),
  status: fc.constantFrom(...COMPLIANCE_STATUSES),
};
const document = fc.record({ url, ...parts }).map(documentFrom);

/** Any small document. */
export const anyDocument = (): fc.Arbitrary<AgentDocument> => document;

/** First writes of so many agents, in no order. */
export function manyWrites(count: number): readonly SavedDocument[] {
  const samples = fc.sample(fc.record(parts), 200);
  return Array.from({ length: count }, (_, at) => {
    const agent = `https://a${(at * 7_919) % count}.example/`;
    return {
      agent,
      version: at + 1,
      document: documentFrom({
        url: agent,
        ...(samples[(at * 31) % samples.length] as (typeof samples)[number]),
      }),
    };
  });
}

/** Batches of writes whose versions are distinct but not in order; one in five is a drop. */
export function anyWrites(): fc.Arbitrary<readonly (readonly SavedDocument[])[]> {
  const write = fc.record({ document, dropped: fc.integer({ min: 0, max: 4 }).map((n) => n === 0) });
  return fc
    .array(fc.array(write, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 })
    .chain((batches) => {
      const seqs = batches.flat().map((_, at) => at + 1);
      return fc
        .shuffledSubarray(seqs, { minLength: seqs.length })
        .map((shuffled) => numbered(batches, shuffled));
    });
}

interface Write {
  readonly document: AgentDocument;
  readonly dropped: boolean;
}

function numbered(batches: readonly (readonly Write[])[], seqs: readonly number[]): SavedDocument[][] {
  let at = 0;
  return batches.map((batch) =>
    batch.map((write) => {
      const version = seqs[at++] as number;
      const agent = write.document.url;
      return write.dropped ? { agent, version } : { agent, version, document: write.document };
    }),
  );
}

/** Texts that are asked for beside those that the documents hold. */
const OTHER_TEXTS: { readonly [Member in keyof AgentFilter]?: readonly NonNullable<AgentFilter[Member]>[] } =
  {
    metricIds: [...METRICS.map((id) => [id]), ['unheard of']],
    accreditations: [...BODIES.map((body) => [body]), ['unheard of']],
    q: ['view', 'r', '%', '*', '_', 'each', 'i̇', 'ß', 'ς', 'σ', 'zzz'],
  };

/** What is asked for with one filter: what its entry samples, other texts, and several alternatives at once. */
export function anyWanted(member: keyof AgentFilter): fc.Arbitrary<unknown> {
  const documents = fc.sample(document, { numRuns: 100, seed: 7 });
  const known: readonly unknown[] = [...FILTERS[member].samples(documents), ...(OTHER_TEXTS[member] ?? [])];
  if (known.length === 0) throw new Error(`no random document has a value for the filter ${member}`);
  const one = fc.constantFrom(...known);
  if (!known.every(Array.isArray)) return one;
  return fc.array(one, { minLength: 1, maxLength: 4 }).map((lists) => [...new Set(lists.flat())]);
}

/** What a filter needs beside it to say anything. */
export const BESIDE: Partial<Record<keyof AgentFilter, AgentFilter>> = {
  sameMetric: { q: 'view', accreditations: ['MRC'] },
};

/** Any combination of conditions, the implied type left out or not. */
export function anyFilter(): fc.Arbitrary<AgentFilter> {
  const members = Object.keys(FILTERS) as (keyof AgentFilter)[];
  const wanted = Object.fromEntries(members.map((member) => [member, anyWanted(member)]));
  const type = fc.oneof(fc.constant('measurement' as const), anyWanted('type'));
  return fc.record({ ...wanted, type }, { requiredKeys: [] }) as fc.Arbitrary<AgentFilter>;
}
