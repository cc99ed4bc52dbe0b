import { expect, it, onTestFinished } from 'vitest';
import { serveRegistry } from '../peers/serve-registry.ts';
import { holds, madeCalls } from '../peers/transcript.ts';
import { RIGHT, WRONG } from '../peers/vendors.ts';

interface Found {
  readonly results: readonly { url: string; match: { factors: { health: number } } }[];
}

it('the transcript of the guide is true of vendors of which each but one is wrong in one way', async () => {
  const registry = await serveRegistry();
  onTestFinished(registry.close);
  const calls = await madeCalls(registry.url);
  expect(calls.map(({ name }) => name)).toEqual([
    ...['search_agents', 'search_agents', 'get_agent', 'get_compliance'],
  ]);
  for (const { answer, said } of calls) expect(holds(answer, said), JSON.stringify(answer)).toBe(true);
  const [, second] = calls.map(({ answer }) => answer as Found);
  const results = second?.results ?? [];
  const alive = results.filter(({ match }) => match.factors.health === 1).map(({ url }) => url);
  expect(alive).toEqual([RIGHT]);
  expect(alive.some((url) => WRONG.includes(url))).toBe(false);
});

it('an answer that lacks what the guide says is seen', () => {
  expect(holds({ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] })).toBe(true);
  for (const answer of [{}, { a: [] }, { a: [{ b: 2 }] }, { a: { b: 1 } }, undefined])
    expect(holds(answer, { a: [{ b: 1 }] })).toBe(false);
});
