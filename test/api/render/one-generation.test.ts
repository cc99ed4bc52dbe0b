import { expect, it, onTestFinished } from 'vitest';
import { renderRecords } from '../../../src/api/render/agent-list.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { bareDocument } from '../support/documents.ts';
import { openRegistry, PROBED_AT } from '../support/registry.ts';

/** More than the list reads at once. */
const AGENTS = 501;
const SWITCHES = { health: false, capabilities: false, properties: false, compliance: false };
const all = Array.from({ length: AGENTS }, (_, at) => `https://a${1_000 + at}.example/`);

it.each([
  ['other agents', all.slice(100)],
  ['no agent', []],
])(
  'holds the agents of one generation when it is switched between two reads to one with %s',
  async (_what, kept) => {
    const { records, index } = await openRegistry(all.map((url) => bareDocument(url)));
    const id = await index.generations.begin(PROBED_AT);
    await index.generations.write(id, await records.agents.saved(kept));
    await index.generations.built(id);
    let reads = 0;
    const search: AgentIndex['search'] = async (query) => {
      reads += 1;
      if (reads === 2) await index.generations.promote(id, PROBED_AT);
      return index.search(query);
    };
    const query = { filter: {}, switches: SWITCHES, total: true, after: undefined };
    const answer = await renderRecords({ records, index: { ...index, search } }, query, PROBED_AT);
    expect(answer.rendered.map((record) => JSON.parse(record.toString()).url)).toEqual(kept);
    expect(answer.total).toBe(kept.length);
  },
);

/** What is read, with the round of the event loop in which it is. */
async function roundsOf(read: (rounds: () => number) => Promise<unknown>): Promise<void> {
  let rounds = 0;
  const count = () => {
    rounds += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  onTestFinished(() => clearImmediate(next));
  await read(() => rounds);
}

const FEWEST = 8;

it('lets others in between two reads, each of whom takes a round of the event loop', async () => {
  const { records, index } = await openRegistry(all.map((url) => bareDocument(url)));
  await roundsOf(async (rounds) => {
    const readAt: number[] = [];
    const search: AgentIndex['search'] = (query) => {
      readAt.push(rounds());
      return index.search(query);
    };
    const query = { filter: {}, switches: SWITCHES, total: false, after: undefined };
    const { rendered } = await renderRecords({ records, index: { ...index, search } }, query, PROBED_AT);
    expect(rendered).toHaveLength(AGENTS);
    const waits = readAt.slice(1).map((round, at) => round - (readAt[at] ?? 0));
    expect(waits.length).toBeGreaterThan(2);
    expect(Math.min(...waits)).toBeGreaterThan(FEWEST);
  });
});

/** Agents whose records have 200 KiB each. */
function largeDocument(url: string) {
  const { base, ...document } = bareDocument(url);
  return { ...document, base: { ...base, description: 'é'.repeat(100_000) } };
}

it('yields between the records of one read when they are large', async () => {
  const { records, index } = await openRegistry(all.slice(0, 8).map(largeDocument));
  await roundsOf(async (rounds) => {
    let readAt = 0;
    const search: AgentIndex['search'] = (query) => {
      readAt = rounds();
      return index.search(query);
    };
    const query = { filter: {}, switches: SWITCHES, total: false, after: undefined };
    const { rendered } = await renderRecords({ records, index: { ...index, search } }, query, PROBED_AT);
    expect(rendered).toHaveLength(8);
    expect(rounds() - readAt).toBeGreaterThan(FEWEST);
  });
});

it('ends an answer before it has more than 2 MiB, and goes on behind its last agent', async () => {
  const { records, index } = await openRegistry(all.slice(0, 12).map(largeDocument));
  const query = { filter: {}, switches: SWITCHES, total: false };
  const first = await renderRecords({ records, index }, { ...query, after: undefined }, PROBED_AT);
  expect([first.rendered.length, first.last]).toEqual([10, all[9]]);
  const second = await renderRecords({ records, index }, { ...query, after: first.last }, PROBED_AT);
  expect([second.rendered.length, second.last]).toEqual([2, undefined]);
});
