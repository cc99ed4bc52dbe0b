import { expect, it, onTestFinished } from 'vitest';
import { ListBody } from '../../../src/api/list-cache.ts';
import { renderRecords } from '../../../src/api/render/agent-list.ts';
import type { TextRoom } from '../../../src/api/text-room.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { bareDocument } from '../support/documents.ts';
import { openRegistry, PROBED_AT } from '../support/registry.ts';

/** Writes a text of a list: the first part of it from among other bytes. */
function writing(text: string) {
  const bytes = Buffer.from(`<${text.slice(0, 1)}>`);
  return (room: TextRoom) => {
    room.copy(bytes, 1, bytes.length - 1);
    room.write(text.slice(1));
    return text;
  };
}

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
    const { id } = await index.generations.begin(PROBED_AT);
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
    const { agents } = JSON.parse(String(answer.list.end('"count":0}').body));
    expect(agents.map(({ url }: { url: string }) => url)).toEqual(kept);
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
    const { list } = await renderRecords({ records, index: { ...index, search } }, query, PROBED_AT);
    expect(list.count).toBe(AGENTS);
    const waits = readAt.slice(1).map((round, at) => round - (readAt[at] ?? 0));
    expect(waits.length).toBeGreaterThan(2);
    expect(Math.min(...waits)).toBeGreaterThan(FEWEST);
  });
});

it('lets others in whenever 256 KiB were read or written, and keeps every text whole', async () => {
  await roundsOf(async (rounds) => {
    const list = new ListBody('texts');
    const texts = Array.from({ length: 1_600 }, (_, at) => JSON.stringify(`${at}${'é😀'.repeat(100)}`));
    const breaks: number[] = [];
    for (const text of texts) {
      const before = rounds();
      list.add(writing(text), 0);
      const pause = list.pause();
      if (pause === undefined) continue;
      await pause;
      breaks.push(rounds() - before);
    }
    const written = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(breaks).toHaveLength(Math.floor(written / (262_144 + 800)));
    expect(Math.min(...breaks)).toBeGreaterThan(FEWEST);
    const { body } = list.end('"count":1600}');
    expect(JSON.parse(String(body))).toEqual({ texts: texts.map((text) => JSON.parse(text)), count: 1_600 });
    // what was read for a text counts, not only what is written
    const other = new ListBody('texts');
    other.add(writing('1'), 262_144);
    expect(other.pause()).toBeInstanceOf(Promise);
  });
});

it('takes back a text that does not fit, and always has the first one', () => {
  const list = new ListBody('texts');
  const most = JSON.stringify('x'.repeat(2_200_000));
  expect(list.add(writing(most), 0)).toBe(true);
  expect(list.add(writing('1'), 0)).toBe(false);
  expect(list.count).toBe(1);
  expect(String(list.end('"n":1}').body)).toBe(`{"texts":[${most}],"n":1}`);
});

it('keeps each body its own, though they are put together in the same room', () => {
  const begun = (mark: string) => {
    const list = new ListBody('texts');
    const text = JSON.stringify(mark.repeat(70_000));
    return {
      list,
      add: () => void list.add(writing(text), 0),
      expected: `{"texts":[${text},${text}],"n":1}`,
    };
  };
  const [first, second, third] = [begun('a'), begun('b'), begun('é')];
  first.add();
  second.add();
  first.add();
  second.add();
  const bodies = [first.list.end('"n":1}').body, second.list.end('"n":1}').body];
  third.add();
  third.add();
  bodies.push(third.list.end('"n":1}').body);
  expect(bodies.map(String)).toEqual([first, second, third].map(({ expected }) => expected));
});
