import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderAgentList } from '../../../src/api/operations/list-agents.ts';
import { DEFAULT_TIERS } from '../../../src/compliance/badges/conditions.ts';
import type { AgentDocument } from '../../../src/domain/agent-document.ts';
import { readListQuery } from '../../../src/index/query/list-query.ts';
import { bareDocument, fullDocument } from '../support/documents.ts';
import { openRegistry, PROBED_AT } from '../support/registry.ts';

const HOUR = 3_600_000;
const [A, B] = ['https://a.example/', 'https://b.example/'] as const;

/** Documents of one agent that differ from each other in one group. */
const FORMS: readonly ((url: string) => AgentDocument)[] = [
  bareDocument,
  fullDocument,
  (url) => ({ ...bareDocument(url), compliance: { status: 'opted_out', lifecycle_stage: 'production' } }),
  (url) => {
    const { base, ...bare } = bareDocument(url);
    const member = { slug: 'm', display_name: 'M', membership_tier: 'builder' };
    return { ...bare, base: { ...base, member } };
  },
];

const TABLES = [undefined, { ...DEFAULT_TIERS, tiers: { builder: { label: 'Maker', apiAccess: true } } }];
const QUERIES = [
  '',
  'limit=1',
  'total=true',
  'q=attention',
  'accreditation_valid=true',
  'metric_id=Attention_Seconds',
]
  .flatMap((query) => [query, `${query}&health=true`, `${query}&properties=true&compliance=true`])
  .map((text) => text.replace(/^&/, ''));

it('gives two answers the same tag only when they have the same bytes, whatever changed', async () => {
  const { records, index, put } = await openRegistry();
  const answers = new Map<string, string>();
  const anyStep = fc.record({
    agent: fc.constantFrom(A, B),
    form: fc.constantFrom(...FORMS),
    isProbed: fc.boolean(),
    now: fc.constantFrom(0, 1, 2 * HOUR + 1, 6 * 8_760 * HOUR).map((later) => PROBED_AT + later),
    tiers: fc.constantFrom(...TABLES),
  });
  for (const { agent, form, isProbed, now, tiers } of fc.sample(anyStep, 40)) {
    await put([form(agent)], isProbed);
    for (const text of QUERIES) {
      const read = readListQuery(new URLSearchParams(text), now);
      if (!read.ok) throw new Error(read.problem.detail);
      const sources = { records, cursorSecret: new Uint8Array(32), ...(tiers && { tiers }) };
      const { body, etag } = await renderAgentList({ ...sources, index }, read.query, now);
      expect(answers.get(etag) ?? String(body)).toBe(String(body));
      answers.set(etag, String(body));
    }
  }
  expect(answers.size).toBeGreaterThan(40);
});
