import fc from 'fast-check';
import type { AgentDocument } from '../../src/domain/agent-document.ts';
import type { AgentFilter } from '../../src/domain/agent-query.ts';
import { AGENT_TYPES } from '../../src/domain/agent-type.ts';
import { VERIFICATION_AXES } from '../../src/domain/compliance.ts';
import type { SavedDocument } from '../../src/ports/agent-store.ts';

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
  badges: fc.array(badge, { maxLength: 2 }),
};
const document = fc.record({ url, ...parts }).map(documentOf);

/** First writes of so many agents, in no order. */
export function manyWrites(count: number): readonly SavedDocument[] {
  const samples = fc.sample(fc.record(parts), 200);
  return Array.from({ length: count }, (_, at) => {
    const agent = `https://a${(at * 7_919) % count}.example/`;
    return {
      agent,
      seq: at + 1,
      document: documentOf({ url: agent, ...samples[(at * 31) % samples.length] }),
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
      const seq = seqs[at++] as number;
      const agent = write.document.url;
      return write.dropped ? { agent, seq } : { agent, seq, document: write.document };
    }),
  );
}

const values = (known: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...known, 'unheard of'), { minLength: 1, maxLength: 4 });

/** Any combination of conditions, the implied type left out or not. */
export function anyFilter(): fc.Arbitrary<AgentFilter> {
  const q = fc
    .constantFrom('view', 'r', '%', '*', '_', 'each', 'i̇', 'ß', 'ς', 'σ', '', 'zzz')
    .filter((text) => text !== '');
  return fc.record(
    {
      type: fc.oneof(fc.constant('measurement' as const), fc.constantFrom(...AGENT_TYPES)),
      metricIds: values(METRICS),
      accreditations: values(BODIES),
      q,
      verified: fc.constant(true as const),
      verificationModes: fc.uniqueArray(fc.constantFrom(...VERIFICATION_AXES), { minLength: 1 }),
    },
    { requiredKeys: [] },
  );
}
