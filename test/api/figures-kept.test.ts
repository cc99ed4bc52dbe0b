import { expect, it } from 'vitest';
import { keepFigures } from '../../src/api/operations/stats.ts';
import type { AgentIndex } from '../../src/ports/agent-index.ts';
import { openRegistry } from './support/registry.ts';

type Facet = Awaited<ReturnType<AgentIndex['facet']>>;

const MINUTE = 60_000;

it('the figures are counted once for all who ask meanwhile, also when that takes minutes', async () => {
  const { last, clock, counts } = await openSlow();
  const asked = [last(), last()];
  clock.value += 3 * MINUTE;
  asked.push(last());
  counts[0]?.resolve([]);
  expect(new Set(await Promise.all(asked)).size).toBe(1);
  expect(counts).toHaveLength(1);
});

it('the figures are kept from the end of their count, for ten times as long as it took', async () => {
  const { last, clock, counts } = await openSlow();
  const first = last();
  clock.value += 3 * MINUTE;
  counts[0]?.resolve([]);
  const figures = await first;
  clock.value += 30 * MINUTE - 1;
  expect(await last()).toBe(figures);
  expect(counts).toHaveLength(1);
  clock.value += 1;
  expect(await last()).toBe(figures);
  expect(counts).toHaveLength(2);
  counts[1]?.resolve([]);
  await expect.poll(last).not.toBe(figures);
  expect(counts).toHaveLength(2);
});

/** Figures whose count ends when the test says so. */
async function openSlow() {
  const { records, index, clock } = await openRegistry();
  const counts: PromiseWithResolvers<Facet>[] = [];
  const facet: typeof index.facet = async (name, most) => {
    if (name !== 'markets') return index.facet(name, most);
    const count = Promise.withResolvers<Facet>();
    counts.push(count);
    return count.promise;
  };
  const parts = { records, index: { ...index, facet }, clock, version: '1.0.0' };
  const figures = keepFigures(parts);
  const last = () =>
    figures.last((error) => {
      throw error;
    });
  return { last, clock, counts };
}
