import fc from 'fast-check';
import { expect, it } from 'vitest';
import { renderAgentList } from '../../../src/api/operations/list-agents.ts';
import { DEFAULT_TIERS } from '../../../src/compliance/badges/conditions.ts';
import type { AgentDocument } from '../../../src/domain/agent-document.ts';
import { readListQuery } from '../../../src/index/query/list-query.ts';
import { documentTexts, recordPieces, textsDigest } from '../../../src/index/query/record-text.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
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

/** As an engine beside the records tells it. */
function besideRecords(index: AgentIndex, documents: ReadonlyMap<string, AgentDocument>) {
  const search: AgentIndex['search'] = async (query) => {
    const { hits, ...page } = await index.search(query);
    const storedOf = (url: string) => {
      const texts = documentTexts(documents.get(url) ?? bareDocument(url));
      return { pieces: recordPieces(texts), digest: textsDigest(texts) };
    };
    return { ...page, hits: hits.map(({ url, seq }) => ({ url, seq, stored: storedOf(url) })) };
  };
  return { search };
}

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
  const documents = new Map<string, AgentDocument>();
  for (const { agent, form, isProbed, now, tiers } of fc.sample(anyStep, 40)) {
    documents.set(agent, form(agent));
    await put([form(agent)], isProbed);
    for (const text of QUERIES) {
      const read = readListQuery(new URLSearchParams(text), now);
      if (!read.ok) throw new Error(read.problem.detail);
      const sources = { records, cursorSecret: new Uint8Array(32), ...(tiers && { tiers }) };
      const bodies: string[] = [];
      for (const one of [index, { ...index, ...besideRecords(index, documents) }]) {
        const { body, etag } = await renderAgentList({ ...sources, index: one }, read.query, now);
        expect(answers.get(etag) ?? String(body)).toBe(String(body));
        answers.set(etag, String(body));
        bodies.push(String(body));
      }
      expect(bodies[1]).toBe(bodies[0]);
    }
  }
  expect(answers.size).toBeGreaterThan(40);
});

it('has the same bytes of agents whose last probe wrote no texts', async () => {
  const { records, index } = await openRegistry([bareDocument(A), fullDocument(B)]);
  const read = readListQuery(new URLSearchParams('health=true'), PROBED_AT);
  if (!read.ok) throw new Error(read.problem.detail);
  const sources = { records, index, cursorSecret: new Uint8Array(32) };
  const written = await renderAgentList(sources, read.query, PROBED_AT);
  records.database.exec('UPDATE agent SET seen_text = NULL, health_text = NULL');
  const made = await renderAgentList(sources, read.query, PROBED_AT);
  expect(String(written.body)).toContain('"health":{"online":true,"checked_at":"2026-01-06T09:00:00.000Z"');
  expect(String(made.body)).toBe(String(written.body));
});

const SWITCHES = ['health', 'capabilities', 'properties', 'compliance'].map((name) => `${name}=true`);

it.each(['', ...SWITCHES])('gives the page "%s" the same tag from memory and from the file', async (text) => {
  const { records, index } = await openRegistry([bareDocument(A), fullDocument(B)]);
  const sources = { records, index, cursorSecret: new Uint8Array(32) };
  const tagOf = async (query: string) => {
    const read = readListQuery(new URLSearchParams(query), PROBED_AT);
    if (!read.ok) throw new Error(read.problem.detail);
    return (await renderAgentList(sources, read.query, PROBED_AT)).etag;
  };
  const fromFile = await tagOf(text);
  await tagOf(SWITCHES.join('&')); // keeps them
  expect(await tagOf(text)).toBe(fromFile);
});
